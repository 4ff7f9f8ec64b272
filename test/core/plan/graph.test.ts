import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ancestors,
  candidates,
  descendants,
  layersOf,
  type Node,
  reverseOrder,
  topologicalOrder,
} from '../../../core/plan/graph.ts';
import { acyclic, nodes } from './drawn.ts';

describe('layers', () => {
  it.each<[string, string[][]]>([
    ['a', [['a']]],
    ['c, a, b', [['c', 'a', 'b']]],
    ['a <- b, b <- c', [['a'], ['b'], ['c']]],
    ['a <- b, a <- c, b+c <- d', [['a'], ['b', 'c'], ['d']]],
    ['web, db <- api, api <- web', [['db'], ['api'], ['web']]],
    ['a <- b, b <- c, a <- c', [['a'], ['b'], ['c']]],
    [
      'constructor <- b, __proto__ <- c',
      [
        ['constructor', '__proto__'],
        ['b', 'c'],
      ],
    ],
  ])('%s', (drawing, layers) => {
    expect(layersOf(nodes(drawing))).toEqual(layers);
  });

  it('count an arrow that is written twice once', () => {
    expect(
      layersOf([
        { name: 'a', after: [] },
        { name: 'b', after: ['a', 'a'] },
      ]),
    ).toEqual([['a'], ['b']]);
  });

  it('respect every arrow, put nothing later than it must be, and keep the order of declaration', () => {
    fc.assert(
      fc.property(acyclic, (graph) => {
        const layers = layersOf(graph);
        const layer = new Map(layers.flatMap((names, at) => names.map((name) => [name, at] as const)));
        const declared = graph.map(({ name }) => name);
        expect(layers.flat().sort()).toEqual([...declared].sort());
        for (const { name, after } of graph) {
          expect(layer.get(name)).toBe(
            after.reduce((deepest, other) => Math.max(deepest, (layer.get(other) ?? 0) + 1), 0),
          );
        }
        for (const names of layers) expect(names).toEqual(declared.filter((name) => names.includes(name)));
      }),
    );
  });

  it.each([
    ['a <- b, b <- a', 'cycle'],
    ['a <- a', 'cycle'],
  ])('refuse %s', (drawing, reason) => {
    expect(() => layersOf(nodes(drawing))).toThrow(reason);
  });

  it('refuse a name that is not there, also one that every object has', () => {
    expect(() => layersOf([{ name: 'api', after: ['constructor'] }])).toThrow(
      '"constructor", which is not in the graph',
    );
    expect(() => layersOf([{ name: 'api', after: ['__proto__'] }])).toThrow('"__proto__", which is not in the graph');
  });

  it('take a chain that no stack would hold', () => {
    const chain: Node[] = Array.from({ length: 50_000 }, (_, at) => ({
      name: `d${at}`,
      after: at ? [`d${at - 1}`] : [],
    }));
    expect(layersOf(chain)).toHaveLength(50_000);
    expect(ancestors(chain, ['d49999'])).toHaveLength(49_999);
  });
});

describe('orders', () => {
  it('undo disk, vm, net when net came first', () => {
    expect(reverseOrder(nodes('net <- vm, vm <- disk'))).toEqual(['disk', 'vm', 'net']);
  });

  it('are each other backwards', () => {
    fc.assert(
      fc.property(acyclic, (graph) => {
        expect(reverseOrder(graph).reverse()).toEqual(topologicalOrder(graph));
      }),
    );
  });
});

describe('what may start', () => {
  it.each<[string, string[], string[]]>([
    ['a <- b, a <- c, b+c <- d', [], ['a']],
    ['a <- b, a <- c, b+c <- d', ['a'], ['b', 'c']],
    ['a <- b, a <- c, b+c <- d', ['a', 'c'], ['b']],
    ['a <- b, a <- c, b+c <- d', ['a', 'b', 'c'], ['d']],
    ['a <- b, a <- c, b+c <- d', ['a', 'b', 'c', 'd'], []],
    ['a <- b, x', ['a'], ['b', 'x']],
  ])('%s with %j done', (drawing, done, startable) => {
    expect(candidates(nodes(drawing), new Set(done))).toEqual(startable);
  });

  it('cannot be said when something is done before what it waits for', () => {
    expect(() => candidates(nodes('a <- b'), new Set(['b']))).toThrow('"b" is done but "a"');
  });

  it('always is something until all is done', () => {
    fc.assert(
      fc.property(acyclic, fc.infiniteStream(fc.nat()), (graph, choices) => {
        const done = new Set<string>();
        while (done.size < graph.length) {
          const ready = candidates(graph, done);
          expect(ready).not.toEqual([]);
          done.add(ready[(choices.next().value ?? 0) % ready.length] ?? '');
        }
        expect(candidates(graph, done)).toEqual([]);
      }),
    );
  });
});

describe('reach', () => {
  it.each<[string, string, string[], string[]]>([
    ['a <- b, a <- c, b+c <- d, x', 'b', ['a'], ['d']],
    ['a <- b, a <- c, b+c <- d, x', 'd', ['a', 'b', 'c'], []],
    ['a <- b, a <- c, b+c <- d, x', 'x', [], []],
  ])('of %s from %s', (drawing, name, before, behind) => {
    expect(ancestors(nodes(drawing), [name])).toEqual(before);
    expect(descendants(nodes(drawing), [name])).toEqual(behind);
  });

  it('is the same in both directions', () => {
    fc.assert(
      fc.property(acyclic, (graph) => {
        for (const { name } of graph) {
          for (const other of descendants(graph, [name])) expect(ancestors(graph, [other])).toContain(name);
        }
      }),
    );
  });
});
