/** An environment's document has changed: what waits for a slot, a turn or the end of a freeze there is looked at again. */
import type { DeployState } from '../core/deploy/deploy.ts';
import type { DeployRow } from '../store/deploys.ts';
import { advance } from './advance.ts';
import { inParallel, type Ports } from './ports.ts';
import { countRunning, pump } from './slot.ts';

const LOOKED_AT_ONCE = 200;
const STARTED: readonly DeployState[] = ['RUNNING', 'ROLLING_BACK', 'CONCLUDING'];

export async function environmentChanged(ports: Ports, name: string): Promise<void> {
  for (const state of STARTED) {
    for await (const row of deploysIn(ports, name, state)) await countRunning(ports, row);
  }
  await inParallel(await pump(ports, name), (id) => advance(ports, id));
  for await (const row of deploysIn(ports, name, 'ENQUEUED')) await advance(ports, row);
}

/** The deploys of an environment that are in a state; of each page in the order in which they came to it. */
async function* deploysIn(ports: Ports, environment: string, state: DeployState): AsyncGenerator<DeployRow> {
  let cursor: string | undefined;
  do {
    const page = await ports.store.lists.page('byState', `deploy#${state}`, LOOKED_AT_ONCE, cursor);
    const rows = await ports.store.deploys.readMany(page?.ids ?? []);
    const found = [...rows.values()].filter(({ deploy }) => deploy.identity.environment === environment);
    // The first in line is looked at first.
    yield* found.sort((one, other) => one.deploy.status.since - other.deploy.status.since);
    cursor = page?.cursor;
  } while (cursor !== undefined);
}
