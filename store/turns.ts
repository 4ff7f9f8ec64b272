/**
 * Whose turn it is in a place: one deploy at a time runs for one tenant, application and environment. First come, first
 * served, except that the rollbacks of a release go before whoever waits.
 */
import { z } from 'zod';
import { keys } from './schema.ts';
import { conditions, type Table } from './table.ts';

const Turn = z.object({ seq: z.number().int(), holder: z.string().optional(), waiting: z.array(z.string()) });
type Turn = z.infer<typeof Turn>;

export class Turns {
  constructor(private readonly table: Table) {}

  async read(place: string): Promise<Turn> {
    const item = await this.table.get(keys.turn(place));
    return item === undefined ? { seq: 0, waiting: [] } : Turn.parse(item);
  }

  /** Takes the turn, or gets in line for it; true when `deploy` holds it now. */
  async take(place: string, deploy: string, first: boolean): Promise<boolean> {
    // Mostly nobody else is there: one write then decides. Any other answer is read and decided in full.
    const set = { type: 'turn', holder: deploy, waiting: [] };
    if ((await this.table.update(keys.turn(place), { set, add: { seq: 1 } }, conditions.free)) !== undefined)
      return true;
    const turn = await this.#decide(place, (now) => {
      if (now.holder === deploy) return undefined;
      const others = now.waiting.filter((waiting) => waiting !== deploy);
      const inLine = now.waiting.includes(deploy);
      if (now.holder === undefined && (first || now.waiting[0] === deploy || now.waiting.length === 0)) {
        return { ...now, holder: deploy, waiting: others };
      }
      if (inLine) return undefined;
      return { ...now, waiting: first ? [deploy, ...others] : [...others, deploy] };
    });
    return turn.holder === deploy;
  }

  /** Gives the turn back, or the place in line; answers who holds it next, if that has changed. */
  async give(place: string, deploy: string): Promise<string | undefined> {
    const change = { remove: ['holder'], add: { seq: 1 } };
    if ((await this.table.update(keys.turn(place), change, conditions.heldAlone(deploy))) !== undefined)
      return undefined;
    let before: string | undefined;
    const turn = await this.#decide(place, (now) => {
      before = now.holder;
      const waiting = now.waiting.filter((other) => other !== deploy);
      if (now.holder !== deploy) return waiting.length === now.waiting.length ? undefined : { ...now, waiting };
      const [next, ...rest] = waiting;
      return { seq: now.seq, waiting: rest, ...(next !== undefined && { holder: next }) };
    });
    return turn.holder === before ? undefined : turn.holder;
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
