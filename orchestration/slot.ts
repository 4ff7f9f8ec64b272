/** A slot of an environment that has only so many: getting in line for one, and giving slots to who is next. */
import { hasNotStarted, isFinal } from '../core/deploy/deploy.ts';
import type { EnvironmentDocument } from '../core/documents/environment.ts';
import { freezeOf, isExempt } from '../core/governance/freeze.ts';
import type { DeployRow } from '../store/deploys.ts';
import { placeOf } from '../store/schema.ts';
import type { Ports } from './ports.ts';

/** Rollbacks go before whoever waits. */
const RANK = { rollback: 0, deploy: 1, external: 1 } as const;

/** Whether a deploy holds a slot now; when it does not, it is in line for one, in the place where it first was. */
export async function takeSlot(ports: Ports, row: DeployRow, environment: EnvironmentDocument | undefined) {
  const { identity } = row.deploy;
  const { id } = identity;
  const { slots } = ports.store;
  if (await holdsSlot(ports, identity)) return true;
  const ticket = row.ticket ?? (await newTicket(ports, row));
  const place = placeOf(identity);
  await slots.join(identity.environment, {
    deploy: id,
    place,
    rank: ticket.rank,
    ticket: ticket.number,
    exempt: isExempt(identity),
  });
  const granted = await grant(ports, identity.environment, environment);
  return granted.includes(id) || holdsSlot(ports, identity);
}

export async function holdsSlot(
  ports: Ports,
  { id, environment }: { readonly id: string; readonly environment: string },
): Promise<boolean> {
  return (await ports.store.slots.holders(environment)).some(({ deploy }) => deploy === id);
}

async function newTicket(ports: Ports, row: DeployRow) {
  const { identity } = row.deploy;
  const number = await ports.store.slots.ticket(identity.environment);
  const ticket = { rank: RANK[identity.kind], number };
  await ports.store.deploys.attach(identity.id, { ticket });
  return ticket;
}

/** Gives free slots away; answers the ids of those who got one. They are not started here. */
async function grant(ports: Ports, name: string, environment: EnvironmentDocument | undefined): Promise<string[]> {
  await heal(ports, name);
  const frozen = freezeOf(environment, ports.now()) !== undefined;
  const count = environment?.concurrency ?? Number.POSITIVE_INFINITY;
  const granted = await ports.store.slots.grant(name, count, ({ exempt }) => !frozen || exempt);
  return granted.map(({ deploy }) => deploy);
}

/** Takes slots from holders that have ended and could not say so. */
async function heal(ports: Ports, environment: string): Promise<void> {
  const holders = (await ports.store.slots.holders(environment)).map(({ deploy }) => deploy);
  if (holders.length === 0) return;
  const rows = await ports.store.deploys.readMany(holders);
  const gone = holders.filter((id) => isFinal(rows.get(id)?.deploy.status.state ?? 'ERROR'));
  if (gone.length > 0) await ports.store.slots.free(environment, new Set(gone));
}

/** Gives back what a deploy has of its environment's queue: a slot, or its place in line. Answers who got one instead. */
export async function giveSlot(ports: Ports, row: DeployRow): Promise<string[]> {
  const { ticket, deploy } = row;
  if (ticket === undefined) return [];
  const { id, environment } = deploy.identity;
  await ports.store.slots.leave(environment, { rank: ticket.rank, ticket: ticket.number });
  await ports.store.slots.free(environment, new Set([id]));
  return pump(ports, environment);
}

/**
 * A deploy that has started holds a slot where there are only so many, also when it started before there were: else more
 * would run than are let. Whoever ends at the same time is found ended here, or finds the slot.
 */
export async function countRunning(ports: Ports, row: DeployRow): Promise<void> {
  const { identity, status } = row.deploy;
  const { id, environment, kind, dryRun } = identity;
  if (kind === 'external' || dryRun === true || hasNotStarted(status.state) || isFinal(status.state)) return;
  if ((await ports.store.settings.environment(environment))?.concurrency === undefined) return;
  if (row.ticket === undefined) await newTicket(ports, row);
  await ports.store.slots.hold(environment, { deploy: id, place: placeOf(identity) });
  const now = await ports.store.deploys.read(id);
  if (now === undefined || isFinal(now.deploy.status.state)) await ports.store.slots.free(environment, new Set([id]));
}

/** Serves the line of an environment; answers who got a slot just now and can be let go on. */
export async function pump(ports: Ports, name: string): Promise<string[]> {
  return grant(ports, name, await ports.store.settings.environment(name));
}
