/** What went wrong for people with other tools, by the number of its case, through the whole embedded engine. */
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { wakeStep } from '../../functions/wake.ts';
import { Scenario } from './harness.ts';
import { deploy, release, type Sketch } from './sketch.ts';

const fails = { outcome: 'error', seconds: 1 } as const;
const SECRET = 's3cr3t-Value';

async function run(graph: string, sketch: Sketch): Promise<Scenario> {
  const scenario = await Scenario.open();
  await scenario.submit(release('r', graph, sketch));
  await scenario.run('r');
  return scenario;
}

/** Everything that an engine keeps or shows: every item with its bodies unpacked, every history, event and report. */
async function everything(scenario: Scenario): Promise<string> {
  const [table, machines] = scenario.engine.services;
  const scanned = (await table?.call('Scan', { TableName: 'renga' })) as { Items: { bytes?: { B: string } }[] };
  const bodies = scanned.Items.flatMap(({ bytes }) =>
    bytes === undefined ? [] : [gunzipSync(Buffer.from(bytes.B, 'base64')).toString('utf8')],
  );
  return JSON.stringify([
    scanned.Items,
    bodies,
    await histories(scenario, machines),
    scenario.engine.events.events(),
    scenario.reported,
  ]);
}

async function histories(scenario: Scenario, machines = scenario.engine.services[1]) {
  const call = async <Answer>(operation: string, input: unknown) => (await machines?.call(operation, input)) as Answer;
  const { stateMachines } = await call<{ stateMachines: { stateMachineArn: string }[] }>('ListStateMachines', {});
  const found: { executionArn: string; events: unknown[] }[] = [];
  for (const { stateMachineArn } of stateMachines) {
    const list = await call<{ executions: { executionArn: string }[] }>('ListExecutions', { stateMachineArn });
    for (const { executionArn } of list.executions) {
      const history = await call<{ events: unknown[] }>('GetExecutionHistory', { executionArn, maxResults: 1000 });
      found.push({ executionArn, events: history.events });
    }
  }
  return found;
}

describe('events and waits', () => {
  test.each([
    ['before the wait is registered', 0.5, 2_000],
    ['after the wait is registered', 10, 0],
    ['in the same moment', 0, 0],
  ])('B12: the end of the dependency comes %s, and the wait resumes once', async (_, seconds, deafUntil) => {
    const scenario = await Scenario.open();
    scenario.around = async (name, step) => {
      if (name === 'await-dependencies' && scenario.now() < deafUntil) throw new Error('not yet');
      return step();
    };
    await Promise.all([
      scenario.submit(release('r', 'db; web <- db', { start: 'eager', deploys: { db: { seconds } } })),
      scenario.idle(),
    ]);
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
    expect(scenario.started()).toEqual(['r.db', 'r.web']);
    const actions = (await scenario.audit('r.web')).map(({ action }) => action);
    expect(actions.filter((action) => action === 'after.finish')).toHaveLength(1);
  });

  test('B22, B28: events that come late, in another order or from a replay change nothing and start nothing', async () => {
    const scenario = await run('db; api <- db', { deploys: { api: fails } });
    await scenario.retry('r');
    await scenario.run('r');
    const before = { heads: [...scenario.heads.values()], executions: (await histories(scenario)).length };
    const detail = {
      application: 'db',
      environment: 'prod',
      at: '2026-09-01T00:00:00.000Z',
      artifact: { type: 'application', name: 'db', version: 'r' },
    };
    for (const [state, seq] of [
      ['SUCCESS', 30],
      ['RUNNING', 2],
      ['ERROR', 1],
    ] as const) {
      await scenario.event({ ...detail, id: 'r.db', state, seq });
      await scenario.event({ id: 'r', attempt: 1, state, seq, at: detail.at }, 'Release State Changed');
    }
    await scenario.to(scenario.now() + 300_000);
    const after = { heads: [...scenario.heads.values()], executions: (await histories(scenario)).length };
    expect(after).toEqual(before);
  });

  test.each([{ id: 'db', state: null }, { id: 'db' }])('B23: the event %j ends no wait and is told', async (detail) => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('db', { seconds: 60 }));
    await scenario.deploy(deploy('web', { after: ['db'] }));
    await scenario.to(1_000);
    await scenario.act(() => wakeStep.run(scenario.ports, { detail }));
    expect((await scenario.deployed('web')).status.state).toBe('WAITING_DEPENDENCY');
    expect(scenario.reported).toEqual([expect.stringContaining('a malformed event about a deploy was dropped')]);
  });
});

describe('two at once', () => {
  test('B29: twenty submissions of one release are one release, and each of its deploys runs once', async () => {
    const scenario = await Scenario.open();
    const document = release('r', 'db; api <- db');
    const answers = await Promise.all(Array.from({ length: 20 }, () => scenario.submit(document)));
    expect(answers.filter(({ accepted }) => accepted)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.release.identity.id))).toEqual(new Set(['r']));
    await scenario.run('r');
    expect(scenario.started()).toEqual(['r.db', 'r.api']);
  });

  test.each([9_999, 10_000, 10_001])('B30: cancelled at %i ms of 10,000, it ends once', async (instant) => {
    const scenario = await Scenario.open();
    scenario.at(instant, () =>
      scenario.cancelDeploy('db').catch((error: Error) => expect(error.name).toBe('RengaError')),
    );
    await scenario.deploy(deploy('db', { seconds: 10 }));
    await scenario.to(60_000);
    const { state } = (await scenario.deployed('db')).status;
    const ends = (await scenario.audit('db')).filter(({ to }) => to === 'SUCCESS' || to === 'CANCELLED');
    expect(ends.map(({ to }) => to)).toEqual([state]);
    const current = Object.keys(await scenario.store.inventory.current({ application: 'db', environment: 'prod' }));
    expect(current).toEqual(state === 'SUCCESS' ? ['db'] : []);
  });
});

describe('B45: a rollback that is cut off', () => {
  async function inTheRollbackOfApi(): Promise<Scenario> {
    const scenario = await Scenario.open();
    const slow = { seconds: 10 };
    await scenario.submit(release('v1', 'db; api', { mode: 'dag', deploys: { db: slow, api: slow } }));
    await scenario.run('v1');
    const graph = 'db; api <- db; web <- api';
    await scenario.submit(release('r', graph, { onFailure: 'rollback', deploys: { web: fails } }));
    await scenario.until(() => scenario.states('r')['rollback.api'] === 'RUNNING');
    return scenario;
  }

  test('by a kill goes on, no step twice', async () => {
    const scenario = await inTheRollbackOfApi();
    await scenario.restart();
    expect((await scenario.run('r')).status.state).toBe('ERROR');
    expect(scenario.states('r')).toMatchObject({ 'rollback.api': 'SUCCESS', 'rollback.db': 'SUCCESS' });
    expect(scenario.started().filter((id) => id.includes('rollback'))).toEqual(['r.rollback.api', 'r.rollback.db']);
  });

  test('by a cancellation ends with the rollback that runs, and blocks nobody', async () => {
    const scenario = await inTheRollbackOfApi();
    await scenario.cancel('r');
    expect((await scenario.run('r')).status.state).toBe('CANCELLED');
    expect(scenario.states('r')).toMatchObject({ db: 'SUCCESS', 'rollback.api': 'SUCCESS' });
    expect(scenario.states('r')).not.toHaveProperty('rollback.db');
    await scenario.submit(release('r2', 'db; api <- db; web <- api'));
    expect((await scenario.run('r2')).status.state).toBe('SUCCESS');
  });
});

describe('exports', () => {
  test('B17: twenty deploys of a layer export 15 KiB each, and no execution carries any of it', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `d${at}`);
    const behaviour = {
      outputs: { value: 'x'.repeat(15 * 1024) },
      exports: { value: { from: 'deploy.value', pattern: 'x*' } },
    };
    const scenario = await run(`${names.join('; ')}; last <- ${names.join(' ')}`, {
      deploys: Object.fromEntries(names.map((name) => [name, behaviour])),
    });
    expect((await scenario.release('r')).status.state).toBe('SUCCESS');
    expect(await scenario.store.deploys.exportsOf('r.d7')).toEqual({
      value: { format: 'string', value: behaviour.outputs.value },
    });
    const sizes = (await histories(scenario)).flatMap(({ events }) =>
      events.map((event) => JSON.stringify(event).length),
    );
    expect(Math.max(...sizes)).toBeLessThan(8 * 1024);
  });

  test('B47: an export that is not produced fails its deploy by name, and whoever imports it is not started', async () => {
    const scenario = await run('db; api <- db', {
      onFailure: 'continue',
      deploys: { db: { exports: { db_host: { from: 'deploy.db_host', pattern: '[a-z.]+' } } } },
    });
    expect(scenario.states('r')).toEqual({ db: 'ERROR', api: 'DEPENDENCY_FAILED' });
    expect((await scenario.deployed('r.db')).status).toMatchObject({
      failure: { code: 'exports-invalid', message: expect.stringContaining('"db_host"') },
    });
    expect(scenario.started()).toEqual(['r.db']);
  });

  test.each([
    ['an output that is not declared', { db_host: { from: 'deploy.db_host', pattern: '[a-z.]+' } }, 'SUCCESS'],
    ['a value that does not match', { token: { from: 'deploy.db_password', pattern: '[0-9]+' } }, 'ERROR'],
  ])('B50: %s leaves no trace', async (_, exports, state) => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r', 'db', { deploys: { db: { seconds: 10, exports } } }));
    await scenario.to(5_000);
    const job = scenario.world.jobs.get('r.db/deploy');
    expect(job).toBeDefined();
    if (job !== undefined) {
      job.result = { status: 'success', outputs: { db_host: 'db.internal', db_password: SECRET } };
    }
    await scenario.run('r');
    expect(scenario.states('r')).toEqual({ db: state });
    const kept = await everything(scenario);
    expect(kept).not.toContain(SECRET);
    expect(kept.includes('db.internal')).toBe(state === 'SUCCESS');
  });
});
