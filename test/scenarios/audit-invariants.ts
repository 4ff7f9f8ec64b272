/** What must hold of the audit: nothing in it is changed, and it alone tells what became of everything. */

import { stateFromAudit } from './audit-state.ts';
import type { Recorded, Scenario } from './harness.ts';

/** Append-only: what was written once is never written otherwise, nor deleted. */
export function changedAudit(records: readonly Recorded[]): string[] {
  const rows = new Map<string, string>();
  return records.flatMap((record) => {
    if (record.kind === 'audit deleted') return [`the audit row ${record.key} was deleted`];
    if (record.kind !== 'audit') return [];
    const before = rows.get(record.key);
    rows.set(record.key, record.content);
    if (before === undefined || before === record.content) return [];
    return [`the audit row ${record.key} was ${before} and became ${record.content}`];
  });
}

/** The audit of an ended deploy or release gives its state, who approved it, how its own rollback went; I7: one wake-up. */
export async function wrongFromAudit(scenario: Scenario, of: 'deploy' | 'release', id: string): Promise<string[]> {
  const rows = await scenario.audit(id, of);
  const derived = stateFromAudit(rows);
  const found = derived.wrong.map((sentence) => `the audit of ${id}: ${sentence}`);
  const differs = (what: string, told: unknown, is: unknown) => {
    if (JSON.stringify(told) !== JSON.stringify(is)) found.push(`the audit of ${id} tells ${what} ${told}, not ${is}`);
  };
  if (of === 'release') {
    const { status, attempt } = await scenario.release(id);
    differs('the state', derived.state, status.state);
    differs('the attempt', derived.attempt, attempt.number);
    return found;
  }
  const { status, approvals, identity } = await scenario.deployed(id);
  differs('the state', derived.state, status.state);
  differs(
    'the approvals',
    derived.approvals,
    approvals.map(({ by }) => by),
  );
  differs('rolledBack', derived.rolledBack, 'rolledBack' in status ? status.rolledBack : undefined);
  const woken = rows.filter(({ action }) => action === 'after.finish').length;
  if (woken > 1) found.push(`I7: ${id} was woken ${woken} times`);
  const waited = identity.kind === 'deploy' && identity.after.length > 0 && 'startedAt' in status;
  if (waited && status.startedAt !== undefined && woken !== 1) {
    found.push(`I7: ${id} started and was woken ${woken} times`);
  }
  return found;
}
