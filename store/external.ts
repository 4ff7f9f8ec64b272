/** What is known of deploys that other pipelines run, before and beside their records. */
import * as z from 'zod';
import { ExportValue } from '../core/exports/value.ts';
import { keys } from './schema.ts';
import { conditions, type Table } from './table.ts';

/** How an external deploy ended. It may come before anybody has said that it started. */
export const Conclusion = z.object({
  owner: z.string(),
  state: z.enum(['SUCCESS', 'ERROR', 'CANCELLED']),
  message: z.string().optional(),
  exports: z.record(z.string(), ExportValue).default({}),
  at: z.number().int(),
});
export type Conclusion = z.infer<typeof Conclusion>;

export class External {
  constructor(private readonly table: Table) {}

  /** Keeps a conclusion, one of each who says so: whose counts is known once it has started. */
  keep(id: string, conclusion: Conclusion): Promise<boolean> {
    const key = keys.conclusion(id, conclusion.owner);
    return this.table.put({ ...key, type: 'conclusion', ...conclusion }, conditions.absent);
  }

  async kept(id: string, owner: string): Promise<Conclusion | undefined> {
    const item = await this.table.get(keys.conclusion(id, owner));
    return item && Conclusion.parse(item);
  }

  async drop(id: string, owner: string): Promise<void> {
    await this.table.delete(keys.conclusion(id, owner));
  }
}
