import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodesOf, planRelease, renderPlan } from '../../../core/plan/plan.ts';
import { acyclic, releaseOf } from './drawn.ts';

const layers = (release: Parameters<typeof planRelease>[0]) =>
  planRelease(release).layers.map((layer) => layer.map(({ name }) => name));

describe('mode: auto', () => {
  it('runs deploys that wait for nothing one by one, as declared', () => {
    const plan = planRelease(releaseOf('cni, ingress, app'));
    expect(plan.order).toBe('sequential');
    expect(plan.layers.map((layer) => layer.map(({ name }) => name))).toEqual([['cni'], ['ingress'], ['app']]);
    expect(plan.inner).toEqual(
      new Map([
        ['cni', []],
        ['ingress', []],
        ['app', []],
      ]),
    );
  });

  it('becomes a DAG as soon as one deploy waits for another', () => {
    expect(layers(releaseOf('cni, cni <- cert-manager, cni <- ingress, cert-manager+ingress <- app'))).toEqual([
      ['cni'],
      ['cert-manager', 'ingress'],
      ['app'],
    ]);
    expect(layers(releaseOf('a, b, a <- c'))).toEqual([['a', 'b'], ['c']]);
  });

  it('becomes a DAG through an id, but not through one outside the release', () => {
    const inner = releaseOf('db, api', { descriptors: { db: { id: 'db-42' }, api: { after: ['db-42', 'infra-7'] } } });
    const plan = planRelease(inner);
    expect(plan.order).toBe('dag');
    expect(plan.inner.get('api')).toEqual(['db']);
    expect(plan.external.get('api')).toEqual(['infra-7']);
    expect(planRelease(releaseOf('db, api', { descriptors: { api: { after: ['infra-7'] } } })).order).toBe(
      'sequential',
    );
  });
});

describe('a mode said outright', () => {
  it('dag: what waits for nothing runs together', () => {
    expect(layers(releaseOf('a, b', { release: { mode: 'dag' } }))).toEqual([['a', 'b']]);
  });

  it('sequential: one by one as declared, and what each needs stays known', () => {
    const plan = planRelease(releaseOf('a, b, a <- c', { release: { mode: 'sequential' } }));
    expect(plan.layers.map((layer) => layer.map(({ name }) => name))).toEqual([['a'], ['b'], ['c']]);
    expect(plan.inner.get('b')).toEqual([]);
    expect(plan.inner.get('c')).toEqual(['a']);
    expect(plan.criticalPathLength).toBe(3);
  });

  it('sequential against a dependency has no plan', () => {
    const release = releaseOf(
      [
        { name: 'web', after: ['db'] },
        { name: 'db', after: [] },
      ],
      { release: { mode: 'sequential' } },
    );
    expect(() => planRelease(release)).toThrow('"web" waits for "db", which is not declared before it');
  });
});

describe('the rollback order', () => {
  it('is web, worker, api, db when db came first and web last', () => {
    const release = releaseOf('db, db <- api, api <- web, db <- worker');
    expect(planRelease(release).rollbackOrder).toEqual(['web', 'worker', 'api', 'db']);
  });

  it('is the exact reverse of the layers, and undoes nobody before those that wait for it', () => {
    fc.assert(
      fc.property(acyclic, (graph) => {
        const plan = planRelease(releaseOf(graph, { release: { mode: 'dag' } }));
        expect([...plan.rollbackOrder].reverse()).toEqual(plan.layers.flat().map(({ name }) => name));
        const undone = new Set<string>();
        for (const name of plan.rollbackOrder) {
          for (const { name: other, after } of nodesOf(plan)) if (after.includes(name)) expect(undone).toContain(other);
          undone.add(name);
        }
      }),
    );
  });
});

describe('a plan as JSON', () => {
  it('is plain data', () => {
    const release = releaseOf('db <- api', {
      release: { start: 'eager' },
      descriptors: { api: { after: ['infra-42'] } },
    });
    expect(renderPlan(planRelease(release))).toEqual({
      release: 'shop',
      order: 'dag',
      start: 'eager',
      criticalPathLength: 2,
      layers: [
        [{ name: 'db', id: 'shop.db', after: [], external: [] }],
        [{ name: 'api', id: 'shop.api', after: ['db'], external: ['infra-42'] }],
      ],
      rollbackOrder: ['api', 'db'],
    });
  });

  it('is the same, byte for byte, for the same release', () => {
    fc.assert(
      fc.property(acyclic, (graph) => {
        const once = JSON.stringify(renderPlan(planRelease(releaseOf(graph))));
        expect(JSON.stringify(renderPlan(planRelease(releaseOf(structuredClone(graph)))))).toBe(once);
      }),
    );
  });
});
