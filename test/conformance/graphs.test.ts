import { describe, expect, it } from 'vitest';
import { Naming } from '../../conformance/graph-case.ts';
import { graphs, realGraphs } from '../../conformance/graphs.ts';
import type { ReleaseDocument } from '../../core/documents/release.ts';

const diamond = {
  nodes: ['Make/A', 'make/a', 'C', 'D'],
  edges: [
    ['Make/A', 'make/a'],
    ['Make/A', 'C'],
    ['make/a', 'D'],
    ['C', 'D'],
  ],
};

const one = (fields: Record<string, unknown>) =>
  graphs({ cases: [{ id: 'case', source: 'made up', ...diamond, expected: { ok: true }, ...fields }] })[0];

describe('a recorded graph', () => {
  it.each<[string, Record<string, unknown>]>([
    ['layers in any order inside', { expected: { ok: true, layers: [['Make/A'], ['make/a', 'C'], ['D']] } }],
    ['one valid order', { expected: { ok: true, order: ['Make/A', 'C', 'make/a', 'D'] } }],
    ['what is ready', { schedule: [{ done: ['Make/A'], ready: ['C', 'make/a'] }] }],
    ['what can not be done', { invalidDone: [['D'], ['C']] }],
    ['what lies downstream', { selectDownstream: [{ from: ['C'], nodes: ['C', 'D'] }] }],
    [
      'what a failure leaves',
      {
        failure: [
          {
            done: ['Make/A'],
            fail: ['C'],
            failFast: false,
            finalStatus: { C: 'failed', D: 'not-run', 'make/a': 'succeeded' },
          },
        ],
      },
    ],
    [
      'a cycle as short as theirs',
      {
        nodes: ['a', 'b'],
        edges: [
          ['a', 'b'],
          ['b', 'a'],
        ],
        expected: { ok: false, error: 'cycle', cycle: ['b', 'a', 'b'] },
      },
    ],
    ['an unknown node', { nodes: ['a'], edges: [['b', 'a']], expected: { ok: false, error: 'unknown-node' } }],
    [
      'a node outside',
      { nodes: ['a'], edges: [['x/y', 'a']], externalNodes: ['x/y'], expected: { ok: true, order: ['x/y', 'a'] } },
    ],
    [
      'a disabled node',
      { nodes: ['a'], edges: [['b', 'a']], disabledNodes: ['b'], expected: { ok: false, error: 'disabled-node' } },
    ],
    ['an unknown target', { target: 'nobody', expected: { ok: false, error: 'unknown-target' } }],
  ])('agrees on %s', (_, fields) => {
    expect(one(fields)).toEqual({ id: 'case', verdict: 'agree' });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['layers', { expected: { ok: true, layers: [['Make/A'], ['make/a'], ['C'], ['D']] } }, 'layers'],
    ['an order', { expected: { ok: true, order: ['C', 'Make/A', 'make/a', 'D'] } }, 'order is a valid one'],
    ['acceptance', { expected: { ok: false, error: 'cycle' } }, 'refused as cycle'],
    ['what is ready', { schedule: [{ done: [], ready: ['C'] }] }, 'ready after nothing'],
    [
      'the kind of error',
      { nodes: ['a'], edges: [['b', 'a']], expected: { ok: false, error: 'cycle' } },
      'refused as cycle',
    ],
    ['a destroy order', { expected: { ok: true, destroyOrder: ['Make/A', 'C', 'make/a', 'D'] } }, 'destroy order'],
  ])('disagrees on %s, with both values', (_, fields, what) => {
    const result = one(fields);
    expect(result).toMatchObject({ verdict: 'disagree' });
    expect(Object.keys(result?.expected ?? {})).toContain(what);
    expect(Object.keys(result?.actual ?? {})).toContain(what);
  });

  it('is refused by name when it is no question about graphs', () => {
    const result = one({ expected: { ok: false, error: 'invalid', message: 'no items' } });
    expect(result?.verdict).toBe('unsupported');
    expect(result?.reason).toContain('no items');
  });

  it('with references to outputs is compared by the check of imports that is given', () => {
    const refs = { outputRefs: [['C', 'make/a', 'status']], expected: { ok: false, error: 'reference-not-ancestor' } };
    expect(one(refs)?.verdict).toBe('unsupported');
    const found = { code: 'import-not-in-after', path: '', message: '' };
    const cases = [{ id: 'case', source: 'made up', ...diamond, ...refs }];
    const check = (entry: ReleaseDocument['deploys'][number]) =>
      Object.values(entry.descriptor.imports).some(
        (each) => 'deployment' in each && !entry.after.includes(each.deployment),
      )
        ? [found]
        : [];
    expect(graphs({ cases }, check)[0]?.verdict).toBe('agree');
    expect(graphs({ cases }, () => [])[0]?.verdict).toBe('disagree');
  });
});

describe('a real pipeline', () => {
  const cases = [{ id: 'p', ...diamond, layers: [['Make/A'], ['C', 'make/a'], ['D']] }];

  it('agrees when its layers are the same and it runs to success', async () => {
    const names: string[][] = [];
    const run = async (release: ReleaseDocument) => {
      names.push(release.deploys.map(({ name }) => name));
      return 'SUCCESS';
    };
    expect(await realGraphs({ cases }, run)).toEqual([{ id: 'p', verdict: 'agree' }]);
    expect(names).toEqual([['make-a', 'make-a.2', 'c', 'd']]);
  });

  it('disagrees when it does not run to success, or its layers are others', async () => {
    expect(await realGraphs({ cases }, async () => 'ERROR')).toMatchObject([
      { verdict: 'disagree', actual: { state: 'ERROR' } },
    ]);
    const wrong = [{ id: 'p', ...diamond, layers: [['Make/A'], ['C', 'make/a', 'D']] }];
    expect(await realGraphs({ cases: wrong })).toMatchObject([{ verdict: 'disagree' }]);
  });
});

describe("other systems' ids", () => {
  it('become valid names, one to one', () => {
    const ids = ['A', 'a', 'a b', 'a/b', '_x', '..', 'x'.repeat(80), `${'x'.repeat(80)}y`];
    const naming = new Naming(ids);
    const names = ids.map((id) => naming.name(id));
    expect(new Set(names).size).toBe(ids.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9][a-z0-9._-]{0,62}$/);
    expect(naming.ids(names)).toEqual(ids);
  });
});
