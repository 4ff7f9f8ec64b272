import type { LogView } from '../api/contract.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import { RengaError } from '../core/errors.ts';
import type { Ports } from '../orchestration/ports.ts';
import type { DeployRow } from '../store/deploys.ts';
import { jobNamed, jobsOf } from './jobs.ts';

/**
 * The log of a job, by default of the one that runs or ran last, from a byte offset on. Throws `not-found` when there is
 * no such job, or its plugin keeps no log.
 */
export async function logView(ports: Ports, row: DeployRow, offset: number, name?: string): Promise<LogView> {
  const { id } = row.deploy.identity;
  const job = name === undefined ? jobsOf(row).at(-1) : jobNamed(row, name);
  const over = isFinal(row.deploy.status.state);
  if (job === undefined) {
    if (name === undefined) return { text: '', offset, next: offset, ended: over };
    const keys = jobsOf(row).map(({ key }) => key);
    const hint = keys.length === 0 ? 'none has begun yet' : `its jobs so far: ${keys.join(', ')}`;
    throw new RengaError('not-found', `${id} has no job ${name}`, { hint });
  }
  const part = await ports.plugins.get(job.plugin)?.log?.(job.name, offset);
  if (part === undefined) throw new RengaError('not-found', `the plugin ${job.plugin} keeps no log of ${id} here`);
  // Of a job that was named there is no more to come when that has ended; else another may follow.
  const ended = over || (name !== undefined && job.outcome !== undefined);
  return { job: job.key, text: part.text, offset, next: part.next, ended };
}
