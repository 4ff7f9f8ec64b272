import { describe, expect, test } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { checkRelease } from '../../orchestration/check-release.ts';
import { Scenario } from './harness.ts';
import { release, type Sketch } from './sketch.ts';

/** Seconds at which each job of a release started, by name. */
function starts(scenario: Scenario, id: string): Record<string, number> {
  return Object.fromEntries(
    scenario.history.flatMap((entry) =>
      entry.kind === 'job-started' && entry.token.startsWith(`${id}.`)
        ? [[entry.token.slice(id.length + 1).replace('/deploy', ''), entry.at / 1000]]
        : [],
    ),
  );
}

const FOUR = 'db; cache; api <- db; web <- api';
const seconds = { db: { seconds: 10 }, cache: { seconds: 30 }, api: { seconds: 5 }, web: { seconds: 1 } };

describe('when each deploy starts', () => {
  test.each<[string, string, Sketch, Record<string, number>]>([
    ['a layer starts when the one before has ended', FOUR, {}, { db: 0, cache: 0, api: 30, web: 35 }],
    ['an eager deploy starts when its own have', FOUR, { start: 'eager' }, { db: 0, cache: 0, api: 10, web: 15 }],
    ['in sequential order one by one', FOUR, { mode: 'sequential' }, { db: 0, cache: 10, api: 40, web: 45 }],
    ['auto without arrows is sequential', 'db; cache; api', {}, { db: 0, cache: 10, api: 40 }],
    ['a graph without arrows is one layer', 'db; cache; api', { mode: 'dag' }, { db: 0, cache: 0, api: 0 }],
  ])('%s: %s', async (_, graph, sketch, expected) => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r', graph, { ...sketch, deploys: seconds }));
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
    expect(starts(scenario, 'r')).toEqual(expected);
  });

  test('one deploy at a time runs for one application and environment, first come, first served, over all releases', async () => {
    const scenario = await Scenario.open();
    const shop = { application: 'shop', seconds: 10 };
    await scenario.submit(release('one', 'api', { deploys: { api: shop } }));
    await scenario.idle();
    await scenario.submit(release('two', 'api', { deploys: { api: shop } }));
    await scenario.idle();
    await scenario.submit(
      release('three', 'api; staging; other', {
        mode: 'dag',
        deploys: { api: shop, staging: { ...shop, environment: 'staging' }, other: { ...shop, tenant: 'other' } },
      }),
    );
    await scenario.run('three');
    expect(scenario.history.flatMap((e) => (e.kind === 'job-started' ? [`${e.at / 1000} ${e.token}`] : []))).toEqual([
      '0 one.api/deploy',
      '0 three.staging/deploy',
      '0 three.other/deploy',
      '10 two.api/deploy',
      '20 three.api/deploy',
    ]);
  });
});

describe('B04: a chain as long as a release may be', () => {
  const chain = (length: number, first = '') =>
    Array.from({ length }, (_, index) => `d${index}${index > 0 ? ` <- d${index - 1}` : first}`).join('; ');

  test('the longest is valid, one more is too many, and closed into a ring it is a cycle', async () => {
    const scenario = await Scenario.open();
    const codes = async (graph: string) =>
      (await checkRelease(scenario.ports, release('r', graph), owner('ada'))).map(({ code }) => code);
    expect(await codes(chain(500))).toEqual([]);
    expect(() => release('r', chain(501))).toThrow(/500/);
    expect(await codes(chain(500, ' <- d499'))).toEqual(['cycle']);
  });

  test('a chain of 40 runs one layer a deploy', { timeout: 120_000 }, async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r', chain(40)));
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
    expect(scenario.started()).toEqual(Array.from({ length: 40 }, (_, index) => `r.d${index}`));
  });
});

describe('a wake-up that is lost', () => {
  /** Nobody hears the first wake-up, as when whoever was about to act on it was killed. */
  async function deafOnce(): Promise<Scenario> {
    const scenario = await Scenario.open();
    let heard = 0;
    scenario.around = async (name, step) => (name === 'wake' && heard++ === 0 ? undefined : step());
    return scenario;
  }

  test('does not spoil the ones that come after it', async () => {
    const scenario = await deafOnce();
    const deploys = { db: { seconds: 10 }, api: { seconds: 400 } };
    await scenario.submit(release('r', 'db; api; web <- db api', { start: 'eager', deploys }));
    await scenario.run('r');
    expect(starts(scenario, 'r').web).toBe(400);
  });

  test('is made up for as soon as a killed engine is started again', async () => {
    const scenario = await deafOnce();
    await scenario.submit(release('r', 'db; web <- db', { start: 'eager', deploys: { db: { seconds: 1_000 } } }));
    await scenario.to(1_001_000);
    await scenario.restart();
    await scenario.run('r');
    expect(starts(scenario, 'r').web).toBe(1_001);
  });
});
