import { describe, expect, test } from 'vitest';
import { Scenario } from './harness.ts';
import { deploy, release, type Sketch } from './sketch.ts';

const takes = (seconds: number) => ({ seconds });
const fails = { outcome: 'error', seconds: 1 } as const;

async function begun(graph: string, sketch: Sketch = {}): Promise<Scenario> {
  const scenario = await Scenario.open();
  await scenario.submit(release('r', graph, sketch));
  await scenario.idle();
  return scenario;
}

/** `db` and `api` have a version v1; `api` takes ten seconds to go back; `web` fails after a second. */
async function goingBack(): Promise<Scenario> {
  const scenario = await Scenario.open();
  await scenario.submit(release('v1', 'db; api', { mode: 'dag', deploys: { api: takes(10) } }));
  await scenario.run('v1');
  await scenario.submit(release('r', 'db; api <- db; web <- api', { onFailure: 'rollback', deploys: { web: fails } }));
  await scenario.until(() => scenario.heads.get('deploy/r.rollback.api')?.state === 'RUNNING');
  return scenario;
}

async function over(scenario: Scenario, id = 'r'): Promise<string> {
  const { status } = await scenario.run(id);
  await scenario.to(scenario.now() + 30_000);
  expect(await scenario.unfinished()).toEqual([]);
  return status.state;
}

describe('cancelling a release', () => {
  test('what waits is cancelled, what runs is really stopped, what succeeded stays', async () => {
    const scenario = await begun('db; api <- db; web <- api', { deploys: { api: takes(60) } });
    await scenario.to(5_000);
    await scenario.cancel('r');
    expect(await over(scenario)).toBe('CANCELLED');
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'CANCELLED', web: 'CANCELLED' });
    expect(scenario.history.find((entry) => entry.kind === 'job-ended' && entry.token === 'r.api/deploy')?.at).toBe(
      5_000,
    );
  });

  test('before anything was recorded: nothing ever starts', async () => {
    const scenario = await Scenario.open();
    scenario.around = async (name, run) => {
      if (name === 'record-deploys') await scenario.cancel('r');
      return run();
    };
    await scenario.submit(release('r', 'db; api <- db'));
    expect(await over(scenario)).toBe('CANCELLED');
    expect(scenario.states('r')).toEqual({ db: 'CANCELLED', api: 'CANCELLED' });
    expect(scenario.started()).toEqual([]);
  });

  test('while a deploy waits for its turn: it leaves the line', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('holder', { application: 'db', seconds: 30 }));
    await scenario.submit(release('r', 'db'));
    await scenario.idle();
    await scenario.deploy(deploy('behind', { application: 'db' }));
    await scenario.cancel('r');
    expect(await over(scenario)).toBe('CANCELLED');
    await scenario.until(() => scenario.heads.get('deploy/behind')?.state === 'SUCCESS');
    expect(scenario.started()).toEqual(['holder', 'behind']);
  });

  test('B45: during a rollback the one that runs ends, no other starts, and the next release is not blocked', async () => {
    const scenario = await goingBack();
    await scenario.cancel('r');
    expect(await over(scenario)).toBe('CANCELLED');
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'SUCCESS', web: 'ERROR', 'rollback.api': 'SUCCESS' });
    await scenario.submit(release('next', 'db; api <- db'));
    expect((await scenario.run('next')).status.state).toBe('SUCCESS');
  });

  test('B45: a rollback whose engine is killed goes on, no step twice', async () => {
    const scenario = await goingBack();
    await scenario.restart();
    expect(await over(scenario)).toBe('ERROR');
    expect(scenario.states('r')).toMatchObject({ 'rollback.api': 'SUCCESS', 'rollback.db': 'SUCCESS' });
    const tokens = scenario.world.started.map(({ idempotencyToken }) => idempotencyToken);
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  test('twice is once, and after the end it is refused', async () => {
    const scenario = await begun('db', { deploys: { db: takes(10) } });
    await Promise.all([scenario.cancel('r'), scenario.cancel('r')]);
    expect(await over(scenario)).toBe('CANCELLED');
    await expect(scenario.cancel('r')).rejects.toMatchObject({ code: 'conflict' });
    await expect(scenario.cancel('nobody')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('B30: cancel and success in the same instant: one of the two, and once', async () => {
    const scenario = await begun('db; api <- db', { deploys: { db: takes(10), api: takes(10) } });
    scenario.around = async (name, run) => {
      if (name !== 'conclude-deploy' || scenario.now() !== 10_000) return run();
      return (await Promise.all([run(), scenario.cancel('r')]))[0];
    };
    expect(await over(scenario)).toBe('CANCELLED');
    expect(['SUCCESS', 'CANCELLED']).toContain(scenario.states('r').db);
    const ends = (await scenario.audit('r.db')).filter(({ to }) => ['SUCCESS', 'CANCELLED', 'ERROR'].includes(to));
    expect(ends).toHaveLength(1);
  });

  test('cancelling one deploy is a failure of its release', async () => {
    const scenario = await begun('db; api <- db', { deploys: { db: takes(10) } });
    await scenario.cancelDeploy('r.db');
    expect(await over(scenario)).toBe('ERROR');
    expect(scenario.states('r')).toEqual({ db: 'CANCELLED', api: 'CANCELLED' });
  });
});

describe('pausing a release', () => {
  test('what runs finishes, nothing new starts until it is resumed', async () => {
    const scenario = await begun('db; api <- db', { deploys: { db: takes(10) } });
    await scenario.pause('r');
    await scenario.to(100_000);
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'WAITING_DEPENDENCY' });
    await scenario.resume('r');
    expect(await over(scenario)).toBe('SUCCESS');
  });

  test('a rollback that runs ends, the next waits until it is resumed', async () => {
    const scenario = await goingBack();
    await scenario.pause('r');
    await scenario.to(scenario.now() + 100_000);
    expect(scenario.states('r')).toMatchObject({ 'rollback.api': 'SUCCESS', 'rollback.db': 'ENQUEUED' });
    await scenario.resume('r');
    expect(await over(scenario)).toBe('ERROR');
    expect(scenario.states('r')).toMatchObject({ 'rollback.db': 'SUCCESS' });
  });

  test('a release that is paused can be cancelled', async () => {
    const scenario = await begun('db; api <- db', { deploys: { db: takes(10) } });
    await scenario.pause('r');
    await scenario.to(20_000);
    await scenario.cancel('r');
    expect(await over(scenario)).toBe('CANCELLED');
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'CANCELLED' });
  });

  test('its place in line is not held up: another release passes', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('holder', { application: 'shop', seconds: 10 }));
    await scenario.submit(release('r', 'shop'));
    await scenario.idle();
    await scenario.pause('r');
    await scenario.submit(release('other', 'shop'));
    expect((await scenario.run('other')).status.state).toBe('SUCCESS');
    expect(scenario.states('r')).toEqual({ shop: 'ENQUEUED' });
    await scenario.resume('r');
    expect(await over(scenario)).toBe('SUCCESS');
    expect(scenario.started()).toEqual(['holder', 'other.shop', 'r.shop']);
  });
});

describe('trying a release again', () => {
  test('what succeeded stays, the rest are new deploys of the second attempt', async () => {
    const scenario = await Scenario.open();
    let broken = true;
    scenario.around = async (name, run) => {
      if (broken && name === 'configure' && scenario.heads.get('deploy/r.db')?.state === 'SUCCESS')
        throw new Error('no');
      return run();
    };
    await scenario.submit(release('r', 'db; api <- db; web <- api'));
    expect(await over(scenario)).toBe('ERROR');
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'ERROR', web: 'CANCELLED' });
    broken = false;
    await scenario.retry('r');
    expect(await over(scenario)).toBe('SUCCESS');
    expect(scenario.states('r')).toMatchObject({ db: 'SUCCESS', 'api.r2': 'SUCCESS', 'web.r2': 'SUCCESS' });
    expect(scenario.states('r')).not.toHaveProperty('db.r2');
    await expect(scenario.retry('r')).rejects.toMatchObject({ code: 'conflict' });
  });

  test('what was rolled back is deployed again', async () => {
    const scenario = await goingBack();
    expect(await over(scenario)).toBe('ERROR');
    await scenario.retry('r');
    expect(await over(scenario)).toBe('ERROR');
    expect(scenario.states('r')).toMatchObject({
      'db.r2': 'SUCCESS',
      'api.r2': 'SUCCESS',
      'web.r2': 'ERROR',
      'rollback.api.r2': 'SUCCESS',
      'rollback.db.r2': 'SUCCESS',
    });
  });

  test('refused when what would stay is no longer current', async () => {
    const scenario = await begun('db; api <- db', { deploys: { api: fails } });
    await scenario.run('r');
    await scenario.submit(release('hotfix', 'db'));
    await scenario.run('hotfix');
    await expect(scenario.retry('r')).rejects.toMatchObject({
      code: 'conflict',
      details: { problems: [{ code: 'superseded' }] },
    });
  });

  test('several at once are one attempt', async () => {
    const scenario = await begun('db', { deploys: { db: fails } });
    await scenario.run('r');
    const retried = await Promise.all(Array.from({ length: 5 }, () => scenario.retry('r')));
    expect(retried.filter(({ accepted }) => accepted)).toHaveLength(1);
    await over(scenario);
    expect((await scenario.release('r')).attempt.number).toBe(2);
    expect(scenario.started()).toEqual(['r.db', 'r.db.r2']);
  });

  test('refused while it runs', async () => {
    const scenario = await begun('db', { deploys: { db: takes(10) } });
    await expect(scenario.retry('r')).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('an execution that somebody stops', () => {
  test('of a deploy: it is lost, its job is stopped, its turn passes on, its release goes on without it', async () => {
    const scenario = await begun('db; docs; api <- db', {
      onFailure: 'continue',
      deploys: { db: takes(60), docs: takes(10) },
    });
    await scenario.deploy(deploy('next', { application: 'db' }));
    await scenario.stopDeployExecution('r.db');
    expect(await over(scenario)).toBe('ERROR');
    expect(scenario.states('r')).toEqual({ db: 'ERROR', docs: 'SUCCESS', api: 'DEPENDENCY_FAILED' });
    expect((await scenario.deployed('r.db')).status).toMatchObject({
      failure: { code: 'execution-lost', message: 'its execution is gone (stopped: by hand)' },
    });
    expect(scenario.heads.get('deploy/next')?.state).toBe('SUCCESS');
  });

  test('of a release: nothing new starts, what runs ends by itself, nobody rolls back', async () => {
    const scenario = await begun('db; api <- db; web <- api', { onFailure: 'rollback', deploys: { api: takes(60) } });
    await scenario.to(5_000);
    await scenario.stopReleaseExecution('r');
    expect(await over(scenario)).toBe('ERROR');
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'SUCCESS', web: 'CANCELLED' });
    expect((await scenario.release('r')).status).toMatchObject({ failure: { code: 'execution-lost' } });
  });

  test('is found by the sweep when no event tells', async () => {
    const scenario = await begun('db', { deploys: { db: takes(600) } });
    scenario.around = async (name, run) => (name === 'execution-ended' ? undefined : run());
    await scenario.stopDeployExecution('r.db');
    expect(await over(scenario)).toBe('ERROR');
    expect((await scenario.deployed('r.db')).status).toMatchObject({ failure: { code: 'execution-lost' } });
    expect(scenario.now()).toBeLessThan(10 * 60_000);
  });
});

describe('submitting', () => {
  test('B29: twenty at once are one release and one execution', async () => {
    const scenario = await Scenario.open();
    const document = release('r1', 'db; api <- db');
    const answers = await Promise.all(Array.from({ length: 20 }, () => scenario.submit(document)));
    expect(answers.filter(({ accepted }) => accepted)).toHaveLength(1);
    expect(new Set(answers.map(({ release }) => release.identity.id))).toEqual(new Set(['r1']));
    expect(await over(scenario, 'r1')).toBe('SUCCESS');
    expect(scenario.started()).toEqual(['r1.db', 'r1.api']);
    expect((await scenario.submit(document)).accepted).toBe(false);
    await expect(scenario.submit(release('r1', 'db'))).rejects.toMatchObject({ code: 'id-taken' });
  });

  test('a rollback behind a deploy that goes over its place finds itself superseded, and touches nothing', async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('v1', 'db; web <- db'));
    await scenario.run('v1');
    const from = scenario.now();
    await scenario.submit(
      release('r', 'db; web <- db', { onFailure: 'rollback', deploys: { web: { outcome: 'error', seconds: 10 } } }),
    );
    await scenario.to(from + 5_000);
    await scenario.deploy(deploy('over', { application: 'db', seconds: 30 }));
    expect(await over(scenario)).toBe('ERROR');
    expect((await scenario.deployed('over')).status.state).toBe('SUCCESS');
    expect((await scenario.deployed('r.rollback.db')).status).toMatchObject({
      state: 'ERROR',
      failure: { code: 'superseded', message: expect.stringContaining('over is current now') },
    });
    expect(scenario.started()).not.toContain('r.rollback.db');
    const { db } = await scenario.store.inventory.current({ application: 'db', environment: 'prod' });
    expect(db?.deploy).toBe('over');
  });

  test('a deploy whose id is taken meanwhile is refused when it is recorded', async () => {
    const scenario = await Scenario.open();
    scenario.around = async (name, run) => {
      if (name === 'record-deploys') await scenario.deploy(deploy('mine', { application: 'other' }));
      return run();
    };
    await scenario.submit(release('r', 'db; api <- db; web <- api', { deploys: { api: { id: 'mine' } } }));
    expect(await over(scenario)).toBe('ERROR');
    const { status } = await scenario.release('r');
    expect(status).toMatchObject({ failure: { code: 'recording-refused' }, refused: { name: 'api' } });
    expect(scenario.states('r')).toEqual({ db: 'CANCELLED', web: 'CANCELLED' });
    expect(scenario.started()).toEqual(['mine']);
  });

  test('B17: twenty deploys of one layer that export 15 KiB each: the state stays small', async () => {
    const scenario = await Scenario.open();
    const exporting = {
      exports: { blob: { from: 'deploy.blob', pattern: 'x*' } },
      outputs: { blob: 'x'.repeat(15 * 1024) },
    };
    const names = Array.from({ length: 20 }, (_, index) => `d${index}`);
    await scenario.submit(
      release('r', names.join('; '), {
        mode: 'dag',
        deploys: Object.fromEntries(names.map((name) => [name, exporting])),
      }),
    );
    expect(await over(scenario)).toBe('SUCCESS');
    expect((await scenario.store.deploys.exportsOf('r.d19')).blob).toHaveProperty('value.length', 15 * 1024);
  });
});
