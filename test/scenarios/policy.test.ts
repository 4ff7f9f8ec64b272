import { describe, expect, test } from 'vitest';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy, release, type Sketch } from './sketch.ts';

const fails = { outcome: 'error', seconds: 1 } as const;
const takes = (seconds: number): Behaviour => ({ seconds });

async function run(graph: string, sketch: Sketch): Promise<Scenario> {
  const scenario = await Scenario.open();
  await scenario.submit(release('r', graph, sketch));
  await scenario.run('r');
  expect(await scenario.unfinished()).toEqual([]);
  return scenario;
}

describe('what a failure does to the others', () => {
  test.each<[string, string, Sketch, Record<string, string>]>([
    [
      'B06: a deploy that hangs ends in a timeout, what does not depend on it goes on',
      'cni; db; api <- db',
      { onFailure: 'continue', deploys: { cni: { seconds: 'never', timeout: '1m' } } },
      { cni: 'ERROR', db: 'SUCCESS', api: 'SUCCESS' },
    ],
    [
      'B08: what depends on it, through others too, is never started',
      'db; api <- db; web <- api; docs',
      { onFailure: 'continue', deploys: { db: fails } },
      { db: 'ERROR', api: 'DEPENDENCY_FAILED', web: 'DEPENDENCY_FAILED', docs: 'SUCCESS' },
    ],
    [
      'B09: what follows is cancelled at once',
      'first; second <- first',
      { deploys: { first: fails } },
      { first: 'ERROR', second: 'CANCELLED' },
    ],
    [
      'B15: a sibling that runs is not cut off, the next layer is cancelled',
      'api; worker; web <- api worker',
      { deploys: { api: fails, worker: takes(60) } },
      { api: 'ERROR', worker: 'SUCCESS', web: 'CANCELLED' },
    ],
    [
      'sequential order is no dependency: under continue the next one still runs',
      'one; two; three',
      { mode: 'sequential', onFailure: 'continue', deploys: { one: fails } },
      { one: 'ERROR', two: 'SUCCESS', three: 'SUCCESS' },
    ],
    [
      'sequential order stops at a failure',
      'one; two; three',
      { mode: 'sequential', deploys: { two: fails } },
      { one: 'SUCCESS', two: 'ERROR', three: 'CANCELLED' },
    ],
    [
      'eager: continue ends what depends on it and nothing else',
      'db; api <- db; web <- api; docs; site <- docs',
      { start: 'eager', onFailure: 'continue', deploys: { api: fails, docs: takes(20) } },
      { db: 'SUCCESS', api: 'ERROR', web: 'DEPENDENCY_FAILED', docs: 'SUCCESS', site: 'SUCCESS' },
    ],
  ])('%s (%s)', async (_, graph, sketch, expected) => {
    const scenario = await run(graph, sketch);
    expect(scenario.states('r')).toEqual(expected);
    expect((await scenario.release('r')).status.state).toBe('ERROR');
    const ran = Object.entries(expected).filter(([, state]) => state === 'SUCCESS' || state === 'ERROR');
    expect(scenario.started().sort()).toEqual(ran.map(([name]) => `r.${name}`).sort());
  });

  test('a sibling that waits for its turn is cancelled the moment the failure happens, not when its layer ends', async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('busy', 'worker', { deploys: { worker: { application: 'worker', seconds: 1000 } } }));
    await scenario.idle();
    await scenario.submit(release('r', 'api; worker', { mode: 'dag', deploys: { api: fails } }));
    await scenario.to(1_000);
    expect(scenario.states('r')).toEqual({ api: 'ERROR', worker: 'CANCELLED' });
    expect((await scenario.release('r')).status.state).toBe('ERROR');
  });

  test('a failed deploy is a FAILED execution whose error and cause a person can act on, and so is its release', async () => {
    const scenario = await run('db; api <- db', { deploys: { db: fails } });
    const { deployMachine } = scenario.ports;
    const described = (await scenario.engine.services[1]?.call('DescribeExecution', {
      executionArn: `${deployMachine.replace(':stateMachine:', ':execution:')}:r.db`,
    })) as { status: string; error: string; cause: string };
    expect(described).toMatchObject({
      status: 'FAILED',
      error: 'plugin-failed',
      cause: 'the deploy of db was told to fail',
    });
    expect(await scenario.releaseExecution('r')).toBe('FAILED');
    expect((await scenario.release('r')).status).toMatchObject({
      failure: { code: 'plugin-failed', message: 'r.db ERROR: the deploy of db was told to fail' },
    });
  });
});

describe('taking a release back', () => {
  /** Gives every name a version before. */
  async function withVersions(names: string, sketch: Sketch = {}): Promise<Scenario> {
    const scenario = await Scenario.open();
    await scenario.submit(release('v1', names, { mode: 'dag', ...sketch }));
    await scenario.run('v1');
    return scenario;
  }
  const FOUR = 'db; api <- db; web <- api; worker <- db';

  test('B38: web, api, db, one at a time, in the exact reverse order', async () => {
    const scenario = await withVersions('db; api; web; worker', {
      deploys: { db: takes(5), api: takes(5), web: takes(5) },
    });
    const from = scenario.history.length;
    await scenario.submit(
      release('r', FOUR, { onFailure: 'rollback', start: 'eager', deploys: { worker: { ...fails, seconds: 9 } } }),
    );
    await scenario.run('r');
    expect(scenario.states('r')).toEqual({
      db: 'SUCCESS',
      api: 'SUCCESS',
      web: 'SUCCESS',
      worker: 'ERROR',
      'rollback.web': 'SUCCESS',
      'rollback.api': 'SUCCESS',
      'rollback.db': 'SUCCESS',
    });
    const jobs = scenario.history
      .slice(from)
      .flatMap((e) => (e.kind === 'job-started' && e.token.includes('rollback') ? [[e.token, e.at]] : []));
    const first = jobs[0]?.[1] as number;
    expect(jobs).toEqual([
      ['r.rollback.web/deploy', first],
      ['r.rollback.api/deploy', first + 5_000],
      ['r.rollback.db/deploy', first + 10_000],
    ]);
    for (const name of ['db', 'api', 'web']) {
      const { artifact } =
        Object.values(await scenario.store.inventory.current({ application: name, environment: 'prod' }))[0] ?? {};
      expect(artifact?.version).toBe('v1');
    }
  });

  test('B40: it stops at the first rollback that does not succeed, and says all that went wrong', async () => {
    const scenario = await withVersions('db; api; web', { deploys: { api: { rollbackOutcome: 'error' } } });
    await scenario.submit(
      release('r', 'db; api <- db; web <- api', { onFailure: 'rollback', deploys: { web: fails } }),
    );
    const { status } = await scenario.run('r');
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'SUCCESS', web: 'ERROR', 'rollback.api': 'ERROR' });
    expect(status.state).toBe('ERROR');
    expect('failure' in status && status.failure?.message.split('\n')).toEqual([
      'r.web ERROR: the deploy of web was told to fail',
      'r.rollback.api ERROR: the rollback of api was told to fail',
    ]);
  });

  test('B42: a first deploy has no version to go back to: an error of its rollback, and a corrected release is accepted', async () => {
    const scenario = await run('db; api <- db', { onFailure: 'rollback', deploys: { api: fails } });
    expect((await scenario.deployed('r.rollback.db')).status).toMatchObject({
      state: 'ERROR',
      failure: { code: 'no-previous-version' },
    });
    expect((await scenario.release('r')).status.state).toBe('ERROR');
    await scenario.submit(release('r2', 'db; api <- db', { onFailure: 'rollback' }));
    expect((await scenario.run('r2')).status.state).toBe('SUCCESS');
  });

  test('B44: two failures in the same second are one rollback, and another release is not touched', async () => {
    const scenario = await withVersions('db');
    await scenario.submit(release('r2', 'other', { deploys: { other: takes(60) } }));
    await scenario.submit(
      release('r', 'db; api <- db; worker <- db', { onFailure: 'rollback', deploys: { api: fails, worker: fails } }),
    );
    await scenario.run('r2');
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'ERROR', worker: 'ERROR', 'rollback.db': 'SUCCESS' });
    expect(scenario.started().filter((token) => token.includes('rollback'))).toEqual(['r.rollback.db']);
    expect(scenario.states('r2')).toEqual({ other: 'SUCCESS' });
  });

  test('B46: after a rollback that failed the next release updates in place', async () => {
    const scenario = await withVersions('db', { deploys: { db: { rollbackOutcome: 'error' } } });
    await scenario.submit(release('r', 'db; api <- db', { onFailure: 'rollback', deploys: { api: fails } }));
    await scenario.run('r');
    expect(scenario.states('r')['rollback.db']).toBe('ERROR');
    await scenario.submit(release('r2', 'db'));
    expect((await scenario.run('r2')).status.state).toBe('SUCCESS');
    expect(scenario.world.started.map(({ operation }) => operation)).not.toContain('destroy');
  });

  test('a migration stops the sequence and says so', async () => {
    const scenario = await withVersions('db; api; web');
    await scenario.submit(
      release('r', 'db; api <- db; web <- api', {
        onFailure: 'rollback',
        deploys: { web: fails, api: { artifact: { type: 'migration' } } },
      }),
    );
    await scenario.run('r');
    expect(scenario.states('r')).toEqual({ db: 'SUCCESS', api: 'SUCCESS', web: 'ERROR', 'rollback.api': 'ERROR' });
    expect((await scenario.deployed('r.rollback.api')).status).toMatchObject({ failure: { code: 'irreversible' } });
  });

  test('what another deploy has gone over is not touched, and the sequence stops', async () => {
    const scenario = await withVersions('db; api');
    await scenario.submit(
      release('r', 'db; api <- db; web <- api', { onFailure: 'rollback', deploys: { web: { ...fails, seconds: 60 } } }),
    );
    await scenario.to(scenario.now() + 10_000);
    await scenario.submit(release('hotfix', 'api'));
    await scenario.run('r');
    expect(scenario.states('r')).toMatchObject({ 'rollback.api': 'ERROR' });
    expect(scenario.states('r')).not.toHaveProperty('rollback.db');
    expect((await scenario.deployed('r.rollback.api')).status).toMatchObject({ failure: { code: 'superseded' } });
  });

  test('two versions of one artifact in one release both go back', async () => {
    const scenario = await withVersions('db');
    const db = { application: 'db' };
    await scenario.submit(
      release('r', 'one; two <- one; bad <- two', { onFailure: 'rollback', deploys: { one: db, two: db, bad: fails } }),
    );
    await scenario.run('r');
    expect(scenario.states('r')).toMatchObject({ 'rollback.two': 'SUCCESS', 'rollback.one': 'SUCCESS' });
    const { db: current } = await scenario.store.inventory.current({ application: 'db', environment: 'prod' });
    expect(current?.artifact.version).toBe('v1');
  });

  test('a stranger that took the id of a rollback is not taken for it: nothing is said to be rolled back, nor cancelled', async () => {
    const scenario = await withVersions('db; api; web');
    await scenario.submit(
      release('r', 'db; api <- db; web <- api', { onFailure: 'rollback', deploys: { web: { ...fails, seconds: 60 } } }),
    );
    await scenario.to(scenario.now() + 10_000);
    await scenario.deploy(deploy('busy', { application: 'elsewhere', seconds: 600 }));
    await scenario.deploy(deploy('r.rollback.api', { application: 'elsewhere' }));
    const { status } = await scenario.run('r');
    expect(status.state).toBe('ERROR');
    expect('failure' in status && status.failure?.message.split('\n')).toEqual([
      'r.web ERROR: the deploy of web was told to fail',
      'the rollback of api could not be recorded: there is a deploy r.rollback.api already',
    ]);
    expect((await scenario.deployed('r.rollback.api')).status.state).toBe('SUCCESS');
    const { api: current } = await scenario.store.inventory.current({ application: 'api', environment: 'prod' });
    expect(current?.deploy).toBe('r.api');
  });

  test('a release whose rollback would have the id of a deploy that is there is refused', async () => {
    const scenario = await withVersions('web');
    await scenario.deploy(deploy('r.rollback.web', { application: 'elsewhere' }));
    const submitted = scenario.submit(release('r', 'web', { onFailure: 'rollback' }));
    await expect(submitted).rejects.toMatchObject({
      details: { problems: [{ code: 'id-taken', path: 'deploys[0]' }] },
    });
    expect((await scenario.submit(release('r', 'web'))).accepted).toBe(true);
  });

  test.each(['success', 'error'] as const)(
    'the own rollback of a failed deploy that ends in %s is told',
    async (rollbackOutcome) => {
      const scenario = await run('db', { deploys: { db: { ...fails, automatic: true, rollbackOutcome } } });
      const { status } = await scenario.deployed('r.db');
      expect(status).toMatchObject({
        state: 'ERROR',
        rolledBack: rollbackOutcome === 'success',
        failure: { code: 'plugin-failed' },
      });
      expect(scenario.started()).toEqual(['r.db', 'r.db/rollback']);
    },
  );

  test('a failed deploy does not leave its turn to one that its failure cancels', async () => {
    const shop = { application: 'shop', seconds: 10 };
    const scenario = await run('one; two', {
      mode: 'dag',
      onFailure: 'stop',
      deploys: { one: { ...shop, outcome: 'error' }, two: shop },
    });
    expect(scenario.states('r')).toMatchObject({ one: 'ERROR', two: 'CANCELLED' });
    expect(scenario.started()).toEqual(['r.one']);
  });

  test('the own rollback of a failed deploy puts back what stands there, as it was configured', async () => {
    const scenario = await Scenario.open();
    const standing = { outputs: { from: 'v1' } };
    await scenario.submit(release('v1', 'db', { deploys: { db: standing } }));
    await scenario.run('v1');
    await scenario.submit(
      release('r', 'db', { deploys: { db: { ...fails, automatic: true, outputs: { from: 'r' } } } }),
    );
    await scenario.run('r');
    const undoing = scenario.world.started.find(({ idempotencyToken }) => idempotencyToken === 'r.db/rollback');
    expect(undoing).toMatchObject({ operation: 'rollback', artifact: { version: 'v1' }, params: { OUT_from: 'v1' } });
  });

  test('a deploy that runs out of time is stopped, then taken back if it asks for that', async () => {
    const scenario = await run('db', { deploys: { db: { seconds: 'never', timeout: '30s', automatic: true } } });
    const { status } = await scenario.deployed('r.db');
    expect(status).toMatchObject({ state: 'ERROR', rolledBack: false });
    expect('failure' in status && status.failure).toMatchObject({ code: 'timeout' });
    expect(scenario.world.ended.map(({ token }) => token)).toEqual(['r.db/deploy', 'r.db/rollback']);
  });
});

describe('a token that somebody answered by hand', () => {
  test.each([
    ['deploy', 'RUNNING', takes(3_500), ['r.db/deploy error', 'r.db/rollback success']],
    ['rollback', 'ROLLING_BACK', { ...fails, seconds: 3_500 }, ['r.db/deploy error', 'r.db/rollback error']],
  ] as const)(
    'while the job of the %s runs: the job is stopped before the deploy ends',
    async (_, state, job, jobs) => {
      const scenario = await Scenario.open();
      await scenario.submit(release('r', 'db', { deploys: { db: { ...job, automatic: true } } }));
      await scenario.until(() => scenario.states('r').db === state);
      const token = (await scenario.store.deploys.read('r.db'))?.jobToken ?? '';
      expect(await scenario.act(() => scenario.ports.machines.succeed(token, {}))).toBe(true);
      await scenario.run('r');
      expect(scenario.states('r')).toEqual({ db: 'ERROR' });
      expect(scenario.world.ended.map(({ token, status }) => `${token} ${status}`)).toEqual(jobs);
    },
  );
});

describe('an execution that somebody started by hand', () => {
  const definition = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'Fail', States: { Fail: { Type: 'Fail' } } });

  test.each([
    ['r.db', { deploy: 'r.db', waits: false, afterTimeoutSeconds: 1, timeoutSeconds: 1, automaticRollback: false }],
    ['r', { release: 'r', attempt: 1, cursor: 0 }],
  ])('on another machine, as %s, takes nothing from the one that it resembles', async (name, input) => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r', 'db', { deploys: { db: takes(60) } }));
    await scenario.to(5_000);
    const { ports, engine } = scenario;
    const machine = await ports.machines.ensure('renga-by-hand', definition);
    await scenario.act(() => ports.machines.start(machine, name, input));
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
    expect(engine.invocations.get('execution-ended')).toBe(1);
    expect(scenario.reported).toEqual([`the execution ${name} of ${machine} is not one that renga started: undefined`]);
  });

  test.each(['null', '[]', '{"deploy": "nobody"}', '{"deploy": {}, "waits": "x"}'])(
    'with the input %s ends as a failure and changes nothing',
    async (text) => {
      const scenario = await Scenario.open();
      await scenario.act(() => scenario.ports.machines.start(scenario.ports.deployMachine, 'junk', JSON.parse(text)));
      await scenario.submit(release('r', 'db'));
      await scenario.run('r');
      await scenario.to(scenario.now() + 600_000);
      expect(await scenario.executionOf('junk')).toBe('FAILED');
      expect([...scenario.heads.keys()].sort()).toEqual(['deploy/r.db', 'release/r']);
      expect(await scenario.unfinished()).toEqual([]);
    },
  );
});
