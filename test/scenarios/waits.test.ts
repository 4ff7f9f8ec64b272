import { describe, expect, test } from 'vitest';
import { Scenario } from './harness.ts';
import { deploy, release } from './sketch.ts';

const takes = (seconds: number) => ({ seconds });
const FIVE_MINUTES = 5 * 60_000;

describe('a deploy that waits for others', () => {
  /** `db` takes ten seconds, `api` waits for it. */
  async function apiAfterDb(db: Parameters<typeof deploy>[1] = takes(10)): Promise<Scenario> {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('db', db));
    await scenario.deploy(deploy('api', { after: ['db'], afterTimeout: '1m' }));
    await scenario.idle();
    return scenario;
  }
  const stateOf = (scenario: Scenario, id: string) => scenario.heads.get(`deploy/${id}`)?.state;

  test('starts in the instant in which the last of them has succeeded', async () => {
    const scenario = await apiAfterDb();
    expect(stateOf(scenario, 'api')).toBe('WAITING_DEPENDENCY');
    await scenario.to(10_000);
    expect(stateOf(scenario, 'api')).toBe('SUCCESS');
    expect((await scenario.audit('api')).map(({ action }) => action)).toEqual([
      'deploy.recorded',
      'after.finish',
      'deploy.started',
      'deploy.succeeded',
      'deploy.finish',
    ]);
  });

  test('ends when one of them fails, with the reason, and is never started', async () => {
    const scenario = await apiAfterDb({ seconds: 10, outcome: 'error' });
    await scenario.to(10_000);
    expect((await scenario.deployed('api')).status).toMatchObject({
      state: 'DEPENDENCY_FAILED',
      failure: { code: 'dependency-failed', message: expect.stringContaining('db') },
    });
    expect(scenario.started()).toEqual(['db']);
  });

  test('ends when it has waited for as long as it says', async () => {
    const scenario = await apiAfterDb(takes(300));
    await scenario.to(61_000);
    expect((await scenario.deployed('api')).status).toMatchObject({
      state: 'DEPENDENCY_FAILED',
      failure: { code: 'after-timeout', message: 'it waited 60 s for db' },
    });
    await scenario.to(310_000);
    expect(scenario.started()).toEqual(['db']);
    expect(await scenario.unfinished()).toEqual([]);
  });

  test('goes on when the last has succeeded in time, also if nobody heard of it', async () => {
    const scenario = await Scenario.open();
    scenario.around = async (name, run) => (name === 'wake' ? undefined : run());
    await scenario.deploy(deploy('db', takes(50)));
    await scenario.deploy(deploy('api', { after: ['db'], afterTimeout: '1m' }));
    await scenario.until(() => scenario.isEnded('api'));
    expect(stateOf(scenario, 'api')).toBe('SUCCESS');
    expect(scenario.now()).toBe(60_000);
  });

  test('is cancelled like any other', async () => {
    const scenario = await apiAfterDb();
    await scenario.cancelDeploy('api');
    await scenario.to(20_000);
    expect(stateOf(scenario, 'api')).toBe('CANCELLED');
    expect(await scenario.executionOf('api')).toBe('FAILED');
    expect(scenario.started()).toEqual(['db']);
  });

  test.each([
    ['is healed by the sweep when every event is lost', false],
    ['is healed by the sweep when the engine dies and every event is lost', true],
  ])('%s', async (_, dies) => {
    const scenario = await apiAfterDb();
    scenario.around = async (name, run) => (name === 'wake' || name === 'execution-ended' ? undefined : run());
    if (dies) await scenario.restart();
    await scenario.to(10_000 + FIVE_MINUTES);
    expect(stateOf(scenario, 'api')).toBe('SUCCESS');
    expect(scenario.started()).toEqual(['db', 'api']);
  });

  test('in a release, what waits for a deploy outside of it holds up nothing but its own layer', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('outside', takes(30)));
    await scenario.submit(release('r', 'a; b; c <- a', { deploys: { b: { after: ['outside'] } } }));
    await scenario.to(10_000);
    expect(scenario.states('r')).toEqual({ a: 'SUCCESS', b: 'WAITING_DEPENDENCY', c: 'WAITING_DEPENDENCY' });
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
  });
});

describe('B12: the event and the wait in every order', () => {
  test.each([
    ['the event first', 0, 10],
    ['the wait first', 10, 0],
    ['both together', 10, 10],
  ])('%s: the wait ends once', async (_, endsAt, waitsAt) => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('db', takes(endsAt === 0 ? 1 : endsAt)));
    scenario.at(waitsAt * 1000, () => scenario.deploy(deploy('api', { after: ['db'] })));
    await scenario.to(60_000);
    expect(scenario.heads.get('deploy/api')?.state).toBe('SUCCESS');
    expect(scenario.started()).toEqual(['db', 'api']);
    expect((await scenario.audit('api')).filter(({ action }) => action === 'after.finish')).toHaveLength(1);
  });
});

describe('events that say nothing new', () => {
  async function ended(): Promise<Scenario> {
    const scenario = await Scenario.open();
    await scenario.submit(release('r', 'db; api <- db', { start: 'eager', deploys: { db: takes(5) } }));
    await scenario.run('r');
    return scenario;
  }
  const about = (id: string, state: string, seq: number) => ({
    id,
    application: 'db',
    environment: 'prod',
    state,
    seq,
    at: '2026-09-01T00:00:00.000Z',
    artifact: { type: 'application', name: 'db', version: '1' },
  });

  test('B22: older events that come later change nothing', async () => {
    const scenario = await ended();
    const before = scenario.history.length;
    for (const [state, seq] of [
      ['SUCCESS', 3],
      ['RUNNING', 2],
      ['ENQUEUED', 1],
    ] as const) {
      await scenario.event(about('r.db', state, seq));
    }
    await scenario.to(scenario.now() + 60_000);
    expect(scenario.history.slice(before)).toEqual([]);
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'SUCCESS' });
  });

  test('B23: an event without a state, or whose state is null, ends no wait and is told as malformed', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('db', takes(30)));
    await scenario.deploy(deploy('api', { after: ['db'] }));
    const { state: _, ...without } = about('db', 'SUCCESS', 9);
    // The rule lets neither of them through; somebody may call the function all the same.
    const { wakeStep } = await import('../../functions/wake.ts');
    for (const detail of [{ ...without, state: null }, without]) {
      await scenario.event(detail);
      await scenario.act(() => wakeStep.run(scenario.ports, { detail }));
    }
    await scenario.to(10_000);
    expect(scenario.heads.get('deploy/api')?.state).toBe('WAITING_DEPENDENCY');
    expect(scenario.reported.filter((line) => line.includes('malformed'))).toHaveLength(2);
  });

  test('a success that is told but has not happened ends no wait', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('db', takes(30)));
    await scenario.deploy(deploy('api', { after: ['db'] }));
    await scenario.event(about('db', 'SUCCESS', 9));
    await scenario.to(10_000);
    expect(scenario.heads.get('deploy/api')?.state).toBe('WAITING_DEPENDENCY');
  });

  test('B28: a replay of a failure, after a retry that succeeded, starts nothing and takes nothing back', async () => {
    const scenario = await Scenario.open();
    let broken = true;
    scenario.around = async (name, run) => {
      if (broken && name === 'configure') throw new Error('not today');
      return run();
    };
    await scenario.submit(release('r', 'db', { onFailure: 'rollback' }));
    await scenario.run('r');
    expect(scenario.states('r')).toEqual({ db: 'ERROR' });
    const old = scenario.engine.events.events().filter(({ bus }) => bus === 'renga');
    broken = false;
    await scenario.retry('r');
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
    const before = scenario.history.length;
    for (const { event } of old) await scenario.event(event.detail as Record<string, unknown>, event['detail-type']);
    await scenario.to(scenario.now() + 60_000);
    expect(scenario.history.slice(before)).toEqual([]);
    expect((await scenario.release('r')).status.state).toBe('SUCCESS');
  });
});
