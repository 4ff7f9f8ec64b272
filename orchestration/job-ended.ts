/** A plugin's job has ended: the machine that waits for it goes on, and reads the result itself. */
import { isFinal } from '../core/deploy/deploy.ts';
import { jobOfToken } from '../core/deploy/job-key.ts';
import type { Ports } from './ports.ts';

export async function jobEnded(ports: Ports, idempotencyToken: string): Promise<void> {
  const named = jobOfToken(idempotencyToken);
  if (named === undefined) return;
  const row = await ports.store.deploys.read(named.deploy);
  if (row === undefined || isFinal(row.deploy.status.state)) return;
  // Whatever tells of a job again and again, or of one long past, moves nobody.
  if (row.jobToken !== undefined && row.jobKey === named.key) await ports.machines.succeed(row.jobToken, {});
}
