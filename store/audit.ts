/** The audit: one row a decision, append-only, keyed by its sequence number, so that writing it twice is writing it once. */
import { Decision } from '../core/deploy/deploy.ts';
import { type Key, keys } from './schema.ts';
import type { Table } from './table.ts';

export class Audit {
  constructor(private readonly table: Table) {}

  async append(owner: Key, decisions: readonly Decision[]): Promise<void> {
    await this.table.writeMany(
      decisions.map((decision) => ({ ...keys.audit(owner, decision.seq), type: 'audit', ...decision })),
    );
  }

  async of(owner: Key): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for await (const item of this.table.partition(owner.pk, 'AUDIT#')) decisions.push(Decision.parse(item));
    return decisions;
  }
}
