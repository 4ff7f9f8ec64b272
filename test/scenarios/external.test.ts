/** Deploys that other pipelines run: reported by events, waited for, imported from. */
import { describe, expect, test } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { concludeExternal, startExternal } from '../../orchestration/external.ts';
import { Scenario } from './harness.ts';
import { deploy } from './sketch.ts';

const STARTED = {
  id: 'ci:infra:42',
  pipeline: 'ci:infra',
  application: 'infra',
  environment: 'prod',
  version: '3.1.0',
};
const CI = 'com.example.ci';
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;

async function open(): Promise<Scenario> {
  return Scenario.open();
}

const start = (scenario: Scenario, more: object = {}, source = CI) =>
  scenario.event({ ...STARTED, ...more }, 'Deploy Started', { source });
const conclude = (scenario: Scenario, more: object = {}, source = CI) =>
  scenario.event({ id: STARTED.id, state: 'SUCCESS', ...more }, 'Deploy Concluded', { source });

describe('a deploy of another pipeline', () => {
  test('is waited for and imported from like any other', async () => {
    const scenario = await open();
    await start(scenario);
    await scenario.to(1_000);
    expect(await state(scenario, STARTED.id)).toBe('RUNNING');
    const imports = { infra: { deployment: STARTED.id } };
    const step = { paramsFrom: { HOST: { import: 'infra', export: 'host' } } };
    await scenario.deploy(deploy('d', { after: [STARTED.id], document: { imports, deploy: step } }));
    await scenario.to(10_000);
    expect(await state(scenario, 'd')).toBe('WAITING_DEPENDENCY');
    await conclude(scenario, { exports: { host: 'db.internal', vms: ['10.0.0.1', { host: '10.0.0.2', port: 22 }] } });
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect(scenario.world.started[0]?.params).toMatchObject({ HOST: 'db.internal' });
    expect(await scenario.store.deploys.exportsOf(STARTED.id)).toMatchObject({
      vms: { format: 'targets', targets: [{ host: '10.0.0.1' }, { host: '10.0.0.2', port: 22 }] },
    });
  });

  test.each([
    ['ERROR', 'it broke'],
    ['CANCELLED', 'somebody stopped it'],
  ])('that ends %s fails whoever waits for it', async (end, message) => {
    const scenario = await open();
    await start(scenario);
    await scenario.to(1_000);
    await scenario.deploy(deploy('d', { after: [STARTED.id] }));
    await conclude(scenario, { state: end, message });
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'DEPENDENCY_FAILED',
      failure: { message: `${STARTED.id} ended ${end}: ${message}` },
    });
  });

  test.each([
    [
      'start first',
      async (scenario: Scenario) => [await start(scenario), await scenario.to(1_000), await conclude(scenario)],
    ],
    [
      'end first',
      async (scenario: Scenario) => [await conclude(scenario), await scenario.to(1_000), await start(scenario)],
    ],
    ['both at once', (scenario: Scenario) => Promise.all([start(scenario), conclude(scenario)])],
    [
      'each three times',
      (scenario: Scenario) => Promise.all([1, 2, 3].flatMap(() => [conclude(scenario), start(scenario)])),
    ],
  ])('concludes once, whichever report comes first: %s', async (_, report) => {
    const scenario = await open();
    await report(scenario);
    await scenario.to(5_000);
    expect(await state(scenario, STARTED.id)).toBe('SUCCESS');
    const actions = (await scenario.audit(STARTED.id)).map(({ action }) => action);
    expect(actions).toEqual(['deploy.recorded', 'deploy.finish']);
  });

  test('is concluded by who started it alone', async () => {
    const scenario = await open();
    await start(scenario);
    await scenario.to(1_000);
    await conclude(scenario, { state: 'ERROR' }, 'com.example.stranger');
    await scenario.to(2_000);
    expect(await state(scenario, STARTED.id)).toBe('RUNNING');
    expect(await scenario.inbox()).toContainEqual(
      expect.objectContaining({ outcome: 'refused', type: 'Deploy Concluded' }),
    );
    await conclude(scenario);
    await scenario.to(3_000);
    expect(await state(scenario, STARTED.id)).toBe('SUCCESS');
  });

  test('that a stranger concluded before it started is not taken in', async () => {
    const scenario = await open();
    await conclude(scenario, { state: 'ERROR' }, 'com.example.stranger');
    await scenario.to(1_000);
    await start(scenario);
    await scenario.to(2_000);
    expect(await state(scenario, STARTED.id)).toBe('RUNNING');
  });

  test('keeps its end whatever comes later, also from a replay (B22, B28)', async () => {
    const scenario = await open();
    await start(scenario);
    await scenario.to(1_000);
    await conclude(scenario);
    await scenario.to(2_000);
    await conclude(scenario, { state: 'ERROR' });
    await start(scenario);
    await scenario.event({ id: STARTED.id, state: 'ERROR' }, 'Deploy Concluded', { source: CI, replay: 'last-month' });
    await scenario.to(5_000);
    expect(await state(scenario, STARTED.id)).toBe('SUCCESS');
  });

  test.each([
    ['a state that is null (B23)', 'Deploy Concluded', { id: STARTED.id, state: null }],
    ['no state at all (B23)', 'Deploy Concluded', { id: STARTED.id }],
    ['an unknown state', 'Deploy Concluded', { id: STARTED.id, state: 'DONE' }],
    ['an id with a space', 'Deploy Started', { ...STARTED, id: 'a b' }],
    ['an id that stands for what is expected', 'Deploy Started', { ...STARTED, id: 'expect:a@1' }],
    ['no application', 'Deploy Started', { ...STARTED, application: undefined }],
    ['a field that nobody knows', 'Deploy Started', { ...STARTED, applications: 'infra' }],
    [
      'an export that is too large',
      'Deploy Concluded',
      { id: STARTED.id, state: 'SUCCESS', exports: { x: 'a'.repeat(65_537) } },
    ],
    ['a document that is none', 'Release Requested', { document: { kind: 'Release' } }],
    [
      'a release where a deploy is asked for',
      'Deploy Requested',
      { document: { apiVersion: 'renga/v1', kind: 'Release', id: 'r', deploys: [] } },
    ],
  ])('is not known from an event with %s: that goes to the dead letters', async (_, type, detail) => {
    const scenario = await open();
    await scenario.event(detail, type, { source: CI });
    await scenario.to(5_000);
    expect(await scenario.inbox()).toEqual([expect.objectContaining({ outcome: 'refused', type })]);
    expect(scenario.published('Event Refused')).toHaveLength(1);
    expect(scenario.heads.size).toBe(0);
  });

  test('may not be started by who has no right to', async () => {
    const scenario = await open();
    const actor = { subject: '111122223333', kind: 'pipeline', groups: [] } as const;
    const reporter = { actor, owner: '111122223333/ci' };
    await expect(scenario.act(() => startExternal(scenario.ports, STARTED, reporter))).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await scenario.store.deploys.read(STARTED.id)).toBeUndefined();
  });

  test('does not take the id of a deploy of ours', async () => {
    const scenario = await open();
    await scenario.deploy(deploy('d', { seconds: 100 }));
    await start(scenario, { id: 'd' });
    await conclude(scenario, { id: 'd', state: 'ERROR' });
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect((await scenario.inbox()).map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
  });

  test('can be reported over HTTP, by one subject alone', async () => {
    const scenario = await open();
    const ada = { actor: owner('ada'), owner: 'user:ada' };
    await scenario.act(() => startExternal(scenario.ports, STARTED, ada));
    const stranger = { owner: 'user:eve' };
    const concluded = { id: STARTED.id, state: 'SUCCESS' } as const;
    await expect(scenario.act(() => concludeExternal(scenario.ports, concluded, stranger))).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await scenario.act(() => concludeExternal(scenario.ports, concluded, ada))).toBe('accepted');
    expect(await scenario.act(() => concludeExternal(scenario.ports, concluded, ada))).toBe('ignored');
  });
});

describe('a deploy that is expected', () => {
  const expecting = (more: object = {}) =>
    deploy('d', { document: { after: [{ expect: { pipeline: 'ci:infra', version: '3.1.0' } }] }, ...more });

  test('is waited for before it has started', async () => {
    const scenario = await open();
    await scenario.deploy(expecting());
    await scenario.to(60_000);
    expect(await state(scenario, 'd')).toBe('WAITING_DEPENDENCY');
    await start(scenario, { version: '3.0.9', id: 'ci:infra:41' });
    await conclude(scenario, { id: 'ci:infra:41' });
    await scenario.to(120_000);
    expect(await state(scenario, 'd')).toBe('WAITING_DEPENDENCY');
    await start(scenario);
    await scenario.to(121_000);
    expect(await state(scenario, 'd')).toBe('WAITING_DEPENDENCY');
    await conclude(scenario);
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect(scenario.now()).toBeLessThan(125_000);
    const finished = (await scenario.audit('d')).filter(({ action }) => action === 'after.finish');
    expect(finished).toHaveLength(1);
  });

  test('fails whoever waits when it fails', async () => {
    const scenario = await open();
    await scenario.deploy(expecting());
    await scenario.to(1_000);
    await start(scenario);
    await conclude(scenario, { state: 'ERROR', message: 'no' });
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('DEPENDENCY_FAILED');
  });

  test('fails whoever waits also when it had begun before it was waited for', async () => {
    const scenario = await open();
    await start(scenario);
    await scenario.to(10_000);
    await scenario.deploy(expecting());
    await scenario.to(20_000);
    await conclude(scenario, { state: 'ERROR' });
    await scenario.to(21_000);
    expect(await state(scenario, 'd')).toBe('DEPENDENCY_FAILED');
  });

  test('is the next one, where one has failed before', async () => {
    const scenario = await open();
    await start(scenario);
    await conclude(scenario, { state: 'ERROR' });
    await scenario.to(1_000);
    await scenario.deploy(expecting());
    await scenario.to(60_000);
    expect(await state(scenario, 'd')).toBe('WAITING_DEPENDENCY');
    await start(scenario, { id: 'ci:infra:43' });
    await conclude(scenario, { id: 'ci:infra:43' });
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
  });

  test('that has succeeded already lets it go straight on', async () => {
    const scenario = await open();
    await start(scenario);
    await conclude(scenario);
    await scenario.to(1_000);
    await scenario.deploy(expecting());
    await scenario.until(() => scenario.isEnded('d'));
    expect(scenario.now()).toBeLessThan(2_000);
  });

  test('that never comes ends the wait at its time', async () => {
    const scenario = await open();
    await scenario.deploy(expecting({ afterTimeout: '5m' }));
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'DEPENDENCY_FAILED',
      failure: { code: 'after-timeout', message: expect.stringContaining('expect:ci:infra@3.1.0') },
    });
  });
});

describe('pipelines of AWS', () => {
  const PIPELINE = {
    kind: 'Pipeline',
    name: 'codepipeline:shop-infra',
    application: 'infra',
    environment: 'prod',
    version: 'sourceRevisions[0].revisionId',
  };
  const codePipeline = (state: string) => ({
    pipeline: 'shop-infra',
    'execution-id': '01234567-0123-0123-0123-012345678901',
    state,
    version: 1,
    sourceRevisions: [{ revisionId: '3.1.0' }],
  });
  const ID = 'codepipeline:shop-infra:01234567-0123-0123-0123-012345678901';
  const TYPE = 'CodePipeline Pipeline Execution State Change';

  test('count as deploys where a document says which', async () => {
    const scenario = await open();
    await scenario.set(PIPELINE);
    await scenario.deploy(
      deploy('d', { document: { after: [{ expect: { pipeline: PIPELINE.name, version: '3.1.0' } }] } }),
    );
    await scenario.event(codePipeline('STARTED'), TYPE, { source: 'aws.codepipeline', bus: 'default' });
    await scenario.to(1_000);
    expect(await state(scenario, ID)).toBe('RUNNING');
    await scenario.event(codePipeline('SUCCEEDED'), TYPE, { source: 'aws.codepipeline', bus: 'default' });
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
  });

  test('that no document names are none of ours', async () => {
    const scenario = await open();
    await scenario.event(codePipeline('STARTED'), TYPE, { source: 'aws.codepipeline', bus: 'default' });
    await scenario.to(1_000);
    expect(scenario.heads.size).toBe(0);
    expect(await scenario.inbox()).toEqual([]);
  });

  test.each([
    ['FAILED', 'ERROR'],
    ['STOPPED', 'CANCELLED'],
    ['SUPERSEDED', 'CANCELLED'],
  ])('that end %s end %s, also when their start was lost', async (end, wanted) => {
    const scenario = await open();
    await scenario.set(PIPELINE);
    await scenario.event(codePipeline(end), TYPE, { source: 'aws.codepipeline', bus: 'default' });
    await scenario.to(1_000);
    expect(await state(scenario, ID)).toBe(wanted);
  });

  test('CodeBuild builds and executions of other machines as well', async () => {
    const scenario = await open();
    await scenario.set(
      { ...PIPELINE, name: 'codebuild:shop', version: undefined },
      { ...PIPELINE, name: 'stepfunctions:nightly', version: undefined, application: 'nightly' },
    );
    const build = {
      'project-name': 'shop',
      'build-id': 'arn:aws:codebuild:eu-south-1:0:build/shop:b-1',
      'build-status': 'SUCCEEDED',
    };
    await scenario.event(build, 'CodeBuild Build State Change', { source: 'aws.codebuild', bus: 'default' });
    const execution = {
      stateMachineArn: 'arn:aws:states:local-1:000000000000:stateMachine:nightly',
      name: 'run-1',
      status: 'FAILED',
    };
    await scenario.event(execution, 'Step Functions Execution Status Change', { source: 'aws.states', bus: 'default' });
    await scenario.to(1_000);
    expect(await state(scenario, 'codebuild:shop:b-1')).toBe('SUCCESS');
    expect(await state(scenario, 'stepfunctions:nightly:run-1')).toBe('ERROR');
  });
});

describe('submitting by events', () => {
  const document = {
    apiVersion: 'renga/v1',
    application: 'a',
    environment: 'prod',
    artifact: { type: 'application', name: 'a', version: '1' },
    deploy: { plugin: 'simulated' },
  };

  test('is one deploy, however often the event is delivered', async () => {
    const scenario = await open();
    await scenario.event({ document }, 'Deploy Requested', { source: CI, times: 3 });
    await scenario.to(5_000);
    expect(scenario.started()).toHaveLength(1);
    expect(scenario.heads.size).toBe(1);
  });

  test('takes a release by its id', async () => {
    const scenario = await open();
    const requested = {
      apiVersion: 'renga/v1',
      kind: 'Release',
      id: 'r',
      deploys: [{ name: 'a', descriptor: document }],
    };
    await scenario.event({ document: requested }, 'Release Requested', { source: CI });
    await scenario.run('r');
    await scenario.event({ document: requested }, 'Release Requested', { source: CI });
    await scenario.to(scenario.now() + 5_000);
    expect((await scenario.inbox()).map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'ignored']);
    expect((await scenario.release('r')).attempt.number).toBe(1);
  });
});
