import { describe, expect, it } from 'vitest';
import { graphProblems } from '../../../core/plan/problems.ts';
import { releaseOf, withDeploys } from './drawn.ts';

type Line = [code: string, path: string];

function lines(release: Parameters<typeof graphProblems>[0]): Line[] {
  return graphProblems(release).map(({ code, path }) => [code, path]);
}

const chain = (length: number, close = false) =>
  Array.from({ length }, (_, at) => ({
    name: `d${at}`,
    after: at > 0 ? [`d${at - 1}`] : close ? [`d${length - 1}`] : [],
  }));

describe('a release whose graph is right', () => {
  it.each(['a', 'a, b', 'a <- b, a <- c, b+c <- d', 'constructor <- b', 'd <- a, b <- d'])('%s', (drawing) => {
    expect(graphProblems(releaseOf(drawing))).toEqual([]);
  });

  it('may be as long a chain as the limit allows', () => {
    expect(graphProblems(releaseOf(chain(500)))).toEqual([]);
  });

  it('may name one deploy in both lists: the descriptor had it before the release', () => {
    const release = releaseOf('db <- api', {
      descriptors: { db: { id: 'shop-db-42' }, api: { after: ['shop-db-42'] } },
    });
    expect(graphProblems(release)).toEqual([]);
  });
});

describe('what is wrong with a graph', () => {
  it('is a name that is not there, with the one that was probably meant', () => {
    const [problem] = graphProblems(
      releaseOf([
        { name: 'database', after: [] },
        { name: 'api', after: ['databse'] },
      ]),
    );
    expect(problem).toMatchObject({ code: 'unknown-dependency', path: 'deploys[1].after[0]' });
    expect(problem?.message).toBe('"api" waits for "databse", which is no deploy of this release');
    expect(problem?.hint).toContain('did you mean "database"?');
  });

  it.each(['constructor', '__proto__', 'toString'])('is %s when no deploy has that name', (name) => {
    expect(lines(releaseOf([{ name: 'api', after: [name] }]))).toEqual([['unknown-dependency', 'deploys[0].after[0]']]);
  });

  it('is an id where a name belongs', () => {
    const [problem] = graphProblems(
      releaseOf([
        { name: 'db', after: [] },
        { name: 'api', after: ['shop.db'] },
      ]),
    );
    expect(problem?.hint).toBe('"shop.db" is the id of "db": write "db"');
  });

  it('is a deploy that waits for itself, by name or by id, and that is no cycle as well', () => {
    const release = releaseOf('a <- a, b', { descriptors: { b: { after: ['shop.b'] } } });
    expect(lines(release)).toEqual([
      ['self-dependency', 'deploys[0].after[0]'],
      ['self-dependency', 'deploys[1].descriptor.after[0]'],
    ]);
  });

  it('is one dependency named twice', () => {
    expect(
      lines(
        releaseOf([
          { name: 'a', after: [] },
          { name: 'b', after: ['a', 'a'] },
        ]),
      ),
    ).toEqual([['duplicate-dependency', 'deploys[1].after[1]']]);
  });

  it('is a cycle, shown as its shortest path', () => {
    const [problem] = graphProblems(releaseOf('a, b <- a, c <- b, a <- c, d <- c, c <- d'));
    expect(problem).toMatchObject({ code: 'cycle', path: 'deploys[2].after[1]' });
    expect(problem?.message).toContain('c -> d -> c');
  });

  it('is a cycle that closes through the id of an inner deploy', () => {
    const release = releaseOf('db <- api', { descriptors: { api: { id: 'api-7' }, db: { after: ['api-7'] } } });
    const [problem] = graphProblems(release);
    expect(problem).toMatchObject({ code: 'cycle', path: 'deploys[0].descriptor.after[0]' });
    expect(problem?.message).toContain('db -> api -> db');
  });

  it('is a ring as long as the limit, as a cycle and no overflow', () => {
    expect(lines(releaseOf(chain(500, true)))).toEqual([['cycle', 'deploys[0].after[0]']]);
  });

  it('is one deploy more than allowed, with both numbers', () => {
    const [problem, ...others] = graphProblems(releaseOf(chain(501)));
    expect(problem).toMatchObject({ code: 'too-many-deploys', path: 'deploys' });
    expect(problem?.message).toBe('the release has 501 deploys; at most 500 are allowed');
    expect(others).toEqual([]);
  });

  it('is more dependencies than allowed, each counted once', () => {
    const dense = Array.from({ length: 202 }, (_, at) => ({
      name: `d${at}`,
      after: Array.from({ length: at }, (_, before) => `d${before}`),
    }));
    expect(lines(releaseOf(dense))).toEqual([['too-many-edges', 'deploys']]);
    expect(graphProblems(releaseOf(dense))[0]?.message).toContain('20301');
    expect(lines(releaseOf(dense.slice(0, 200)))).toEqual([]);
  });

  it('is waiting for more deploys outside than allowed; ids of inner deploys do not count', () => {
    const ids = (count: number) => Array.from({ length: count }, (_, at) => `other-${at}`);
    const release = (count: number) =>
      releaseOf('db, api', { descriptors: { api: { after: [...ids(count), 'shop.db'] } } });
    expect(lines(release(20))).toEqual([]);
    expect(lines(release(21))).toEqual([['too-many-after', 'deploys[1].descriptor.after']]);
  });

  it('is a name that two deploys share', () => {
    const release = withDeploys(releaseOf('a, b'), ([a]) => [a, a]);
    expect(lines(release)).toEqual([['duplicate-name', 'deploys[1].name']]);
  });

  it.each<[string, Record<string, Record<string, unknown>>, string]>([
    ['two own ids', { a: { id: 'x' }, b: { id: 'x' } }, 'deploys[1].descriptor.id'],
    ['an own id and a derived one', { b: { id: 'shop.a' } }, 'deploys[1].descriptor.id'],
    ['an own id and that of a rollback', { b: { id: 'shop.rollback.a' } }, 'deploys[1].descriptor.id'],
  ])('is an id that two deploys would have: %s', (_, descriptors, path) => {
    expect(lines(releaseOf('a, b', { descriptors }))).toEqual([['duplicate-id', path]]);
  });

  it('is a name whose derived id is that of a rollback', () => {
    expect(lines(releaseOf('db, rollback.db'))).toEqual([['duplicate-id', 'deploys[1].name']]);
  });

  it('is an eager start of a sequence, whether said outright or come to', () => {
    expect(lines(releaseOf('a, b', { release: { start: 'eager' } }))).toEqual([['eager-sequential', 'start']]);
    expect(lines(releaseOf('a, b', { release: { start: 'eager', mode: 'sequential' } }))).toEqual([
      ['eager-sequential', 'start'],
    ]);
    expect(lines(releaseOf('a, b', { release: { start: 'eager', mode: 'dag' } }))).toEqual([]);
    expect(lines(releaseOf('a <- b', { release: { start: 'eager' } }))).toEqual([]);
  });

  it('is one mistake where a wrong name is all that makes a DAG of an eager release', () => {
    const release = releaseOf([{ name: 'api', after: ['db'] }], { release: { start: 'eager' } });
    expect(lines(release)).toEqual([['unknown-dependency', 'deploys[0].after[0]']]);
  });

  it('is a sequence that is declared against a dependency, and the pair is named', () => {
    const release = releaseOf(
      [
        { name: 'web', after: ['db'] },
        { name: 'db', after: [] },
      ],
      { release: { mode: 'sequential' } },
    );
    const [problem] = graphProblems(release);
    expect(problem).toMatchObject({ code: 'sequential-order', path: 'deploys[0].after[0]' });
    expect(problem?.message).toBe('"web" waits for "db", which mode: sequential would run after it');
  });

  it('is reported all at once, in the same words each time', () => {
    const release = releaseOf(
      [
        { name: 'a', after: ['b', 'nobody'] },
        { name: 'b', after: ['a', 'a'] },
        { name: 'c', after: ['c'] },
      ],
      { release: { start: 'eager', mode: 'sequential' }, descriptors: { c: { id: 'shop.a' } } },
    );
    expect(lines(release)).toEqual([
      ['eager-sequential', 'start'],
      ['duplicate-id', 'deploys[2].descriptor.id'],
      ['unknown-dependency', 'deploys[0].after[1]'],
      ['duplicate-dependency', 'deploys[1].after[1]'],
      ['self-dependency', 'deploys[2].after[0]'],
      ['cycle', 'deploys[0].after[0]'],
      ['sequential-order', 'deploys[0].after[0]'],
    ]);
    expect(graphProblems(release)).toEqual(graphProblems(structuredClone(release)));
  });
});
