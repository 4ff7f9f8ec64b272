import type { ReleaseDocument } from '../core/documents/release.ts';
import { candidates, descendants, reverseOrder } from '../core/plan/graph.ts';
import { nodesOf, type Plan, planRelease } from '../core/plan/plan.ts';
import { select } from '../core/plan/selection.ts';
import type { GraphCase, Naming } from './graph-case.ts';

/** One thing that a case recorded, what renga makes of it, and whether that is the same. */
export interface Part {
  readonly what: string;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly same: boolean;
}

/** Compares as text what is plain data. */
export function part(what: string, expected: unknown, actual: unknown): Part {
  return { what, expected, actual, same: JSON.stringify(expected) === JSON.stringify(actual) };
}

/** Layers as sets: inside one, other systems order by name, by arrival or not at all; ours keep the declaration's. */
export function sortedLayers(layers: readonly (readonly string[])[]): string[][] {
  return layers.map((layer) => [...layer].sort());
}

export function layersOfPlan(plan: Plan, naming: Naming): string[][] {
  return plan.layers.map((layer) => layer.map(({ name }) => naming.id(name)));
}

/** Whether `order`, without what is outside the release, is a valid order of the plan's graph. */
function isValidOrder(plan: Plan, order: readonly string[]): boolean {
  const inside = order.filter((name) => plan.inner.has(name));
  const position = new Map(inside.map((name, at) => [name, at]));
  if (position.size !== plan.inner.size || inside.length !== plan.inner.size) return false;
  return [...plan.inner].every(([name, after]) =>
    after.every((other) => (position.get(other) ?? 0) < (position.get(name) ?? 0)),
  );
}

/** What a case says of a graph that is accepted. */
export function partsOf(test: GraphCase, release: ReleaseDocument, naming: Naming): Part[] {
  const plan = planRelease(release);
  const nodes = nodesOf(plan);
  const names = (ids: readonly string[]) => ids.map((id) => naming.name(id));
  const { expected } = test;
  const parts: Part[] = [];
  const layers = layersOfPlan(plan, naming);
  // Layers that were derived from the edges also place nodes outside the graph, which are in no layer of a release.
  const wanted = expected.layers ?? (test.externalNodes.length === 0 ? test.derivedLayers : undefined);
  if (wanted !== undefined) parts.push(part('layers', sortedLayers(wanted), sortedLayers(layers)));
  if (expected.order !== undefined) {
    const order = expected.order.filter((id) => !test.externalNodes.includes(id));
    parts.push(part('order is a valid one', true, isValidOrder(plan, names(order))));
  }
  if (test.externalNodes.length > 0) {
    const outside = [...new Set([...plan.external.values()].flat())].sort();
    parts.push(part('waits outside the release', [...test.externalNodes].sort(), outside));
  }
  if (expected.destroyOrder !== undefined) {
    parts.push(part('destroy order', expected.destroyOrder, naming.ids(plan.rollbackOrder)));
  }
  if (expected.destroyLayers !== undefined) {
    parts.push(part('destroy layers', sortedLayers(expected.destroyLayers), sortedLayers([...layers].reverse())));
    const position = new Map(reverseOrder(nodes).map((name, at) => [name, at]));
    const order = names(expected.destroyLayers.flat()).map((name) => position.get(name) ?? -1);
    parts.push(part('reverse order keeps the layers', true, risesByLayer(expected.destroyLayers, order)));
  }
  for (const { done, ready } of test.schedule) {
    const startable = naming.ids(candidates(nodes, new Set(names(done)))).sort();
    parts.push(part(`ready after ${done.join(', ') || 'nothing'}`, [...ready].sort(), startable));
  }
  for (const done of test.invalidDone) {
    parts.push(
      part(
        `refuses ${done.join(', ')} as done`,
        true,
        refuses(() => candidates(nodes, new Set(names(done)))),
      ),
    );
  }
  for (const { from, nodes: reached } of test.selectDownstream) {
    const roots = names(from);
    const actual = naming.ids([...roots, ...descendants(nodes, roots)]).sort();
    parts.push(part(`downstream of ${from.join(', ')}`, [...reached].sort(), actual));
  }
  for (const failure of test.failure) parts.push(failurePart(failure, plan, naming));
  if (test.plan !== undefined) parts.push(...mixedPlanParts(test.plan, release, plan, naming));
  return parts;
}

/** Every position of a layer comes before every position of the next. */
function risesByLayer(layers: readonly (readonly string[])[], positions: readonly number[]): boolean {
  let from = 0;
  let highest = -1;
  return layers.every((layer) => {
    const own = positions.slice(from, from + layer.length);
    from += layer.length;
    const rises = own.every((position) => position > highest);
    highest = Math.max(highest, ...own);
    return rises;
  });
}

function refuses(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch {
    return true;
  }
}

/**
 * One after another, as with a single slot, those that fail first: `failFast` is `onFailure: stop`, which cancels
 * what has not started; without it `continue`, under which only what depends on the failed one does not run.
 */
function failurePart(failure: GraphCase['failure'][number], plan: Plan, naming: Naming): Part {
  const nodes = nodesOf(plan);
  const fails = new Set(failure.fail.map((id) => naming.name(id)));
  const done = new Set(failure.done.map((id) => naming.name(id)));
  const failed = new Set<string>();
  for (;;) {
    if (failure.failFast && failed.size > 0) break;
    const ready = candidates(nodes, done).filter((name) => !failed.has(name));
    const next = ready.find((name) => fails.has(name)) ?? ready[0];
    if (next === undefined) break;
    (fails.has(next) ? failed : done).add(next);
  }
  const status = (name: string) => (failed.has(name) ? 'failed' : done.has(name) ? 'succeeded' : 'not-run');
  const actual = Object.fromEntries(Object.keys(failure.finalStatus).map((id) => [id, status(naming.name(id))]));
  return part(
    `${failure.fail.join(', ')} fails, ${failure.failFast ? 'stop' : 'continue'}`,
    failure.finalStatus,
    actual,
  );
}

/** Deletions in reverse order, then what is neither deleted nor unchanged as a selection of the release. */
function mixedPlanParts(mixed: NonNullable<GraphCase['plan']>, release: ReleaseDocument, plan: Plan, naming: Naming) {
  const gone = new Set(mixed.delete);
  const deletions = [...layersOfPlan(plan, naming)]
    .reverse()
    .map((layer) => layer.filter((id) => gone.has(id)))
    .filter((layer) => layer.length > 0);
  const kept = new Set([...mixed.delete, ...mixed.unchanged].map((id) => naming.name(id)));
  const tags = release.deploys.map(({ name }) => name).filter((name) => !kept.has(name));
  const updates = select(release, tags);
  const updated = updates.release === undefined ? updates.problems : layersOfPlan(planRelease(updates.release), naming);
  return [
    part('delete layers', mixed.deleteLayers, deletions),
    part(
      'update layers',
      sortedLayers(mixed.updateLayers),
      updates.release ? sortedLayers(updated as string[][]) : updated,
    ),
  ];
}
