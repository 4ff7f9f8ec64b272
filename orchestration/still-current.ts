/** Whether the version that a deploy brought is the one that runs. */
import type { Deploy } from '../core/deploy/deploy.ts';
import type { Failure } from '../core/failure.ts';
import { entryOf, type InventoryEntry } from '../store/inventory.ts';
import type { Ports } from './ports.ts';

export interface Standing {
  readonly current: InventoryEntry | undefined;
  readonly stands: boolean;
}

/** A deploy stands while it is current, and again when what went over it was taken back to its revision. */
export async function standingOf(ports: Ports, { identity, status }: Deploy): Promise<Standing> {
  const current = entryOf(await ports.store.inventory.current(identity), identity.artifact.name);
  if (current === undefined || status.state !== 'SUCCESS') return { current, stands: false };
  if (current.deploy === identity.id) return { current, stands: true };
  const over = await ports.store.deploys.read(current.deploy);
  return { current, stands: over?.deploy.identity.restores?.revision === status.revision };
}

/** Why a deploy can't be taken back: another has gone over it. Undefined while it stands. */
export async function superseded(ports: Ports, deploy: Deploy): Promise<Failure | undefined> {
  const { current, stands } = await standingOf(ports, deploy);
  if (stands) return undefined;
  const message = `${current?.deploy ?? 'nothing'} is current now: another deploy has gone over ${deploy.identity.id}, so it is not touched`;
  return { code: 'superseded', message };
}
