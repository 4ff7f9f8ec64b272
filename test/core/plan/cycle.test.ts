import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortestCycle } from '../../../core/plan/cycle.ts';
import { layersOf, type Node } from '../../../core/plan/graph.ts';
import { acyclic, anyGraph, nodes } from './drawn.ts';

/** Every simple cycle, by trying every path: the reference for small graphs. */
function everyCycle(graph: readonly Node[]): string[][] {
  const position = new Map(graph.map(({ name }, at) => [name, at]));
  const at = (name: string) => position.get(name) ?? -1;
  const found: string[][] = [];
  const walk = (path: readonly string[]) => {
    const [start = '', last = ''] = [path[0], path.at(-1)];
    for (const next of graph[at(last)]?.after ?? []) {
      if (next === start) found.push([...path, start]);
      else if (at(next) > at(start) && !path.includes(next)) walk([...path, next]);
    }
  };
  for (const { name } of graph) walk([name]);
  return found.sort((a, b) => {
    const differs = a.findIndex((name, index) => name !== b[index]);
    return a.length - b.length || at(a[differs] ?? '') - at(b[differs] ?? '');
  });
}

describe('the shortest cycle', () => {
  it.each<[string, string[] | undefined]>([
    ['a <- b, a <- c, b+c <- d', undefined],
    ['b <- a, a <- b', ['b', 'a', 'b']],
    ['a, b <- a, a <- b', ['a', 'b', 'a']],
    ['a, b <- a, c <- b, a <- c', ['a', 'b', 'c', 'a']],
    ['a, b <- a, c <- b, a <- c, d <- c, c <- d', ['c', 'd', 'c']],
    ['a, b, c, c <- b, b <- c, b <- a, a <- b', ['a', 'b', 'a']],
    ['a <- a', ['a', 'a']],
    ['tail, a <- tail, b <- a, a <- b', ['a', 'b', 'a']],
  ])('of %s', (drawing, cycle) => {
    expect(shortestCycle(nodes(drawing))).toEqual(cycle);
  });

  it('is the first of the shortest that trying every path finds', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        expect(shortestCycle(graph)).toEqual(everyCycle(graph)[0]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is there exactly when there are no layers', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        if (shortestCycle(graph) === undefined) expect(layersOf(graph).flat()).toHaveLength(graph.length);
        else expect(() => layersOf(graph)).toThrow('cycle');
      }),
    );
    fc.assert(
      fc.property(acyclic, (graph) => {
        expect(shortestCycle(graph)).toBeUndefined();
      }),
    );
  });

  it('is found in a ring that no stack would hold', () => {
    const ring: Node[] = Array.from({ length: 50_000 }, (_, at) => ({
      name: `d${at}`,
      after: [`d${(at + 1) % 50_000}`],
    }));
    const cycle = shortestCycle(ring);
    expect(cycle).toHaveLength(50_001);
    expect(cycle?.slice(0, 3)).toEqual(['d0', 'd1', 'd2']);
  });
});
