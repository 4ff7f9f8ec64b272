/** Two people, or a person and the course of things, want something in the same moment. One of them decides; nothing hangs. */
import { describe, expect, test } from 'vitest';
import type { Actor } from '../../core/access/actor.ts';
import { owner } from '../../core/access/actor.ts';
import { promoteDeploy, rollBackDeploy } from '../../orchestration/go-back.ts';
import { changeSchedule, submitSchedule } from '../../orchestration/schedules.ts';
import { submitDeploy } from '../../orchestration/submit-deploy.ts';
import { keyOf, SettingsDocument } from '../../store/settings.ts';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy, release } from './sketch.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;
const current = async (scenario: Scenario, environment = 'prod') =>
  (await scenario.store.inventory.current({ application: 'shop', environment })).shop?.artifact.version;
const shop = (id: string, version: string, more: Behaviour = {}) =>
  deploy(id, { application: 'shop', version, ...more });

async function withTwoVersions(): Promise<Scenario> {
  const scenario = await Scenario.open();
  for (const version of ['1', '2']) {
    await scenario.deploy(shop(`v${version}`, version));
    await scenario.until(() => scenario.isEnded(`v${version}`));
  }
  return scenario;
}
const back = (scenario: Scenario, id: string, more: object = {}, newId = 'generated') =>
  scenario.act(() => rollBackDeploy(scenario.ports, id, owner('ada'), () => newId, more));
const allEnded = (scenario: Scenario) => async () => (await scenario.unfinished()).length === 0;

describe('a rollback by hand', () => {
  test('with an id is one, however often it is asked for, also when it has long been carried out', async () => {
    const scenario = await withTwoVersions();
    const both = await Promise.all([back(scenario, 'v2', { id: 'back' }), back(scenario, 'v2', { id: 'back' })]);
    expect(both.map(({ accepted }) => accepted).sort()).toEqual([false, true]);
    await scenario.until(() => scenario.isEnded('back'));
    expect(await current(scenario)).toBe('1');
    const again = await back(scenario, 'v2', { id: 'back' });
    expect([again.accepted, again.row.deploy.identity.id]).toEqual([false, 'back']);
    expect((await back(scenario, 'v2', { id: 'back', to: '1' })).accepted).toBe(false);
    expect(scenario.started()).toEqual(['v1', 'v2', 'back']);
  });

  test('whose id is that of another is refused', async () => {
    const scenario = await withTwoVersions();
    await expect(back(scenario, 'v2', { id: 'v1' })).rejects.toMatchObject({ code: 'id-taken' });
    await back(scenario, 'v2', { id: 'back' });
    await scenario.until(() => scenario.isEnded('back'));
    await scenario.deploy(shop('v3', '3'));
    await scenario.until(() => scenario.isEnded('v3'));
    await expect(back(scenario, 'v3', { id: 'back' })).rejects.toMatchObject({ code: 'id-taken' });
  });

  test('asked for twice without an id goes back once: what the second would take back is current no more', async () => {
    const scenario = await withTwoVersions();
    await Promise.all([back(scenario, 'v2', {}, 'b1'), back(scenario, 'v2', {}, 'b2')]);
    await scenario.until(allEnded(scenario));
    expect([await state(scenario, 'b1'), await state(scenario, 'b2')].sort()).toEqual(['ERROR', 'SUCCESS']);
    expect(await current(scenario)).toBe('1');
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ])('beside a submission that comes just %s it: what is current at the end is what came last', async (_, first) => {
    const scenario = await withTwoVersions();
    const acts = [() => scenario.deploy(shop('v3', '3')), () => back(scenario, 'v2', { id: 'back' })];
    if (first === 1) acts.reverse();
    await Promise.all(acts.map((act) => act()));
    await scenario.until(allEnded(scenario));
    const last = scenario.started().at(-1);
    const ends = { v3: await state(scenario, 'v3'), back: await state(scenario, 'back') };
    expect(ends.v3).toBe('SUCCESS');
    if (ends.back === 'ERROR') {
      expect((await scenario.deployed('back')).status).toMatchObject({ failure: { code: 'superseded' } });
      expect(scenario.started()).not.toContain('back');
    }
    expect([last, await current(scenario)]).toEqual(['v3', '3']);
  });

  test('while the next version is on its way stands behind it, and takes nothing back that is current no more', async () => {
    const scenario = await withTwoVersions();
    await scenario.deploy(shop('v3', '3', { seconds: 60 }));
    await scenario.to(scenario.now() + SECOND);
    await back(scenario, 'v2', { id: 'back' });
    await scenario.until(allEnded(scenario));
    expect((await scenario.deployed('back')).status).toMatchObject({ state: 'ERROR', failure: { code: 'superseded' } });
    expect(await current(scenario)).toBe('3');
  });
});

test('a promotion with an id is one, however often it is asked for, also later', async () => {
  const scenario = await withTwoVersions();
  const promote = () =>
    scenario.act(() => promoteDeploy(scenario.ports, 'v2', 'live', owner('ada'), () => 'x', { id: 'on' }));
  const both = await Promise.all([promote(), promote()]);
  expect(both.map(({ accepted }) => accepted).sort()).toEqual([false, true]);
  await scenario.until(() => scenario.isEnded('on'));
  expect((await promote()).accepted).toBe(false);
  // Also when the environment has changed since: what was submitted was submitted.
  await scenario.set({ kind: 'Environment', name: 'live', policy: { plugins: ['other'] } });
  expect((await promote()).accepted).toBe(false);
  expect(scenario.started()).toEqual(['v1', 'v2', 'on']);
});

describe('a schedule', () => {
  const hourly = () => deploy('hourly', { document: { schedule: { cron: '0 * * * *', timezone: 'UTC' } } });
  const scheduled = async () => {
    const scenario = await Scenario.open();
    await scenario.act(() => submitSchedule(scenario.ports, hourly(), owner('ada'), () => 'x'));
    return scenario;
  };
  const change = (scenario: Scenario, to: 'active' | 'paused' | 'deleted') =>
    scenario.act(() => changeSchedule(scenario.ports, 'hourly', to, owner('ada')));

  test.each(['paused', 'deleted'] as const)('that is %s while its run is being submitted stays so', async (to) => {
    for (let rounds = 0; rounds < 20; rounds += 4) {
      const scenario = await scheduled();
      await scenario.leap(HOUR - SECOND);
      scenario.at(HOUR, () =>
        scenario.act(async () => {
          // As many turns of the event loop after the sweep has begun.
          for (let round = 0; round < rounds; round += 1) await new Promise(setImmediate);
          await changeSchedule(scenario.ports, 'hourly', to, owner('ada'));
        }),
      );
      await scenario.to(HOUR + MINUTE);
      await scenario.leap(2 * HOUR);
      await scenario.to(2 * HOUR + MINUTE);
      const { state: now, nextAt } = (await scenario.store.schedules.read('hourly')) ?? {};
      expect([now, nextAt]).toEqual([to, undefined]);
      expect(scenario.started().length).toBeLessThanOrEqual(1);
      scenario.kill();
    }
  });

  test('that is deleted as an engine dies at any call of it submits nothing afterwards', async () => {
    for (let call = 1; call < 40; call += 3) {
      const scenario = await scheduled();
      await scenario.to(MINUTE);
      let died = false;
      scenario.life.dieAt(scenario.life.calls + call, () => (died = true));
      for (;;) {
        await Promise.race([change(scenario, 'deleted').catch(() => {}), scenario.life.died]);
        if (!scenario.isUp) await scenario.start();
        if ((await scenario.store.schedules.read('hourly'))?.state === 'deleted') break;
      }
      await scenario.leap(HOUR - SECOND);
      await scenario.to(HOUR + MINUTE);
      expect(scenario.started(), `killed at call ${call}`).toEqual([]);
      const actions = (await scenario.store.audit.of({ pk: 'S#hourly', sk: 'HEAD' })).map(({ action }) => action);
      expect(actions, `killed at call ${call}`).toEqual(['schedule.created', 'schedule.deleted']);
      scenario.kill();
      if (!died) break;
    }
  });
});

describe('rights that are taken away while something waits', () => {
  const eve: Actor = { subject: 'eve', kind: 'user', groups: ['shop'] };
  const access = (permissions: string[]) => ({
    kind: 'Access',
    name: 'shop',
    roles: { some: permissions },
    bindings: [{ role: 'some', subjects: ['group:shop'] }],
  });

  test('do not stop what was submitted while they were there', async () => {
    const scenario = await Scenario.open();
    await scenario.set(access(['deployment.read', 'deployment.submit']));
    await scenario.deploy(deploy('slow', { seconds: 600 }));
    await scenario.act(() => submitDeploy(scenario.ports, deploy('d', { after: ['slow'] }), eve, () => 'x'));
    await scenario.set(access(['deployment.cancel']));
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    await expect(
      scenario.act(() => submitDeploy(scenario.ports, deploy('e', { after: ['slow'] }), eve, () => 'x')),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('hold what is bound later: an expectation that begins where they may no more read is none for them', async () => {
    const scenario = await Scenario.open();
    await scenario.set(access(['deployment.read', 'deployment.submit']));
    const waits = deploy('d', { document: { after: [{ expect: { pipeline: 'ci', version: '1' } }] } });
    await scenario.act(() => submitDeploy(scenario.ports, waits, eve, () => 'x'));
    await scenario.set(access(['deployment.submit']));
    await scenario.event(
      { id: 'ci:1', pipeline: 'ci', application: 'infra', environment: 'prod', version: '1' },
      'Deploy Started',
      { source: 'ci' },
    );
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('DEPENDENCY_FAILED');
  });

  test('an approval that was given before counts, and one that comes after does not', async () => {
    const scenario = await Scenario.open();
    await scenario.set({ kind: 'Environment', name: 'prod', approval: { required: 2 } });
    await scenario.deploy(deploy('d'));
    await scenario.to(SECOND);
    await scenario.approve('d', 'bob');
    await scenario.set({ kind: 'Environment', name: 'prod', approval: { required: 5 } });
    await scenario.approve('d', 'eve');
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
  });
});

describe('documents of an environment that change under what is queued', () => {
  const prod = (more: object = {}) => ({ kind: 'Environment', name: 'prod', concurrency: 1, ...more });
  const queued = async () => {
    const scenario = await Scenario.open();
    await scenario.set(prod());
    await scenario.deploy(deploy('first', { seconds: 60 }));
    await scenario.deploy(deploy('d'));
    await scenario.to(SECOND);
    expect(await state(scenario, 'd')).toBe('ENQUEUED');
    return scenario;
  };

  test.each([
    ['a policy that refuses it', prod({ policy: { plugins: ['other'] } }), 'ERROR'],
    ['a promotion that it has not gone through', prod({ promotion: { from: 'staging' } }), 'ERROR'],
    ['an approval that was not asked for then', prod({ approval: {} }), 'SUCCESS'],
    ['no slots at all any more', { kind: 'Environment', name: 'prod' }, 'SUCCESS'],
    [
      'a configuration that it contradicts',
      { kind: 'EnvironmentConfig', application: 'd', environment: 'prod', params: { NAME: 'other' } },
      'ERROR',
    ],
  ])('%s: it ends, and its slot is free', async (_, document, ends) => {
    const scenario = await queued();
    await scenario.set(document);
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe(ends);
    await scenario.until(allEnded(scenario));
    expect(await scenario.store.slots.holders('prod')).toEqual([]);
    expect(await scenario.store.slots.line('prod')).toEqual([]);
  });
});

describe('an external deploy', () => {
  const start = (scenario: Scenario) =>
    scenario.event({ id: 'ci:1', pipeline: 'ci', application: 'infra', environment: 'prod' }, 'Deploy Started', {
      source: 'ci',
    });
  const conclude = (scenario: Scenario, end = 'SUCCESS') =>
    scenario.event({ id: 'ci:1', state: end }, 'Deploy Concluded', { source: 'ci' });

  test.each([
    ['cancelled', (scenario: Scenario) => scenario.cancelDeploy('ci:1')],
    ['approved', (scenario: Scenario) => scenario.approve('ci:1', 'bob')],
    ['rejected', (scenario: Scenario) => scenario.reject('ci:1', 'bob')],
    ['rolled back', (scenario: Scenario) => scenario.rollBack('ci:1')],
    ['promoted', (scenario: Scenario) => scenario.promote('ci:1', 'live')],
  ])('is never %s here, before, while and after it is concluded', async (_, act) => {
    const scenario = await Scenario.open();
    await start(scenario);
    await scenario.to(SECOND);
    await expect(act(scenario)).rejects.toMatchObject({ code: 'conflict' });
    const [, refused] = await Promise.allSettled([conclude(scenario), act(scenario)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    await scenario.to(2 * SECOND);
    expect(await state(scenario, 'ci:1')).toBe('SUCCESS');
    await expect(act(scenario)).rejects.toMatchObject({ code: 'conflict' });
    expect((await scenario.audit('ci:1')).map(({ action }) => action)).toEqual(['deploy.recorded', 'deploy.finish']);
  });
});

describe('an approval', () => {
  const asked = async () => {
    const scenario = await Scenario.open();
    await scenario.set({ kind: 'Environment', name: 'prod', approval: { expiresAfter: '1h' } });
    await scenario.deploy(deploy('d'));
    await scenario.to(SECOND);
    return scenario;
  };

  test.each(['approve', 'reject'] as const)('in the instant of its expiry, to %s, comes too late', async (what) => {
    const scenario = await asked();
    const { status } = await scenario.deployed('d');
    if (status.state !== 'AWAITING_APPROVAL') throw new Error(status.state);
    const answers: unknown[] = [];
    const since = status.expiresAt - Date.UTC(2026, 9, 1);
    scenario.at(since, () => scenario[what]('d', 'bob').catch((error: Error) => answers.push(error)));
    await scenario.to(since + SECOND);
    expect(answers).toMatchObject([{ code: 'conflict' }]);
    expect(await state(scenario, 'd')).toBe('EXPIRED');
    expect(scenario.started()).toEqual([]);
  });

  test('beside a cancel of its release ends both, and nothing starts that was cancelled', async () => {
    for (const order of [0, 1]) {
      const scenario = await Scenario.open();
      await scenario.set({ kind: 'Environment', name: 'prod', approval: {} });
      await scenario.submit(release('r', 'db; api <- db'));
      await scenario.to(SECOND);
      const acts = [() => scenario.approve('r.db', 'bob'), () => scenario.cancel('r')];
      if (order === 1) acts.reverse();
      await Promise.allSettled(acts.map((act) => act()));
      expect((await scenario.run('r')).status.state).toBe('CANCELLED');
      expect(scenario.states('r').api).toBe('CANCELLED');
      expect(scenario.started().length, scenario.story()).toBeLessThanOrEqual(1);
      scenario.kill();
    }
  });
});

describe('whoever changes a document and is cut off', () => {
  const documents = [
    { kind: 'Environment', name: 'prod', concurrency: 2 },
    { kind: 'Access', name: 'a', roles: { reader: ['deployment.read'] }, bindings: [] },
    { kind: 'EnvironmentConfig', application: 'shop', environment: 'prod', params: { A: '1' } },
  ] as const;

  test.each(documents)('at any call, of $kind, leaves what is in the audit as well', async (document) => {
    let deaths = 0;
    for (let call = 1; call < 60; call += document.kind === 'Environment' ? 4 : 1) {
      const scenario = await Scenario.open();
      await scenario.set({ ...document, ...(document.kind === 'Environment' && { concurrency: 1 }) });
      await scenario.deploy(deploy('first', { seconds: 600 }));
      await scenario.deploy(deploy('d'));
      await scenario.to(SECOND);
      let died = false;
      scenario.life.dieAt(scenario.life.calls + call, () => (died = true));
      const changed =
        document.kind === 'Environment' ? document : { ...document, bindings: undefined, params: undefined };
      const next = document.kind === 'Access' ? { ...document, roles: { reader: ['deployment.cancel'] } } : changed;
      await Promise.race([scenario.set(next).catch(() => {}), scenario.life.died]);
      if (!scenario.isUp) await scenario.start();
      await scenario.to(10 * SECOND);
      const key = keyOf(SettingsDocument.parse({ apiVersion: 'renga/v1', ...document }));
      const written = await scenario.store.settings.read(key);
      const rows = await scenario.store.audit.of(key);
      const own = rows.filter(({ to }) => to.startsWith(`${document.kind} `));
      expect(
        own.map(({ seq }) => seq),
        `killed at call ${call}`,
      ).toEqual(Array.from({ length: written?.seq ?? 0 }, (_, at) => at + 1));
      expect(await scenario.store.settings.pending(key), `killed at call ${call}`).toBeUndefined();
      // Who waits for a slot has one if there is one now.
      if (document.kind === 'Environment' && written?.seq === 2) {
        await scenario.to(20 * SECOND);
        expect(await state(scenario, 'd'), `killed at call ${call}`).toBe('SUCCESS');
      }
      scenario.kill();
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(2);
  });
});
