/** What each unit of a source waits for in the release. */
import type { Findings } from './findings.ts';
import type { Unit } from './unit.ts';

/** Keys that each kept unit waits for, once each; those of a unit that is left out stand in for it, and stages are held. */
export function unitWaits(units: readonly Unit[], findings: Findings): Map<string, string[]> {
  const byKey = new Map(units.map((unit) => [unit.key, unit]));
  const waits = new Map<string, string[]>();
  for (const unit of units.filter(({ left }) => left === undefined)) {
    const found = new Set<string>();
    const seen = new Set<string>();
    const open = unit.waits.map(({ key }) => key);
    for (let key = open.shift(); key !== undefined; key = open.shift()) {
      const other = byKey.get(key);
      if (other === undefined || seen.has(key)) continue;
      seen.add(key);
      if (other.left === undefined) found.add(key);
      else open.unshift(...other.waits.map((wait) => wait.key));
    }
    waits.set(unit.key, [...found]);
    const written = new Set<string>();
    for (const { key, place } of unit.waits) {
      const left = byKey.get(key)?.left;
      if (written.has(key)) {
        const why = 'it stands there twice';
        findings.note('duplicate-dependency', place, unit.key, {
          what: `waits for ${key}`,
          why,
          instead: 'once is kept',
        });
      } else if (left !== undefined) {
        const instead = `it waits for what ${key} waits for`;
        findings.note('dependency-left-out', place, unit.key, {
          what: `waits for ${key}`,
          why: `${key} ${left}`,
          instead,
        });
      }
      written.add(key);
    }
  }
  holdStages(units, waits);
  return waits;
}

function holdStages(units: readonly Unit[], waits: Map<string, string[]>): void {
  const stages = [...new Set(units.map(({ stage }) => stage))].sort((a, b) => a - b);
  const kept = stages
    .map((stage) => units.filter((unit) => unit.stage === stage && unit.left === undefined).map(({ key }) => key))
    .filter((keys) => keys.length > 0);
  const ends = kept.map((keys) => {
    const waited = new Set(keys.flatMap((key) => waits.get(key) ?? []));
    return keys.filter((key) => !waited.has(key));
  });
  for (const [index, keys] of kept.entries()) {
    const before = ends[index - 1];
    if (before === undefined) continue;
    for (const key of keys) if (waits.get(key)?.length === 0) waits.set(key, [...before]);
  }
}
