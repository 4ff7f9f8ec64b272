import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRelease } from '../../../core/plan/plan.ts';
import { criticalPath, makespan, waitsOf } from '../../../core/plan/schedule.ts';
import { acyclic, releaseOf } from './drawn.ts';

const durations = (text: string) => new Map(text.split(' ').map((pair) => [pair.slice(0, 1), Number(pair.slice(1))]));

describe('how long a release takes', () => {
  it.each<[string, string, { layers: number; eager: number; path: string[] }]>([
    ['a <- b, a <- c, b+c <- d', 'a1 b2 c5 d1', { layers: 7, eager: 7, path: ['a', 'c', 'd'] }],
    ['a, b, a <- c, b <- d', 'a9 b1 c1 d9', { layers: 18, eager: 10, path: ['a', 'c'] }],
    ['a <- b', 'a0 b0', { layers: 0, eager: 0, path: ['a'] }],
  ])('%s with %s', (drawing, text, { layers, eager, path }) => {
    const plan = planRelease(releaseOf(drawing));
    expect(makespan(plan, durations(text), 'layers')).toBe(layers);
    expect(makespan(plan, durations(text), 'eager')).toBe(eager);
    expect(criticalPath(plan, durations(text))).toEqual({ path, length: eager });
  });

  it('is the sum when they run one by one', () => {
    const plan = planRelease(releaseOf('a, b, c'));
    expect(makespan(plan, durations('a1 b2 c3'))).toBe(6);
    expect(criticalPath(plan, durations('a1 b2 c3'))).toEqual({ path: ['a', 'b', 'c'], length: 6 });
  });

  it('is never less than the critical path, nor longer in eager than in layers', () => {
    fc.assert(
      fc.property(acyclic, fc.array(fc.nat(50), { minLength: 12, maxLength: 12 }), (graph, times) => {
        const plan = planRelease(releaseOf(graph, { release: { mode: 'dag' } }));
        const lasts = new Map(graph.map(({ name }, at) => [name, times[at] ?? 0]));
        const { path, length } = criticalPath(plan, lasts);
        expect(path.reduce((sum, name) => sum + (lasts.get(name) ?? 0), 0)).toBe(length);
        for (const [at, name] of path.entries()) if (at > 0) expect(plan.inner.get(name)).toContain(path[at - 1]);
        expect(makespan(plan, lasts, 'eager')).toBe(length);
        expect(makespan(plan, lasts, 'layers')).toBeGreaterThanOrEqual(length);
      }),
    );
  });
});

describe('what a plan waits for', () => {
  const release = (start: string) =>
    releaseOf('a, b, a <- c', { release: { start }, descriptors: { b: { after: ['infra-42'] } } });

  it('is dependencies, deploys outside, and the rest of the layer before', () => {
    expect(waitsOf(planRelease(release('layers')))).toEqual([
      { name: 'b', layer: 1, deploys: [], external: ['infra-42'], barrier: 0 },
      { name: 'c', layer: 2, deploys: ['a'], external: [], barrier: 1 },
    ]);
  });

  it('is no layer with an eager start', () => {
    expect(waitsOf(planRelease(release('eager'))).map(({ barrier }) => barrier)).toEqual([0, 0]);
  });
});
