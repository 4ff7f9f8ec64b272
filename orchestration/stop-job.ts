import type { Stopped } from '../plugins/contract.ts';
import type { DeployRow } from '../store/deploys.ts';
import { jobEnded } from './job-ended.ts';
import type { Ports } from './ports.ts';

/** Really stops the job of a deploy, and lets its machine go on; undefined when it has none. */
export async function stopJob(ports: Ports, row: DeployRow): Promise<Stopped | undefined> {
  if (row.job === undefined) return undefined;
  const stopped = await ports.plugins.get(row.job.plugin)?.stop(row.job.name);
  if (stopped === 'stopped') await jobEnded(ports, row.job.token);
  return stopped;
}
