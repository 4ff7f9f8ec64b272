import type { Stopped } from '../plugins/contract.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Ports } from './ports.ts';

/** Really stops the job of a deploy; undefined when it has none. */
export async function stopJob(ports: Ports, row: DeployRow): Promise<Stopped | undefined> {
  if (row.job === undefined) return undefined;
  return ports.plugins.get(row.job.plugin)?.stop(row.job.name);
}
