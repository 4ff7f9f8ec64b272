/** Events that came from elsewhere, and what became of each: the last fortnight's, for whoever asks why nothing happened. */
import * as z from 'zod';
import { keys } from './schema.ts';
import { conditions, type Item, type Table } from './table.ts';

export const ReceivedEvent = z.object({
  id: z.string(),
  type: z.string(),
  source: z.string(),
  account: z.string(),
  at: z.number().int(),
  /** What it was about, as far as that could be read: the id of a deploy or of a release. */
  about: z.string().optional(),
  outcome: z.enum(['accepted', 'ignored', 'refused']),
  reason: z.string().optional(),
});
export type ReceivedEvent = z.infer<typeof ReceivedEvent>;

const KEPT_SECONDS = 14 * 24 * 3_600;

export class Inbox {
  constructor(private readonly table: Table) {}

  /** Whether it has been taken before: the bus may deliver an event twice, under the id that it gave it. */
  async has(id: string): Promise<boolean> {
    return (await this.table.get(keys.event(id))) !== undefined;
  }

  /** What a second delivery came to says nothing about the event. */
  async note(event: ReceivedEvent): Promise<void> {
    const listed = { list: 'event', listAt: `${new Date(event.at).toISOString()}#${event.id}` };
    // `source` and `outcome` stand inside: names at the top are those of indexes.
    const expires = Math.floor(event.at / 1_000) + KEPT_SECONDS;
    const item = { ...keys.event(event.id), type: 'event', ...listed, expires, event };
    await this.table.put(item, event.outcome === 'accepted' ? undefined : conditions.absent);
  }

  async read(found: readonly { readonly pk: string; readonly sk: string }[]): Promise<ReceivedEvent[]> {
    const items = await this.table.getMany(found);
    items.sort((one: Item, other: Item) => (String(one.listAt) < String(other.listAt) ? 1 : -1));
    return items.map(({ event }) => ReceivedEvent.parse(event));
  }
}
