/**
 * Directed graphs by name. `after` holds the names that a node waits for, so an arrow `a -> b` reads "a waits for b".
 *
 * Every function here is pure and deterministic: the order of declaration decides whenever the graph leaves a choice.
 * None recurses, since a chain may be as long as a release is (a stack has an end); look-ups are in maps, since a
 * plain object knows names that nobody declared, such as `constructor`.
 */
export interface Node {
  readonly name: string;
  readonly after: readonly string[];
}

/** A graph with names replaced by positions in the order of declaration. */
export interface Indexed {
  readonly names: readonly string[];
  readonly position: ReadonlyMap<string, number>;
  /** What each waits for, without repetitions, in the order of declaration. */
  readonly before: readonly (readonly number[])[];
  /** What waits for each, in the order of declaration. */
  readonly dependants: readonly (readonly number[])[];
}

/** Throws when two nodes share a name or one waits for a name that is not there: both are refused by `graphProblems`. */
export function indexed(nodes: readonly Node[]): Indexed {
  const names = nodes.map((node) => node.name);
  const position = new Map(names.map((name, at) => [name, at]));
  if (position.size !== names.length) throw new Error('two nodes of the graph share a name');
  const dependants: number[][] = names.map(() => []);
  const before = nodes.map((node, at) => {
    const waits = new Set(
      node.after.map((name) => {
        const found = position.get(name);
        if (found === undefined) throw new Error(`"${node.name}" waits for "${name}", which is not in the graph`);
        return found;
      }),
    );
    for (const found of waits) dependants[found]?.push(at);
    return [...waits].sort((a, b) => a - b);
  });
  return { names, position, before, dependants };
}

/**
 * Kahn's layers: all that waits for nothing is one layer; without it, what then waits for nothing is the next.
 * Linear in nodes and edges. Throws on a cycle, which `shortestCycle` finds.
 */
export function layersOf(nodes: readonly Node[]): string[][] {
  const graph = indexed(nodes);
  const open = graph.before.map((waits) => waits.length);
  const level = graph.names.map(() => 0);
  const queue = open.flatMap((count, at) => (count === 0 ? [at] : []));
  for (const at of queue) {
    for (const next of graph.dependants[at] ?? []) {
      const left = (open[next] ?? 0) - 1;
      open[next] = left;
      // A queue is first in, first out, so the last predecessor to come is one of the deepest layer.
      level[next] = (level[at] ?? 0) + 1;
      if (left === 0) queue.push(next);
    }
  }
  if (queue.length !== nodes.length) throw new Error('the graph has a cycle, so it has no layers');
  const layers: string[][] = [];
  graph.names.forEach((name, at) => {
    const depth = level[at] ?? 0;
    while (layers.length <= depth) layers.push([]);
    layers[depth]?.push(name);
  });
  return layers;
}

/** Layer after layer, each in the order of declaration. Throws on a cycle. */
export function topologicalOrder(nodes: readonly Node[]): string[] {
  return layersOf(nodes).flat();
}

/** The exact reverse of `topologicalOrder`: what nobody waits for goes first. Throws on a cycle. */
export function reverseOrder(nodes: readonly Node[]): string[] {
  return topologicalOrder(nodes).reverse();
}

/**
 * What may start now that `done` has succeeded, in the order of declaration; what is done is not among it.
 * Throws when something is done before what it waits for, since then I2 no longer holds.
 */
export function candidates(nodes: readonly Node[], done: ReadonlySet<string>): string[] {
  return nodes.flatMap((node) => {
    const missing = node.after.find((name) => !done.has(name));
    if (!done.has(node.name)) return missing === undefined ? [node.name] : [];
    if (missing !== undefined) {
      throw new Error(`"${node.name}" is done but "${missing}", which it waits for, is not (I2)`);
    }
    return [];
  });
}

/** Everything that waits for one of `names`, directly or not, in the order of declaration, without `names` itself. */
export function descendants(nodes: readonly Node[], names: Iterable<string>): string[] {
  const graph = indexed(nodes);
  return reached(graph, names, graph.dependants);
}

/** Everything that one of `names` waits for, directly or not, in the order of declaration, without `names` itself. */
export function ancestors(nodes: readonly Node[], names: Iterable<string>): string[] {
  const graph = indexed(nodes);
  return reached(graph, names, graph.before);
}

function reached(graph: Indexed, names: Iterable<string>, steps: Indexed['before']): string[] {
  const start = new Set<number>();
  for (const name of names) {
    const at = graph.position.get(name);
    if (at !== undefined) start.add(at);
  }
  const seen = new Set(start);
  for (const at of seen) {
    for (const next of steps[at] ?? []) seen.add(next);
  }
  return graph.names.filter((_, at) => seen.has(at) && !start.has(at));
}
