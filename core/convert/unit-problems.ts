/** What a source refuses as renga does: names that are taken, dependencies that lead nowhere or back. */
import { suggestion } from '../documents/spelling.ts';
import type { Problem } from '../errors.ts';
import { shortestCycle } from '../plan/cycle.ts';
import type { Place } from './place.ts';
import type { Unit } from './unit.ts';

const MOST_HINTS = 50;
const MOST_COMPARED = 1_000;

/** `noun`: what the source calls a unit. */
export function unitProblems(units: readonly Unit[], noun: string): Problem[] {
  const first = new Map<string, Unit>();
  const problems: Problem[] = [];
  for (const unit of units) {
    const other = first.get(unit.key);
    if (other === undefined) first.set(unit.key, unit);
    else {
      const { file, line } = other.place.position;
      const message = `the name "${unit.key}" is taken by ${file}, line ${line}`;
      problems.push(at(unit.place, 'duplicate-name', message, 'give one another name'));
    }
  }
  // Looking for near names takes time, and a hostile file may have very many.
  let hints = 0;
  const hint = (wanted: string, stage: number) => {
    if (hints++ >= MOST_HINTS) return undefined;
    return suggestion(
      wanted,
      units.slice(0, MOST_COMPARED).flatMap((unit) => (unit.stage === stage ? unit.key : [])),
    );
  };
  for (const { key, waits, stage } of units) {
    for (const wait of waits) {
      if (wait.key === key) {
        const remedy = 'remove it from what it waits for';
        problems.push(at(wait.place, 'self-dependency', `"${key}" waits for itself`, remedy));
      } else if (first.get(wait.key)?.stage !== stage) {
        const message = `"${key}" waits for "${wait.key}", which is no ${noun} here`;
        problems.push(at(wait.place, 'unknown-dependency', message, hint(wait.key, stage)));
      }
    }
  }
  return [...problems, ...cycleProblems(first)];
}

function cycleProblems(units: ReadonlyMap<string, Unit>): Problem[] {
  const cycle = shortestCycle(
    [...units.values()].map(({ key, waits }) => ({
      name: key,
      after: waits.map((wait) => wait.key).filter((other) => other !== key && units.has(other)),
    })),
  );
  const [start, next] = cycle ?? [];
  const arrow = units.get(start ?? '')?.waits.find(({ key }) => key === next);
  if (cycle === undefined || arrow === undefined) return [];
  const message = `they wait for each other in a circle: ${cycle.join(' -> ')}`;
  return [at(arrow.place, 'cycle', message, 'a -> b reads "a waits for b"; remove one of these dependencies')];
}

function at(place: Place, code: string, message: string, hint: string | undefined): Problem {
  return { code, path: place.path, message, hint, position: place.position };
}
