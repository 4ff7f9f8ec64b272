/**
 * The slots of an environment that has only so many: who holds one, and who is in line. First come, first served, except
 * that the rollbacks of a release go before whoever waits. One item decides who holds a slot (a conditional write on
 * `seq`); being in line is an item of one's own, so that a line of any length costs no more.
 */
import * as z from 'zod';
import { keys } from './schema.ts';
import { conditions, type Table } from './table.ts';

/** A place holds one slot at most, so whoever is behind in the same place is passed over and not waited for. */
const Holder = z.object({ deploy: z.string(), place: z.string() });
export type Holder = z.infer<typeof Holder>;

const Queue = z.object({
  seq: z.number().int(),
  /** The last ticket that was given out. */
  tickets: z.number().int().default(0),
  holders: z.array(Holder),
});
const InLine = Holder.extend({
  /** Lower ones are served first, whatever their ticket. */
  rank: z.number().int(),
  ticket: z.number().int(),
  /** Whether a freeze does not hold it. */
  exempt: z.boolean(),
});
export type Waiting = z.infer<typeof InLine>;

export interface Granted {
  /** Who got a slot just now. */
  readonly granted: readonly Holder[];
  /** Who holds one, those among them. */
  readonly holders: readonly Holder[];
  /** Who would have got one, but may not now. */
  readonly held: readonly Holder[];
}

const SHOWN = 500;

export class Slots {
  constructor(private readonly table: Table) {}

  async holders(environment: string): Promise<readonly Holder[]> {
    return (await this.#read(environment)).holders;
  }

  async #read(environment: string): Promise<z.infer<typeof Queue>> {
    const item = await this.table.get(keys.queue(environment));
    return item === undefined || item.seq === undefined ? { seq: 0, tickets: 0, holders: [] } : Queue.parse(item);
  }

  /** Who is in line, in the order in which they are served; no more than people look at. */
  async line(environment: string): Promise<Waiting[]> {
    const line: Waiting[] = [];
    for await (const waiting of this.#inLine(environment)) {
      line.push(waiting);
      if (line.length === SHOWN) break;
    }
    return line;
  }

  async *#inLine(environment: string): AsyncGenerator<Waiting> {
    for await (const item of this.table.partition(keys.queue(environment).pk, 'WAIT#')) yield InLine.parse(item);
  }

  /** A ticket for the line; numbers only grow. */
  async ticket(environment: string): Promise<number> {
    const change = { set: { type: 'queue' }, add: { tickets: 1 } };
    const item = await this.table.update(keys.queue(environment), change, conditions.anyway);
    return z.number().parse(item?.tickets);
  }

  /** Gets in line under a ticket; doing so twice is doing so once. */
  async join(environment: string, waiting: Waiting): Promise<void> {
    await this.table.put({ ...keys.inLine(environment, waiting.rank, waiting.ticket), type: 'in-line', ...waiting });
  }

  async leave(environment: string, { rank, ticket }: Pick<Waiting, 'rank' | 'ticket'>): Promise<void> {
    await this.table.delete(keys.inLine(environment, rank, ticket));
  }

  /**
   * Gives free slots to those in line whom `eligible` lets, in order, `slots` in all; answers who got one just now, and
   * who holds one then. Who holds a slot stands in line no more.
   */
  async grant(environment: string, slots: number, eligible: (waiting: Waiting) => boolean): Promise<Granted> {
    for (;;) {
      const { seq, holders: before } = await this.#read(environment);
      if (before.length >= slots) return { granted: [], holders: before, held: [] };
      const held = new Set(before.map(({ deploy }) => deploy));
      const places = new Set(before.map(({ place }) => place));
      const granted: Holder[] = [];
      const barred: Holder[] = [];
      const served: Waiting[] = [];
      for await (const waiting of this.#inLine(environment)) {
        const { deploy, place } = waiting;
        if (before.length + granted.length >= slots) break;
        if (held.has(deploy)) served.push(waiting);
        if (places.has(place)) continue;
        if (!eligible(waiting)) {
          barred.push({ deploy, place });
          continue;
        }
        granted.push({ deploy, place });
        served.push(waiting);
        places.add(place);
      }
      const holders = [...before, ...granted];
      if (granted.length > 0 && !(await this.#write(environment, seq, holders))) continue;
      // After the write: who is cut off here is still in line, and found among the holders by the next look.
      await this.table.writeMany(
        [],
        served.map(({ rank, ticket }) => keys.inLine(environment, rank, ticket)),
      );
      return { granted, holders, held: barred.slice(0, Math.max(0, slots - holders.length)) };
    }
  }

  /** Counts a deploy that runs already among the holders, even when there is no slot left for it. */
  async count(environment: string, holder: Holder): Promise<void> {
    for (;;) {
      const { seq, holders } = await this.#read(environment);
      if (holders.some(({ deploy }) => deploy === holder.deploy)) return;
      if (await this.#write(environment, seq, [...holders, holder])) return;
    }
  }

  /** Counts what runs already, which came when there was no limit: it holds a slot, whether there is one left or not. */
  async hold(environment: string, holder: Holder): Promise<void> {
    for (;;) {
      const before = await this.#read(environment);
      if (before.holders.some(({ deploy }) => deploy === holder.deploy)) return;
      if (await this.#write(environment, before.seq, [...before.holders, holder])) return;
    }
  }

  /** Takes slots back; true when any of these held one. */
  async free(environment: string, deploys: ReadonlySet<string>): Promise<boolean> {
    for (;;) {
      const before = await this.#read(environment);
      const holders = before.holders.filter(({ deploy }) => !deploys.has(deploy));
      if (holders.length === before.holders.length) return false;
      if (await this.#write(environment, before.seq, holders)) return true;
    }
  }

  async #write(environment: string, seq: number, holders: readonly Holder[]): Promise<boolean> {
    const condition = seq === 0 ? conditions.undecided : conditions.unchangedSince(seq);
    const change = { set: { type: 'queue', seq: seq + 1, holders } };
    return (await this.table.update(keys.queue(environment), change, condition)) !== undefined;
  }
}
