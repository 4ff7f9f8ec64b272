import type { LogView } from '../api/contract.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import { RengaError } from '../core/errors.ts';
import type { Ports } from '../orchestration/ports.ts';
import type { DeployRow } from '../store/deploys.ts';

/** The log of the job that runs or ran last, from a byte offset on. Throws `not-found` when its plugin keeps none. */
export async function logView(ports: Ports, row: DeployRow, offset: number): Promise<LogView> {
  const { deploy, job } = row;
  const ended = isFinal(deploy.status.state);
  if (job === undefined) return { text: '', offset, next: offset, ended };
  const part = await ports.plugins.get(job.plugin)?.log?.(job.name, offset);
  if (part === undefined)
    throw new RengaError('not-found', `the plugin ${job.plugin} keeps no log of ${deploy.identity.id} here`);
  return { text: part.text, offset, next: part.next, ended };
}
