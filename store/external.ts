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
  /** When it ended, as the pipeline says. */
  endedAt: z.number().int().optional(),
  /** Number of the report among those about the same deploy. */
  reportSeq: z.number().int().optional(),
  at: z.number().int(),
});
export type Conclusion = z.infer<typeof Conclusion>;

/** As long as anybody can wait for its start: `afterTimeout` ends at 30 days. */
const KEPT_SECONDS = 31 * 24 * 3_600;

export class External {
  constructor(private readonly table: Table) {}

  /**
   * Keeps a conclusion, one of each who says so: whose counts is known once it has started. The first stays, unless a later
   * one is numbered and newer.
   */
  keep(id: string, conclusion: Conclusion): Promise<boolean> {
    const { owner, at, reportSeq } = conclusion;
    const expires = Math.floor(at / 1_000) + KEPT_SECONDS;
    const item = { ...keys.conclusion(id, owner), type: 'conclusion', expires, ...conclusion };
    return this.table.put(item, reportSeq === undefined ? conditions.absent : conditions.reportedBefore(reportSeq));
  }

  async kept(id: string, owner: string): Promise<Conclusion | undefined> {
    const item = await this.table.get(keys.conclusion(id, owner));
    return item && Conclusion.parse(item);
  }

  async drop(id: string, owner: string): Promise<void> {
    await this.table.delete(keys.conclusion(id, owner));
  }
}
