/** An environment's document has changed: what waits for a slot, a turn or the end of a freeze there is looked at again. */
import type { DeployState } from '../core/deploy/deploy.ts';
import type { DeployRow } from '../store/deploys.ts';
import { placeOf } from '../store/schema.ts';
import { advance } from './advance.ts';
import { inParallel, type Ports } from './ports.ts';
import { countIn, pump, ticketOf } from './slot.ts';

const READ_AT_ONCE = 200;

export async function environmentChanged(ports: Ports, name: string): Promise<void> {
  const places = await waitingByPlace(ports, name);
  const environment = await ports.store.settings.environment(name);
  if (environment?.concurrency !== undefined) {
    await inParallel(await unticketedRunning(ports, name), (row) => countIn(ports, row));
    // One after another: a ticket is a place in line.
    for (const row of inOrder(places)) await ticketOf(ports, row);
  }
  await inParallel(await pump(ports, name), (id) => advance(ports, id));
  // Of one place one after another too: whoever came first must not be passed.
  await inParallel(places, async (rows) => {
    for (const row of rows) await advance(ports, row.deploy.identity.id);
  });
}

/** Those that have come to their turn, each place's in the order of its line. */
async function waitingByPlace(ports: Ports, name: string): Promise<DeployRow[][]> {
  const rows = (await inState(ports, name, 'ENQUEUED')).filter(({ wait }) => wait?.for === 'turn');
  const places = new Map<string, DeployRow[]>();
  for (const row of rows) {
    const place = placeOf(row.deploy.identity);
    places.set(place, [...(places.get(place) ?? []), row]);
  }
  await inParallel([...places], async ([place, others]) => {
    const { holder, waiting } = await ports.store.turns.read(place);
    const line = [...(holder === undefined ? [] : [holder]), ...waiting];
    const positions = new Map(line.map((id, index) => [id, index]));
    const position = ({ deploy }: DeployRow) => positions.get(deploy.identity.id) ?? line.length;
    others.sort((one, other) => position(one) - position(other) || comesBefore(one, other));
  });
  return [...places.values()];
}

/** All of them as they came, as far as that is known; those of one place never in another order than that place's. */
function inOrder(places: readonly (readonly DeployRow[])[]): DeployRow[] {
  const iterators = new Map(places.map((rows) => [rows, rows.values()]));
  const order = places.flatMap((rows) => rows.map((row) => ({ row, rows })));
  order.sort((one, other) => comesBefore(one.row, other.row));
  return order.map(({ row, rows }) => iterators.get(rows)?.next().value ?? row);
}

/** By their tickets where both have one, else by when they came to where they are. */
function comesBefore(one: DeployRow, other: DeployRow): number {
  if (one.ticket !== undefined && other.ticket !== undefined) {
    return one.ticket.rank - other.ticket.rank || one.ticket.number - other.ticket.number;
  }
  const [first, second] = [one.deploy, other.deploy];
  return first.status.since - second.status.since || first.identity.createdAt - second.identity.createdAt;
}

const RUNNING = ['RUNNING', 'ROLLING_BACK', 'CONCLUDING'] as const;

async function unticketedRunning(ports: Ports, name: string): Promise<DeployRow[]> {
  const rows = (await Promise.all(RUNNING.map((state) => inState(ports, name, state)))).flat();
  return rows.filter(
    ({ ticket, deploy: { identity } }) =>
      ticket === undefined && identity.kind !== 'external' && identity.dryRun !== true,
  );
}

/** From the index, a moment behind: what has only just come looks at the document itself. */
async function inState(ports: Ports, environment: string, state: DeployState): Promise<DeployRow[]> {
  const found: DeployRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await ports.store.lists.page('byState', `deploy#${state}`, READ_AT_ONCE, cursor);
    const rows = await ports.store.deploys.readMany(page?.ids ?? []);
    found.push(...[...rows.values()].filter(({ deploy }) => deploy.identity.environment === environment));
    cursor = page?.cursor;
  } while (cursor !== undefined);
  return found.filter(({ deploy }) => deploy.status.state === state);
}
