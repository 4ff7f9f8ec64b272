/** What other pipelines report, in any order, again and again, and cut off at any call. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { Envelope } from '../../bus/incoming.ts';
import { askService } from '../../orchestration/ask-service.ts';
import { Scenario } from './harness.ts';
import { deploy, release } from './sketch.ts';

const CI = 'com.example.ci';
const STARTED = {
  id: 'ci:infra:42',
  pipeline: 'ci:infra',
  application: 'infra',
  environment: 'prod',
  version: '3.1.0',
};
const HOUR = 3_600_000;
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;
const start = (scenario: Scenario, more: object = {}) =>
  scenario.event({ ...STARTED, ...more }, 'Deploy Started', { source: CI });
const conclude = (scenario: Scenario, more: object = {}) =>
  scenario.event({ id: STARTED.id, state: 'SUCCESS', ...more }, 'Deploy Concluded', { source: CI });
const expecting = (id: string, version = '3.1.0', more: object = {}) =>
  deploy(id, { document: { after: [{ expect: { pipeline: 'ci:infra', version } }], ...more } });
const refused = async (scenario: Scenario) =>
  (await scenario.inbox()).filter(({ outcome }) => outcome === 'refused').length;

describe('instants that a pipeline gives', () => {
  test('are those of its deploy, as far as they can be', async () => {
    const scenario = await Scenario.open();
    await scenario.to(10_000);
    await start(scenario, { at: '2026-10-01T02:00:04+02:00' });
    await scenario.to(20_000);
    await conclude(scenario, { at: '2026-10-01T00:00:15Z' });
    await scenario.to(30_000);
    const { status } = await scenario.deployed(STARTED.id);
    expect(status).toMatchObject({
      startedAt: Date.UTC(2026, 9, 1, 0, 0, 4),
      endedAt: Date.UTC(2026, 9, 1, 0, 0, 15),
    });
  });

  test('are neither in the future nor an end before the start', async () => {
    const scenario = await Scenario.open();
    await scenario.to(10_000);
    await start(scenario, { at: '2031-01-01T00:00:00Z' });
    await scenario.to(20_000);
    await conclude(scenario, { at: '1999-01-01T00:00:00Z' });
    await scenario.to(30_000);
    const { status } = await scenario.deployed(STARTED.id);
    const began = Date.UTC(2026, 9, 1, 0, 0, 10);
    expect(status).toMatchObject({ startedAt: began, endedAt: began });
  });

  test('are refused without an offset', async () => {
    const scenario = await Scenario.open();
    await start(scenario, { at: '2026-10-01T02:00:04' });
    await scenario.to(1_000);
    expect(await refused(scenario)).toBe(1);
  });
});

describe('numbers of reports (B22)', () => {
  test('an end that is older than the start changes nothing, before it and after it', async () => {
    const scenario = await Scenario.open();
    await conclude(scenario, { state: 'ERROR', seq: 2 });
    await scenario.to(1_000);
    await start(scenario, { seq: 5 });
    await scenario.to(2_000);
    expect(await state(scenario, STARTED.id)).toBe('RUNNING');
    await conclude(scenario, { state: 'ERROR', seq: 4 });
    await scenario.to(3_000);
    expect(await state(scenario, STARTED.id)).toBe('RUNNING');
    await conclude(scenario, { seq: 6 });
    await scenario.to(4_000);
    expect(await state(scenario, STARTED.id)).toBe('SUCCESS');
    expect(await refused(scenario)).toBe(0);
  });

  test('a start that is said again later makes ends before it old', async () => {
    const scenario = await Scenario.open();
    await start(scenario, { seq: 1 });
    await start(scenario, { seq: 5 });
    await scenario.to(1_000);
    await conclude(scenario, { state: 'ERROR', seq: 3 });
    await scenario.to(2_000);
    expect(await state(scenario, STARTED.id)).toBe('RUNNING');
  });

  test('of two ends that come before the start the newer counts, in either order', async () => {
    for (const order of [
      [2, 3],
      [3, 2],
    ]) {
      const scenario = await Scenario.open();
      for (const seq of order) {
        await conclude(scenario, { state: seq === 3 ? 'SUCCESS' : 'ERROR', seq });
        await scenario.to(scenario.now() + 1_000);
      }
      await start(scenario, { seq: 1 });
      await scenario.to(scenario.now() + 1_000);
      expect(await state(scenario, STARTED.id)).toBe('SUCCESS');
      scenario.kill();
    }
  });
});

describe('a report that is delivered twice', () => {
  test.each([
    ['Deploy Started', STARTED],
    ['Deploy Concluded', { id: STARTED.id, state: 'SUCCESS' }],
  ])('is listed once and stays what it was: %s', async (type, detail) => {
    const scenario = await Scenario.open();
    await scenario.event(detail, type, { source: CI, times: 3 });
    await scenario.event(detail, type, { source: CI, times: 2 });
    await scenario.to(1_000);
    expect((await scenario.inbox()).map(({ outcome }) => outcome)).toEqual(['accepted']);
  });

  test('is refused once', async () => {
    const scenario = await Scenario.open();
    await scenario.event({ id: STARTED.id }, 'Deploy Concluded', { source: CI, times: 2 });
    await scenario.event({ id: STARTED.id }, 'Deploy Concluded', { source: CI, times: 2 });
    await scenario.to(1_000);
    expect(await refused(scenario)).toBe(1);
    const told = scenario.published('Event Refused').map(({ event }) => event.detail);
    expect(told[0]).toMatchObject({ reason: { code: 'invalid-request' }, problems: [{ path: 'state' }] });
  });

  test('with exports that differ from the first ones changes none', async () => {
    const scenario = await Scenario.open();
    await start(scenario);
    await conclude(scenario, { exports: { host: 'first' } });
    await scenario.to(1_000);
    await conclude(scenario, { exports: { host: 'second' } });
    await scenario.to(2_000);
    expect(await scenario.store.deploys.exportsOf(STARTED.id)).toMatchObject({ host: { value: 'first' } });
  });
});

test('what was written in an event that is refused is in no event of ours', async () => {
  const scenario = await Scenario.open();
  await scenario.event({ ...STARTED, version: 's3cr3t value' }, 'Deploy Started', { source: CI });
  const document = { apiVersion: 'renga/v1', kind: 's3cr3t', application: 's3cr3t Value' };
  await scenario.event({ document }, 'Deploy Requested', { source: CI });
  const exports = { token: `s3cr3t${'\0'}` };
  await scenario.event({ id: 'x', state: 'SUCCESS', exports }, 'Deploy Concluded', { source: CI });
  await scenario.event({ id: 'x', state: 'SUCCESS', [`k${'x'.repeat(9_000)}`]: 1 }, 'Deploy Concluded', { source: CI });
  await scenario.to(1_000);
  const told = scenario.published('Event Refused');
  expect(told).toHaveLength(4);
  const text = JSON.stringify(told.map(({ event }) => event));
  expect(text).not.toContain('s3cr3t');
  expect(text.length).toBeLessThan(8_000);
});

test('the sample events do what they say', async () => {
  const scenario = await Scenario.open();
  await scenario.set(
    { kind: 'Pipeline', name: 'codepipeline:shop-infra', application: 'shop-infra', environment: 'prod' },
    { kind: 'Pipeline', name: 'codebuild:shop-migrations', application: 'shop-db', environment: 'prod' },
    { kind: 'Pipeline', name: 'stepfunctions:nightly-load', application: 'nightly', environment: 'prod' },
  );
  const names = [
    'deploy-requested',
    'deploy-started',
    'deploy-concluded',
    'deploy-concluded-error',
    'release-requested',
    'codepipeline-started',
    'codepipeline-succeeded',
    'codebuild-succeeded',
    'stepfunctions-succeeded',
  ];
  for (const name of names) {
    const event = Envelope.parse(JSON.parse(await readFile(`examples/events/${name}.json`, 'utf8')));
    const bus = event.source.startsWith('aws.') ? 'default' : 'renga';
    await scenario.event(event.detail as object as never, event['detail-type'], { source: event.source, bus });
    await scenario.to(scenario.now() + 1_000);
  }
  expect((await scenario.inbox()).map(({ outcome, about }) => `${outcome} ${about}`).reverse()).toEqual([
    'accepted shop-api-2.4.0-prod',
    'accepted ci:infra:42',
    'accepted ci:infra:42',
    'accepted ci:infra:43',
    'accepted shop-2026-10',
    'accepted codepipeline:shop-infra:6f1d3c52-8b1e-4f0a-9c57-2a4d1e0b7c11',
    'accepted codepipeline:shop-infra:6f1d3c52-8b1e-4f0a-9c57-2a4d1e0b7c11',
    'accepted codebuild:shop-migrations:3b7f2f0e-52d4-4d3c-8a8e-0f5f3d1c9a10',
    'accepted stepfunctions:nightly-load:2026-10-12',
  ]);
  const asked = scenario
    .published('Callback Requested')
    .map(({ event }) => (event.detail as { deploy: object }).deploy);
  expect(asked).toMatchObject([{ id: 'shop-api-2.4.0-prod' }, { id: 'shop-2026-10.api' }]);
});

describe('a version that becomes known later', () => {
  test('is that of the deploy, and whoever expects it is bound then', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(expecting('d'));
    await start(scenario, { version: undefined });
    await scenario.to(60_000);
    expect((await scenario.deployed(STARTED.id)).identity.artifact.version).toBe('unknown');
    await start(scenario);
    await conclude(scenario);
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect((await scenario.deployed(STARTED.id)).identity.artifact.version).toBe('3.1.0');
    const actions = (await scenario.audit(STARTED.id)).map(({ action }) => action);
    expect(actions).toEqual(['deploy.recorded', 'deploy.reported', 'deploy.finish']);
  });

  test('is not taken in the place of one that was said', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(expecting('d', '9.9.9'));
    await start(scenario);
    await start(scenario, { version: '9.9.9' });
    await conclude(scenario);
    await scenario.to(60_000);
    expect((await scenario.deployed(STARTED.id)).identity.artifact.version).toBe('3.1.0');
    expect(await state(scenario, 'd')).toBe('WAITING_DEPENDENCY');
  });
});

describe('a wait for what is expected', () => {
  test('stays with the first that begins, whatever comes later', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(expecting('d'));
    await start(scenario);
    await scenario.to(1_000);
    await start(scenario, { id: 'ci:infra:43' });
    await conclude(scenario, { id: 'ci:infra:43', state: 'ERROR' });
    await scenario.to(60_000);
    expect(await state(scenario, 'd')).toBe('WAITING_DEPENDENCY');
    await conclude(scenario);
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
  });

  test('fails with the first that begins, also when the next succeeds', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(expecting('d'));
    await start(scenario);
    await scenario.to(1_000);
    await start(scenario, { id: 'ci:infra:43' });
    await conclude(scenario, { id: 'ci:infra:43' });
    await conclude(scenario, { state: 'ERROR', message: 'no' });
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'DEPENDENCY_FAILED',
      failure: { message: `${STARTED.id} ended ERROR: no` },
    });
  });

  test('ends as if there were none where its submitter may not read what has begun', async () => {
    const scenario = await Scenario.open();
    const roles = { shop: ['deployment.read', 'deployment.submit'] };
    const binding = { role: 'shop', subjects: ['user:eve'], applications: ['d', 'e'], environments: ['prod'] };
    await scenario.set({ kind: 'Access', name: 'shop', roles, bindings: [binding] });
    await scenario.deploy(expecting('d'), 'eve');
    await scenario.deploy(expecting('e', '3.1.1'), 'eve');
    await start(scenario);
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'DEPENDENCY_FAILED',
      failure: { code: 'dependency-failed', message: 'expect:ci:infra@3.1.0, which it waits for, does not exist' },
    });
    const wider = { ...binding, applications: ['*'] };
    await scenario.set({ kind: 'Access', name: 'shop', roles, bindings: [wider] });
    await start(scenario, { id: 'ci:infra:44', version: '3.1.1' });
    await conclude(scenario, { id: 'ci:infra:44' });
    await scenario.until(() => scenario.isEnded('e'));
    expect(await state(scenario, 'e')).toBe('SUCCESS');
  });

  test('is under the rights of the pipeline that asked for the deploy by an event', async () => {
    const scenario = await Scenario.open();
    const document = expecting('d');
    await scenario.event({ document }, 'Deploy Requested', { source: CI });
    await scenario.to(1_000);
    expect((await scenario.deployed('d')).identity).toMatchObject({ submittedAs: 'pipeline' });
    await start(scenario);
    await conclude(scenario);
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
  });

  test('hears of a failure before the instant of its schedule', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(expecting('d', '3.1.0', { schedule: { at: '2026-10-02T00:00:00Z' } }));
    await scenario.to(60_000);
    expect(await state(scenario, 'd')).toBe('SCHEDULED');
    await start(scenario);
    await scenario.to(120_000);
    await conclude(scenario, { state: 'ERROR' });
    await scenario.to(121_000);
    expect(await state(scenario, 'd')).toBe('DEPENDENCY_FAILED');
  });

  test('of a release goes on like any other', async () => {
    const scenario = await Scenario.open();
    const after = [{ expect: { pipeline: 'ci:infra', version: '3.1.0' } }];
    await scenario.submit(release('r', 'a', { deploys: { a: { document: { after } } } }));
    await scenario.to(60_000);
    expect(scenario.states('r')).toEqual({ a: 'WAITING_DEPENDENCY' });
    await start(scenario);
    await conclude(scenario);
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
  });
});

describe('reports that are cut off at any call and delivered again', () => {
  const both = {
    'the start first': [start, conclude],
    'the end first': [conclude, start],
  } as const;

  test.each(Object.entries(both))(
    '%s: the deploy ends once, and nobody is forgotten',
    async (_, reports) => {
      for (let call = 1; call < 200; call++) {
        const scenario = await Scenario.open();
        await scenario.deploy(expecting('d'));
        await scenario.to(1_000);
        let died = false;
        scenario.life.dieAt(scenario.life.calls + call, () => {
          died = true;
        });
        for (const report of reports) {
          if (!scenario.isUp) break;
          await Promise.race([report(scenario), scenario.life.died]);
          await scenario.idle();
        }
        while (!scenario.isUp) await scenario.start();
        // The bus delivers again what it got no answer for; both may be among it.
        for (const report of reports) await report(scenario);
        await scenario.until(() => scenario.isEnded('d'));
        const where = `died at call ${call}`;
        expect(await state(scenario, 'd'), where).toBe('SUCCESS');
        expect(await state(scenario, STARTED.id), where).toBe('SUCCESS');
        const finished = (await scenario.audit(STARTED.id)).filter(({ action }) => action === 'deploy.finish');
        expect(finished, where).toHaveLength(1);
        await scenario.until(async () => (await scenario.unfinished()).length === 0);
        scenario.kill();
        if (!died) return;
      }
      throw new Error('it dies for ever');
    },
    120_000,
  );

  test('a start that nobody delivers again is followed by the sweep', async () => {
    for (let call = 1; call < 100; call++) {
      const scenario = await Scenario.open();
      await scenario.deploy(expecting('d'));
      await scenario.to(1_000);
      let died = false;
      scenario.life.dieAt(scenario.life.calls + call, () => {
        died = true;
      });
      await Promise.race([start(scenario), scenario.life.died]);
      await scenario.idle();
      while (!scenario.isUp) await scenario.start();
      await scenario.idle();
      // Cut off before it was recorded, it has not been heard at all.
      if ((await scenario.store.deploys.read(STARTED.id)) !== undefined) {
        await scenario.to(scenario.now() + 10_000);
        const bound = await scenario.store.deploys.boundOf('d', ['expect:ci:infra@3.1.0']);
        expect([...bound.values()], `died at call ${call}`).toEqual([STARTED.id]);
      }
      scenario.kill();
      if (!died) return;
    }
    throw new Error('it dies for ever');
  }, 120_000);
});

describe('a deploy of another pipeline that is overdue', () => {
  const NIGHTLY = { kind: 'Pipeline', name: 'stepfunctions:nightly', application: 'nightly', environment: 'prod' };
  const ID = 'stepfunctions:nightly:run-1';
  const TYPE = 'Step Functions Execution Status Change';
  const PASS = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'End', States: { End: { Type: 'Succeed' } } });
  const WAIT = JSON.stringify({
    QueryLanguage: 'JSONata',
    StartAt: 'Wait',
    States: { Wait: { Type: 'Wait', Seconds: 20 * 3_600, Next: 'End' }, End: { Type: 'Succeed' } },
  });
  const running = (scenario: Scenario, stateMachineArn: string, name = 'run-1') =>
    scenario.event({ stateMachineArn, name, status: 'RUNNING' }, TYPE, { source: 'aws.states', bus: 'default' });

  /** An execution of a machine that is not ours, whose start is heard and whose end is not. */
  async function heard(definition: string, document: object = NIGHTLY): Promise<Scenario> {
    const scenario = await Scenario.open();
    const arn = await scenario.act(() => scenario.ports.machines.ensure('nightly', definition));
    await scenario.act(() => scenario.ports.machines.start(arn, 'run-1', {}));
    await scenario.to(1_000);
    await scenario.set(document);
    await running(scenario, arn);
    await scenario.to(2_000);
    expect(await state(scenario, ID)).toBe('RUNNING');
    return scenario;
  }

  test('ends as Step Functions answers, and no earlier', async () => {
    const scenario = await heard(PASS);
    await scenario.to(2 * HOUR - 60_000);
    expect(await state(scenario, ID)).toBe('RUNNING');
    await scenario.to(2 * HOUR + 600_000);
    expect(await state(scenario, ID)).toBe('SUCCESS');
  });

  test('is asked about when its document says', async () => {
    const scenario = await heard(PASS, { ...NIGHTLY, overdueAfter: '10m' });
    await scenario.to(HOUR);
    expect(await state(scenario, ID)).toBe('SUCCESS');
  });

  test('goes on while Step Functions says that it runs', async () => {
    const scenario = await heard(WAIT);
    await scenario.to(5 * HOUR);
    expect(await state(scenario, ID)).toBe('RUNNING');
  });

  test.each([
    ['no run that anybody knows', 'stepfunctions:nightly:never'],
    ['a service that is not here', 'codepipeline:shop:1'],
    ['a pipeline that is none of AWS', 'ci:infra:42'],
  ])('stays unknown (I9): %s', async (_, id) => {
    const scenario = await Scenario.open();
    const pipeline = id.slice(0, id.lastIndexOf(':'));
    await start(scenario, { id, pipeline });
    if (!id.startsWith('ci:')) {
      await scenario.set({ ...NIGHTLY, name: pipeline });
    }
    await scenario.to(6 * HOUR);
    expect(await state(scenario, id)).toBe('RUNNING');
    expect(scenario.reported).toEqual([]);
  });

  test('ends as CodePipeline answers, where it can be asked', async () => {
    const scenario = await Scenario.open();
    await scenario.set({ ...NIGHTLY, name: 'codepipeline:shop-infra' });
    const detail = { pipeline: 'shop-infra', 'execution-id': 'e-1', state: 'STARTED' };
    const type = 'CodePipeline Pipeline Execution State Change';
    await scenario.event(detail, type, { source: 'aws.codepipeline', bus: 'default' });
    await scenario.to(1_000);
    const id = 'codepipeline:shop-infra:e-1';
    const ask = async (status: string | undefined) => {
      const ports = { ...scenario.ports, services: { codepipeline: async () => status } };
      await scenario.act(async () => askService(ports, await scenario.deployed(id)));
      return state(scenario, id);
    };
    expect(await ask(undefined)).toBe('RUNNING');
    expect(await ask('InProgress')).toBe('RUNNING');
    expect(await ask('Stopping')).toBe('RUNNING');
    expect(await ask('Stopped')).toBe('CANCELLED');
  });
});

describe('events of AWS that are not quite right', () => {
  const PIPELINE = { kind: 'Pipeline', name: 'codepipeline:shop-infra', application: 'infra', environment: 'prod' };
  const ID = 'codepipeline:shop-infra:e-1';
  const changed = (scenario: Scenario, more: object, status = 'STARTED') =>
    scenario.event(
      { pipeline: 'shop-infra', 'execution-id': 'e-1', state: status, ...more },
      'CodePipeline Pipeline Execution State Change',
      { source: 'aws.codepipeline', bus: 'default' },
    );

  test.each([
    ['no version where the document says', {}],
    ['a version that is none of ours', { 'execution-trigger': { 'commit-id': 'sha256:4c1b 0de9' } }],
    ['a version that is no text', { 'execution-trigger': { 'commit-id': 7 } }],
  ])('count without a version: %s', async (_, more) => {
    const scenario = await Scenario.open();
    await scenario.set({ ...PIPELINE, version: 'execution-trigger.commit-id' });
    await changed(scenario, more);
    await scenario.to(1_000);
    expect((await scenario.deployed(ID)).identity.artifact.version).toBe('unknown');
  });

  test('tell the version with a later one, as CodePipeline does', async () => {
    const scenario = await Scenario.open();
    await scenario.set({ ...PIPELINE, version: 'execution-trigger.commit-id' });
    const after = [{ expect: { pipeline: 'codepipeline:shop-infra', version: '4c1b0de9' } }];
    await scenario.deploy(deploy('d', { document: { after } }));
    await changed(scenario, { 'execution-trigger': { 'trigger-type': 'Webhook' } });
    await scenario.to(1_000);
    await changed(scenario, { 'execution-trigger': { 'commit-id': '4c1b0de9' } }, 'SUCCEEDED');
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect((await scenario.deployed(ID)).identity.artifact.version).toBe('4c1b0de9');
  });

  test('are refused with a run whose id is none', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PIPELINE);
    await changed(scenario, { 'execution-id': 'e 1' });
    await scenario.to(1_000);
    expect(await refused(scenario)).toBe(1);
  });

  test('are none of ours from another account than the document’s', async () => {
    const scenario = await Scenario.open();
    await scenario.set({ ...PIPELINE, account: '444455556666' });
    await changed(scenario, {});
    await scenario.to(1_000);
    expect(scenario.heads.size).toBe(0);
    expect(await scenario.inbox()).toEqual([]);
  });

  test('are not ended by who sends reports of their own', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PIPELINE);
    await changed(scenario, {});
    await scenario.to(1_000);
    await conclude(scenario, { id: ID, state: 'ERROR' });
    await scenario.to(2_000);
    expect(await state(scenario, ID)).toBe('RUNNING');
    expect(await refused(scenario)).toBe(1);
  });
});
