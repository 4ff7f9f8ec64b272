import { type Indexed, indexed, type Node } from './graph.ts';

/**
 * The shortest cycle as a closed path, `['a', 'b', 'a']`: a waits for b, b waits for a. Undefined when there is none.
 * Of several as short, the one whose earliest declared node is declared first, then whose second is, and so on; it
 * starts at that node. So the same graph always answers the same path.
 *
 * One breadth-first search for each node that can still lie on a shorter cycle: a node is put away once it has been
 * searched from, and with it everything that no longer lies between two others; no search goes deeper than the best
 * cycle so far. A long ring costs one search, and the worst case is nodes times edges.
 */
export function shortestCycle(nodes: readonly Node[]): string[] | undefined {
  const graph = indexed(nodes);
  const away = new PutAway(graph);
  let best: number[] | undefined;
  for (let start = 0; start < graph.names.length && best?.length !== 1; start++) {
    if (away.has(start)) continue;
    best = cycleThrough(graph, start, away, (best?.length ?? Number.POSITIVE_INFINITY) - 1) ?? best;
    away.add(start);
  }
  const first = best?.[0];
  if (best === undefined || first === undefined) return undefined;
  return [...best, first].map((at) => graph.names[at] ?? '');
}

/** The shortest cycle through `start` of at most `longest` nodes, first in the order of declaration. */
function cycleThrough(graph: Indexed, start: number, away: PutAway, longest: number): number[] | undefined {
  const from = new Map<number, number>();
  let frontier = [start];
  for (let length = 1; length <= longest && frontier.length > 0; length++) {
    const next: number[] = [];
    for (const at of frontier) {
      for (const waited of graph.before[at] ?? []) {
        if (waited === start) return pathTo(at, from);
        if (away.has(waited) || from.has(waited)) continue;
        from.set(waited, at);
        next.push(waited);
      }
    }
    frontier = next;
  }
  return undefined;
}

function pathTo(end: number, from: ReadonlyMap<number, number>): number[] {
  const path: number[] = [];
  for (let at: number | undefined = end; at !== undefined; at = from.get(at)) path.push(at);
  return path.reverse();
}

/** Nodes that lie on no cycle among those that are left. Over its whole life it costs one walk over the graph. */
class PutAway {
  readonly #gone = new Set<number>();
  readonly #waits: number[];
  readonly #waited: number[];

  constructor(private readonly graph: Indexed) {
    this.#waits = graph.before.map((list) => list.length);
    this.#waited = graph.dependants.map((list) => list.length);
    graph.names.forEach((_, at) => {
      if (this.#waits[at] === 0 || this.#waited[at] === 0) this.add(at);
    });
  }

  has(at: number): boolean {
    return this.#gone.has(at);
  }

  add(at: number): void {
    const going = [at];
    for (let node = going.pop(); node !== undefined; node = going.pop()) {
      if (this.#gone.has(node)) continue;
      this.#gone.add(node);
      this.#free(this.graph.dependants[node] ?? [], this.#waits, going);
      this.#free(this.graph.before[node] ?? [], this.#waited, going);
    }
  }

  /** Takes one arrow from each neighbour; those that have none left on that side go too. */
  #free(neighbours: readonly number[], left: number[], going: number[]): void {
    for (const at of neighbours) {
      const count = (left[at] ?? 0) - 1;
      left[at] = count;
      if (count === 0) going.push(at);
    }
  }
}
