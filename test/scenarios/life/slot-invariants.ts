/** What must hold in the lines for the slots of environments: who holds them, and who is served when. */
import type { Happened, Scenario } from '../harness.ts';
import { RUNS } from '../invariants.ts';
import type { Holder, InLine } from '../observed-items.ts';
import type { EnvironmentHistory } from './environment-history.ts';

/** Slots are only given while there are some left, one a place. */
export function tooManyHolders(
  { records, history }: Pick<Scenario, 'records' | 'history'>,
  environments: EnvironmentHistory,
): string[] {
  const holders = new Map<string, readonly Holder[]>();
  return records.flatMap((record) => {
    if (record.kind !== 'slots') return [];
    const { environment, at, after } = record;
    const fresh = added(record.holders, holders.get(environment) ?? []).filter(
      ({ deploy }) => !hadStarted(history, after, deploy),
    );
    holders.set(environment, record.holders);
    if (fresh.length === 0) return [];
    const found: string[] = [];
    const slots = environments.slots(environment, at);
    if (record.holders.length > slots) {
      found.push(`${record.holders.map(({ deploy }) => deploy)} hold ${slots} slots of ${environment} at ${at}`);
    }
    if (new Set(record.holders.map(({ place }) => place)).size < record.holders.length) {
      found.push(`two of one place hold slots of ${environment} at ${at}`);
    }
    return found;
  });
}

/** First come, first served: nobody is given a slot before somebody who could have had it and came before. */
export function servedOutOfTurn(
  { records, history }: Pick<Scenario, 'records' | 'history'>,
  environments: EnvironmentHistory,
): string[] {
  const lines = new Map<string, Map<string, InLine>>();
  const holders = new Map<string, readonly Holder[]>();
  const found: string[] = [];
  for (const record of records) {
    if (record.kind === 'joined' || record.kind === 'left') {
      const line = lines.get(record.environment) ?? new Map<string, InLine>();
      lines.set(record.environment, line);
      if (record.kind === 'joined') line.set(keyOf(record), record);
      else line.delete(keyOf(record));
      continue;
    }
    if (record.kind !== 'slots') continue;
    const { environment, at, after } = record;
    const before = holders.get(environment) ?? [];
    holders.set(environment, record.holders);
    const line = [...(lines.get(environment)?.values() ?? [])];
    const frozen = environments.mayBeFrozen(environment, at);
    const busy = new Set(before.map(({ place }) => place));
    for (const { deploy, place } of added(record.holders, before)) {
      if (hadStarted(history, after, deploy)) continue;
      const own = line.find((each) => each.deploy === deploy);
      const passed = line.filter(
        (each) =>
          own !== undefined &&
          isBefore(each, own) &&
          !record.holders.some((holder) => holder.deploy === each.deploy) &&
          !busy.has(each.place) &&
          each.place !== place &&
          !(frozen && !each.exempt),
      );
      if (own === undefined) found.push(`${deploy} was given a slot of ${environment} without standing in line`);
      for (const each of passed) found.push(`${deploy} was given a slot of ${environment} before ${each.deploy}`);
      busy.add(place);
    }
  }
  return found;
}

/** What ran before there was a limit is counted when there is one: it is given nothing. */
function hadStarted(history: readonly Happened[], after: number, deploy: string): boolean {
  return history
    .slice(0, after)
    .some((entry) => entry.kind === 'head' && entry.of === 'deploy' && entry.id === deploy && RUNS.has(entry.state));
}

function added(now: readonly Holder[], before: readonly Holder[]): readonly Holder[] {
  const known = new Set(before.map(({ deploy }) => deploy));
  return now.filter(({ deploy }) => !known.has(deploy));
}

function keyOf({ rank, ticket }: { readonly rank: number; readonly ticket: number }): string {
  return `${rank} ${ticket}`;
}

function isBefore(one: InLine, other: InLine): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.ticket < other.ticket);
}
