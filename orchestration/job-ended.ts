/** A plugin's job has ended: the machine that waits for it goes on, and reads the result itself. */
import { isFinal } from '../core/deploy/deploy.ts';
import type { Ports } from './ports.ts';

/** Key of the plugin's own rollback after a failure; no job of a course has it. */
export const ROLLBACK = 'rollback';

/** The same for every attempt at a job of a deploy, so that it is started once (I10). */
export function tokenOf(id: string, key: string): string {
  return `${id}/${key}`;
}

function partsOf(token: string): { id: string; key: string } | undefined {
  const [, id, key] = /^(.+)\/([^/]+)$/.exec(token) ?? [];
  return id === undefined || key === undefined ? undefined : { id, key };
}

export async function jobEnded(ports: Ports, idempotencyToken: string): Promise<void> {
  const named = partsOf(idempotencyToken);
  if (named === undefined) return;
  const row = await ports.store.deploys.read(named.id);
  if (row === undefined || isFinal(row.deploy.status.state)) return;
  const { state } = row.deploy.status;
  const inStep = state === (named.key === ROLLBACK ? 'ROLLING_BACK' : 'RUNNING');
  if (row.jobToken !== undefined && row.jobFor === named.key && inStep) await ports.machines.succeed(row.jobToken, {});
}
