import { LIMITS } from '../documents/limits.ts';
import type { ReleaseDocument } from '../documents/release.ts';
import { nearest } from '../documents/spelling.ts';
import type { Problem } from '../errors.ts';
import { shortestCycle } from './cycle.ts';
import { identityProblems } from './identity.ts';
import { type Arrow, externalAfter, innerAfter, orderOf, type Wire, wiring } from './wiring.ts';

/** Names that get a "did you mean": a release of nothing but mistakes must not cost a comparison of all with all. */
const MOST_HINTS = 50;
const MOST_COMPARED = 1_000;

/**
 * Everything that is wrong with the graph of a release, all at once (I1): names and ids, what the `after` lists name,
 * cycles, limits, and what order and start demand of each other. In the order of the document; the same release
 * always answers the same list. An empty list is what `planRelease` needs.
 */
export function graphProblems(release: ReleaseDocument): Problem[] {
  const wires = wiring(release);
  return [
    ...limitProblems(wires),
    ...startProblems(release, wires),
    ...identityProblems(release),
    ...arrowProblems(wires),
    ...cycleProblems(wires),
    ...sequentialProblems(release, wires),
  ];
}

function limitProblems(wires: readonly Wire[]): Problem[] {
  const problems: Problem[] = [];
  const split = 'split it into several releases; one may wait for the deploys of another by their ids';
  if (wires.length > LIMITS.deploysInRelease) {
    const message = `the release has ${wires.length} deploys; at most ${LIMITS.deploysInRelease} are allowed`;
    problems.push({ code: 'too-many-deploys', path: 'deploys', message, hint: split });
  }
  const edges = wires.reduce((sum, wire) => sum + innerAfter(wire).length, 0);
  if (edges > LIMITS.edgesInRelease) {
    const message = `the release has ${edges} dependencies between its deploys; at most ${LIMITS.edgesInRelease} are allowed`;
    const hint = 'leave out a dependency that follows from others: if c waits for b and b for a, c need not name a';
    problems.push({ code: 'too-many-edges', path: 'deploys', message, hint });
  }
  wires.forEach((wire, at) => {
    const count = externalAfter(wire).length;
    if (count <= LIMITS.externalAfter) return;
    const message = `"${wire.name}" waits for ${count} deploys outside this release; at most ${LIMITS.externalAfter} are allowed`;
    const hint = 'wait for one deploy that itself waits for the others';
    problems.push({ code: 'too-many-after', path: `deploys[${at}].descriptor.after`, message, hint });
  });
  return problems;
}

function startProblems(release: ReleaseDocument, wires: readonly Wire[]): Problem[] {
  if (release.start !== 'eager' || orderOf(release, wires) !== 'sequential') return [];
  const automatic = 'no deploy waits for another, so mode: auto runs them one by one, and start: eager has no meaning';
  const message = release.mode === 'auto' ? automatic : 'start: eager has no meaning with mode: sequential';
  const hint = 'write mode: dag to start all that wait for nothing at once, or remove start';
  return [{ code: 'eager-sequential', path: 'start', message, hint }];
}

function arrowProblems(wires: readonly Wire[]): Problem[] {
  const names = wires.slice(0, MOST_COMPARED).map((wire) => wire.name);
  const idOf = new Map(wires.map((wire) => [wire.id, wire.name]));
  let hints = 0;
  const unknown = (wire: Wire, arrow: Arrow): Problem => {
    const message = `"${wire.name}" waits for "${arrow.written}", which is no deploy of this release`;
    const owner = idOf.get(arrow.written);
    const near = owner === undefined && hints++ < MOST_HINTS ? nearest(arrow.written, names) : undefined;
    const meant = near === undefined ? 'name a deploy of this release' : `did you mean "${near}"?`;
    const outside = "an id outside the release belongs into the descriptor's own after";
    const hint =
      owner === undefined ? `${meant}; ${outside}` : `"${arrow.written}" is the id of "${owner}": write "${owner}"`;
    return { code: 'unknown-dependency', path: arrow.path, message, hint };
  };
  return wires.flatMap((wire) => {
    const seen = new Set<string>();
    return wire.arrows.flatMap((arrow): Problem[] => {
      const list = arrow.path.slice(0, arrow.path.lastIndexOf('['));
      // The two lists of a deploy may both say one thing: the descriptor's was there before the release.
      const key = `${list} ${arrow.written}`;
      const { path } = arrow;
      if (seen.has(key)) {
        const message = `"${wire.name}" names "${arrow.written}" twice in one after`;
        return [{ code: 'duplicate-dependency', path, message, hint: 'remove one of them' }];
      }
      seen.add(key);
      if (arrow.kind === 'unknown') return [unknown(wire, arrow)];
      if (arrow.kind === 'external' || arrow.target !== wire.name) return [];
      const message = `"${wire.name}" waits for itself`;
      return [{ code: 'self-dependency', path, message, hint: `remove "${arrow.written}" from its after` }];
    });
  });
}

/** Self-dependencies have an error of their own; with two deploys of one name, the first stands for both. */
function cycleProblems(wires: readonly Wire[]): Problem[] {
  const first = new Map<string, { at: number; wire: Wire }>();
  wires.forEach((wire, at) => {
    if (!first.has(wire.name)) first.set(wire.name, { at, wire });
  });
  const nodes = [...first.values()].map(({ wire }) => ({
    name: wire.name,
    after: innerAfter(wire).filter((name) => name !== wire.name),
  }));
  const cycle = shortestCycle(nodes);
  const [start, next] = cycle ?? [];
  if (cycle === undefined || start === undefined) return [];
  const arrow = first.get(start)?.wire.arrows.find(({ kind, target }) => kind === 'inner' && target === next);
  const message = `the deploys wait for each other in a circle: ${cycle.join(' -> ')}`;
  const hint = 'a -> b reads "a waits for b"; remove one of these dependencies';
  return [{ code: 'cycle', path: arrow?.path ?? 'deploys', message, hint }];
}

/** `mode: sequential` keeps the order of declaration, so a deploy cannot wait for one that is declared later. */
function sequentialProblems(release: ReleaseDocument, wires: readonly Wire[]): Problem[] {
  if (release.mode !== 'sequential') return [];
  const position = new Map<string, number>();
  wires.forEach((wire, at) => {
    if (!position.has(wire.name)) position.set(wire.name, at);
  });
  return wires.flatMap((wire, at) =>
    wire.arrows.flatMap(({ kind, path, target }): Problem[] => {
      if (kind !== 'inner' || (position.get(target) ?? 0) <= at) return [];
      const message = `"${wire.name}" waits for "${target}", which mode: sequential would run after it`;
      const hint = `declare "${target}" before "${wire.name}", or write mode: dag`;
      return [{ code: 'sequential-order', path, message, hint }];
    }),
  );
}
