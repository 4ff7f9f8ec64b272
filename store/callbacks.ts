/** Jobs that another pipeline carries out and answers for. The token that it answers with is kept as a digest alone. */
import * as z from 'zod';
import { keys } from './schema.ts';
import { conditions, type Item, type Table } from './table.ts';

export const CallbackJob = z.object({
  idempotencyToken: z.string(),
  pipeline: z.string(),
  deploy: z.string(),
  /** SHA-256, in hex, of the token that was given out last. */
  digest: z.string(),
  /** The request for it is known to be on the bus. */
  announced: z.boolean(),
  heartbeatSeconds: z.number().int().optional(),
  /** When anything was last heard of it, in epoch milliseconds. */
  heardAt: z.number().int(),
  /** In epoch seconds: when nothing has to be known of it any more. */
  expires: z.number().int().optional(),
  answer: z
    .object({
      status: z.enum(['success', 'error']),
      outputs: z.record(z.string(), z.string()),
      message: z.string().optional(),
    })
    .optional(),
});
export type CallbackJob = z.infer<typeof CallbackJob>;

export class Callbacks {
  constructor(private readonly table: Table) {}

  async read(job: string): Promise<CallbackJob | undefined> {
    const item = await this.table.get(keys.callback(job));
    return item && jobOf(item);
  }

  /** Stores a job that is not there yet; false when it is. */
  create(job: string, content: CallbackJob): Promise<boolean> {
    return this.table.put({ ...keys.callback(job), type: 'callback', ...content }, conditions.absent);
  }

  async change(job: string, set: Partial<CallbackJob>): Promise<void> {
    await this.table.update(keys.callback(job), { set }, conditions.present);
  }

  /** Writes the answer, once; false when there is one. */
  async answer(job: string, answer: NonNullable<CallbackJob['answer']>): Promise<boolean> {
    return (await this.table.update(keys.callback(job), { set: { answer } }, conditions.unanswered)) !== undefined;
  }
}

function jobOf(item: Item): CallbackJob {
  return CallbackJob.parse(item);
}
