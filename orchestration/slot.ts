/** A slot of an environment that has only so many: getting in line for one, and giving slots to who is next. */
import { isFinal, mayHold } from '../core/deploy/deploy.ts';
import type { EnvironmentDocument } from '../core/documents/environment.ts';
import { freezeOf, isExempt } from '../core/governance/freeze.ts';
import type { DeployRow, Ticket } from '../store/deploys.ts';
import { placeOf } from '../store/schema.ts';
import type { Granted } from '../store/slots.ts';
import type { Ports } from './ports.ts';

/** Rollbacks go before whoever waits. */
const RANK = { rollback: 0, deploy: 1, external: 1 } as const;

export interface Taken {
  readonly holds: boolean;
  /** Others who got a slot by this: nobody else lets them go on. */
  readonly served: readonly string[];
}

/** Whether a deploy holds a slot now; when it does not, it is in line for one, in the place where it first was. */
export async function takeSlot(
  ports: Ports,
  row: DeployRow,
  environment: EnvironmentDocument | undefined,
): Promise<Taken> {
  const { identity } = row.deploy;
  if (await holdsSlot(ports, identity)) return { holds: true, served: [] };
  const { rank, number } = await ticketOf(ports, row);
  await ports.store.slots.join(identity.environment, {
    deploy: identity.id,
    place: placeOf(identity),
    rank,
    ticket: number,
    exempt: isExempt(identity),
  });
  const { granted, holders } = await grant(ports, identity.environment, environment);
  return {
    holds: holders.some(({ deploy }) => deploy === identity.id),
    served: granted.map(({ deploy }) => deploy).filter((deploy) => deploy !== identity.id),
  };
}

export async function holdsSlot(
  ports: Ports,
  { id, environment }: { readonly id: string; readonly environment: string },
): Promise<boolean> {
  return (await ports.store.slots.holders(environment)).some(({ deploy }) => deploy === id);
}

/** The ticket of a deploy, drawn now if it has none. It has one alone, however many draw for it at once. */
export async function ticketOf(ports: Ports, { ticket, deploy: { identity } }: DeployRow): Promise<Ticket> {
  if (ticket !== undefined) return ticket;
  const number = await ports.store.slots.ticket(identity.environment);
  const taken = await ports.store.deploys.takeTicket(identity.id, { rank: RANK[identity.kind], number });
  if (taken === undefined) throw new Error(`there is no deploy ${identity.id}`);
  return taken;
}

/**
 * Counts a deploy that runs already, since its environment has come to have slots. The ticket first: from then on its end
 * gives the slot back; one that ended before is found by the look that follows.
 */
export async function countIn(ports: Ports, row: DeployRow): Promise<void> {
  const { identity } = row.deploy;
  const { id, environment } = identity;
  await ticketOf(ports, row);
  await ports.store.slots.count(environment, { deploy: id, place: placeOf(identity) });
  const now = await ports.store.deploys.read(id);
  if (now === undefined || isFinal(now.deploy.status.state)) await ports.store.slots.free(environment, new Set([id]));
}

/** Gives free slots away. Who gets one is not started here. */
async function grant(ports: Ports, name: string, environment: EnvironmentDocument | undefined): Promise<Granted> {
  await heal(ports, name);
  const frozen = freezeOf(environment, ports.now()) !== undefined;
  const count = environment?.concurrency ?? Number.POSITIVE_INFINITY;
  return ports.store.slots.grant(name, count, ({ exempt }) => !frozen || exempt);
}

/** Takes slots from holders that have ended, or wait for something else again, and could not say so. */
async function heal(ports: Ports, environment: string): Promise<void> {
  const holders = (await ports.store.slots.holders(environment)).map(({ deploy }) => deploy);
  if (holders.length === 0) return;
  const rows = await ports.store.deploys.readMany(holders);
  const gone = holders.filter((id) => !mayHold(rows.get(id)?.deploy.status.state ?? 'ERROR'));
  if (gone.length > 0) await ports.store.slots.free(environment, new Set(gone));
}

/** Gives back what a deploy has of its environment's queue: a slot, or its place in line. Answers who got one instead. */
export async function giveSlot(ports: Ports, row: DeployRow): Promise<string[]> {
  if (row.ticket === undefined) return [];
  const { id, environment } = row.deploy.identity;
  await leaveLine(ports, row);
  await ports.store.slots.free(environment, new Set([id]));
  return pump(ports, environment);
}

export async function leaveLine(ports: Ports, { ticket, deploy: { identity } }: DeployRow): Promise<void> {
  if (ticket === undefined) return;
  await ports.store.slots.leave(identity.environment, { rank: ticket.rank, ticket: ticket.number });
}

/**
 * Serves the line of an environment; answers who got a slot just now and can be let go on, and who would have got one but
 * for a freeze: looked at, they are looked at again when that ends.
 */
export async function pump(ports: Ports, name: string): Promise<string[]> {
  const { granted, held } = await grant(ports, name, await ports.store.settings.environment(name));
  return [...granted, ...held].map(({ deploy }) => deploy);
}
