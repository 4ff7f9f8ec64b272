import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphProblems } from '../../../core/plan/problems.ts';
import { type SelectionOptions, select } from '../../../core/plan/selection.ts';
import { acyclic, releaseOf } from './drawn.ts';

const shop = releaseOf('db, db <- api, api <- web, x', {
  tags: { db: ['data'], api: ['back'], web: ['front'], x: ['data'] },
});

describe('picking by tags', () => {
  it.each<[string, string[], SelectionOptions, string[]]>([
    ['what carries the tag', ['data'], {}, ['db', 'x']],
    ['what carries one of the tags, as declared', ['back', 'data'], {}, ['db', 'api', 'x']],
    ['with what it needs, however far', ['front'], { withDependencies: true }, ['db', 'api', 'web']],
    ['alone, when what it needs is current', ['front'], { current: new Set(['api']) }, ['web']],
    [
      'with what it needs up to what is current',
      ['front'],
      { withDependencies: true, current: new Set(['db']) },
      ['api', 'web'],
    ],
    ['not what only a current one needs', ['front'], { withDependencies: true, current: new Set(['api']) }, ['web']],
    ['what is current as well, when it is picked', ['data'], { current: new Set(['db']) }, ['db', 'x']],
  ])('takes %s', (_, tags, options, names) => {
    const { release } = select(shop, tags, options);
    expect(release?.deploys.map(({ name }) => name)).toEqual(names);
    expect(release && graphProblems(release)).toEqual([]);
  });

  it('refuses a deploy without what it needs, for each of its needs', () => {
    const { problems } = select(shop, ['front', 'back']);
    expect(problems?.map(({ code, path }) => [code, path])).toEqual([['unselected-dependency', 'deploys[1].after[0]']]);
    expect(problems?.[0]?.message).toContain('"api" is picked but waits for "db"');
  });

  it('refuses a need that stands in the descriptor as an id', () => {
    const release = releaseOf('db, api', { descriptors: { api: { after: ['shop.db'] } }, tags: { api: ['t'] } });
    expect(select(release, ['t']).problems?.map(({ path }) => path)).toEqual(['deploys[1].descriptor.after[0]']);
    const alone = select(release, ['t'], { current: new Set(['db']) });
    expect(alone.release?.deploys[0]?.descriptor.after).toEqual([]);
  });

  it('refuses a tag that no deploy carries, so that a typing error does not release nothing', () => {
    const { problems } = select(shop, ['dta']);
    expect(problems).toMatchObject([{ code: 'unknown-tag', hint: 'its tags are back, data, front' }]);
  });

  it('keeps the order of the whole release', () => {
    expect(select(shop, ['data']).release?.mode).toBe('dag');
    const sequence = releaseOf('a, b, c', { tags: { a: ['t'], c: ['t'] } });
    expect(select(sequence, ['t']).release).toMatchObject({
      mode: 'sequential',
      deploys: [{ name: 'a' }, { name: 'c' }],
    });
  });

  it('with dependencies always is a whole release of its own', () => {
    fc.assert(
      fc.property(acyclic, fc.nat(), (graph, choice) => {
        const picked = graph[choice % graph.length]?.name ?? '';
        const { release } = select(releaseOf(graph, { tags: { [picked]: ['t'] } }), ['t'], { withDependencies: true });
        expect(release && graphProblems(release)).toEqual([]);
        expect(release?.deploys.map(({ name }) => name)).toContain(picked);
      }),
    );
  });
});
