/** An environment's document has changed: what waits for a slot, a turn or the end of a freeze there is looked at again. */
import { advance } from './advance.ts';
import { inParallel, type Ports } from './ports.ts';
import { pump } from './slot.ts';

const LOOKED_AT_ONCE = 200;

export async function environmentChanged(ports: Ports, name: string): Promise<void> {
  await inParallel(await pump(ports, name), (id) => advance(ports, id));
  let cursor: string | undefined;
  do {
    const page = await ports.store.lists.page('byState', 'deploy#ENQUEUED', LOOKED_AT_ONCE, cursor);
    const rows = await ports.store.deploys.readMany(page?.ids ?? []);
    const waiting = [...rows.values()].filter(({ deploy }) => deploy.identity.environment === name);
    // In the order in which they came: the first in line is looked at first.
    waiting.sort((one, other) => one.deploy.status.since - other.deploy.status.since);
    for (const row of waiting) await advance(ports, row);
    cursor = page?.cursor;
  } while (cursor !== undefined);
}
