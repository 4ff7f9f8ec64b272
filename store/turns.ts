/**
 * Whose turn it is in a place: one deploy at a time runs for one tenant, application and environment. First come, first
 * served, except that the rollbacks of a release go before whoever waits.
 */
import * as z from 'zod';
import { keys } from './schema.ts';
import { conditions, type Table } from './table.ts';

const Turn = z.object({
  seq: z.number().int(),
  holder: z.string().optional(),
  /** In the order in which they get it. */
  waiting: z.array(z.string()),
  /** How many of `waiting`, from its start, are rollbacks. */
  rollbacks: z.number().int().default(0),
});
type Turn = z.infer<typeof Turn>;

export class Turns {
  constructor(private readonly table: Table) {}

  async read(place: string): Promise<Turn> {
    const item = await this.table.get(keys.turn(place));
    return item === undefined ? { seq: 0, waiting: [], rollbacks: 0 } : Turn.parse(item);
  }

  /**
   * Takes the turn, or gets in line for it; true when `deploy` holds it now. `urgent`: it goes before whoever waits, as a
   * rollback does, or what may run in a freeze that holds the others.
   */
  async take(place: string, deploy: string, { urgent }: { readonly urgent: boolean }): Promise<boolean> {
    // Mostly nobody else is there: one write then decides. Any other answer is read and decided in full.
    const set = { type: 'turn', holder: deploy, waiting: [], rollbacks: 0 };
    if ((await this.table.update(keys.turn(place), { set, add: { seq: 1 } }, conditions.free)) !== undefined)
      return true;
    const turn = await this.#decide(place, (now) => {
      if (now.holder === deploy) return undefined;
      if (now.holder === undefined && (urgent || now.waiting[0] === deploy || now.waiting.length === 0)) {
        return { ...without(now, deploy), holder: deploy };
      }
      if (now.waiting.includes(deploy)) return undefined;
      return urgent
        ? { ...now, waiting: now.waiting.toSpliced(now.rollbacks, 0, deploy), rollbacks: now.rollbacks + 1 }
        : { ...now, waiting: [...now.waiting, deploy] };
    });
    return turn.holder === deploy;
  }

  /**
   * Gets in line without taking the turn, even if it is free: nothing may start now. Whoever holds it gives it up for that
   * and stays the first; answers who else is in line then, who may be let go on.
   */
  async line(place: string, deploy: string): Promise<readonly string[]> {
    let gaveUp = false;
    const turn = await this.#decide(place, (now) => {
      gaveUp = now.holder === deploy;
      if (gaveUp) {
        const { holder: _, ...free } = without(now, deploy);
        return { ...free, waiting: free.waiting.toSpliced(free.rollbacks, 0, deploy) };
      }
      return now.waiting.includes(deploy) ? undefined : { ...now, waiting: [...now.waiting, deploy] };
    });
    return gaveUp ? turn.waiting.filter((other) => other !== deploy) : [];
  }

  /**
   * Gives the turn back, or the place in line; answers who is to be looked at: who holds it next, or the first in line for
   * a turn that nobody holds, if that has changed.
   */
  async give(place: string, deploy: string): Promise<string | undefined> {
    const change = { remove: ['holder'], add: { seq: 1 } };
    if ((await this.table.update(keys.turn(place), change, conditions.heldAlone(deploy))) !== undefined)
      return undefined;
    let before: Turn | undefined;
    const turn = await this.#decide(place, (now) => {
      before = now;
      const line = without(now, deploy);
      if (now.holder !== deploy) return line.waiting.length === now.waiting.length ? undefined : line;
      const { holder: _, ...free } = line;
      const [next] = line.waiting;
      return next === undefined ? free : { ...without(free, next), holder: next };
    });
    if (turn.holder !== before?.holder || turn.holder !== undefined) {
      return turn.holder === before?.holder ? undefined : turn.holder;
    }
    return turn.waiting[0] === before?.waiting[0] ? undefined : turn.waiting[0];
  }

  async #decide(place: string, change: (turn: Turn) => Turn | undefined): Promise<Turn> {
    for (;;) {
      const before = await this.read(place);
      const next = change(before);
      if (next === undefined) return before;
      const turn = { ...next, seq: before.seq + 1 };
      const condition = before.seq === 0 ? conditions.absent : conditions.unchangedSince(before.seq);
      if (await this.table.put({ ...keys.turn(place), type: 'turn', ...turn }, condition)) return turn;
    }
  }
}

/** The line without a deploy, wherever in it that stands. */
function without(turn: Turn, deploy: string): Turn {
  const place = turn.waiting.indexOf(deploy);
  if (place === -1) return turn;
  const rollbacks = place < turn.rollbacks ? turn.rollbacks - 1 : turn.rollbacks;
  return { ...turn, waiting: turn.waiting.toSpliced(place, 1), rollbacks };
}
