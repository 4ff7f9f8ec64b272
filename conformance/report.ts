import type { CaseResult } from './result.ts';
import { SET_ASIDE } from './set-aside.ts';

/** Longer values are cut: the whole one is in the recorded file, and a run of the case shows ours. */
const LONGEST = 2_000;

/** The results of one file as text, and how many cases disagree without being set aside. */
export function report(
  file: string,
  results: readonly CaseResult[],
  setAside = SET_ASIDE.get(file) ?? new Map<string, string>(),
): { text: string; disagree: number } {
  const seen = new Set(results.map(({ id }) => id));
  const aside = results.filter(({ id, verdict }) => verdict === 'disagree' && setAside.has(id));
  const disagree = results.filter(({ id, verdict }) => verdict === 'disagree' && !setAside.has(id));
  const agree = results.filter(({ verdict }) => verdict === 'agree');
  const unsupported = results.filter(({ verdict }) => verdict === 'unsupported');
  const counts = `${agree.length} agree, ${disagree.length} disagree, ${unsupported.length} unsupported`;
  const lines = [`${file}: ${counts}${aside.length === 0 ? '' : `, ${aside.length} set aside`}`];
  for (const one of disagree) {
    lines.push(`  disagree ${one.id}${one.reason === undefined ? '' : `: ${one.reason}`}`);
    lines.push(`    expected ${shown(one.expected)}`, `    actual   ${shown(one.actual)}`);
  }
  for (const { id } of aside) lines.push(`  set aside ${id}: ${setAside.get(id)}`);
  for (const { id, reason } of unsupported) lines.push(`  unsupported ${id}: ${reason ?? 'no reason given'}`);
  for (const { id, reason } of agree) if (reason !== undefined) lines.push(`  in part ${id}: ${reason}`);
  for (const id of setAside.keys()) {
    if (!seen.has(id) || agree.some((one) => one.id === id)) lines.push(`  no longer needs to be set aside: ${id}`);
  }
  return { text: `${lines.join('\n')}\n`, disagree: disagree.length };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}
