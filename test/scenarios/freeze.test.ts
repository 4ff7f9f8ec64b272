/** Freezes where they meet the recording of a release, retries, pauses, slots and changes of their document. */
import { expect, test } from 'vitest';
import { submitDeploy } from '../../orchestration/submit-deploy.ts';
import { Scenario } from './harness.ts';
import { deploy, release } from './sketch.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const at = (ms: number) => new Date(Date.UTC(2026, 9, 1) + ms).toISOString();
const frozen = (from: number, to: number, more: object = {}) => ({
  kind: 'Environment',
  name: 'prod',
  freezes: [{ from: at(from), to: at(to), reason: 'the sale' }],
  ...more,
});
const thawed = (more: object = {}) => ({ kind: 'Environment', name: 'prod', ...more });
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;
const began = (scenario: Scenario) =>
  Object.fromEntries(
    scenario.history.flatMap((entry) =>
      entry.kind === 'job-started' ? [[entry.token.replace(/\/deploy$/, ''), Math.floor(entry.at / SECOND)]] : [],
    ),
  );

test('that begins between two pages of a recording refuses the rest and cancels what was recorded', async () => {
  const scenario = await Scenario.open();
  const names = Array.from({ length: 150 }, (_, index) => `d${String(index).padStart(3, '0')}`);
  let pages = 0;
  scenario.around = async (name, run) => {
    if (name === 'record-deploys' && ++pages === 2) await scenario.set(frozen(-MINUTE, HOUR));
    return run();
  };
  await scenario.submit(release('r', names.join('; '), { mode: 'dag' }));
  const { status } = await scenario.run('r');
  expect(pages).toBeGreaterThan(1);
  expect(status).toMatchObject({ state: 'ERROR', failure: { code: 'recording-refused' } });
  expect(status.refused?.failure.message).toContain('the sale');
  expect(scenario.started()).toEqual([]);
  const states = scenario.states('r');
  const refused = names.filter((name) => states[name] === undefined);
  expect(refused).toEqual([status.refused?.name]);
  expect(new Set(Object.values(states))).toEqual(new Set(['CANCELLED']));
});

test('refuses the recording of a retry, and lets it in afterwards', async () => {
  const scenario = await Scenario.open();
  await scenario.submit(release('r', 'db; web <- db', { deploys: { web: { outcome: 'error' } } }));
  await scenario.run('r');
  await scenario.set(frozen(-MINUTE, HOUR));
  await scenario.retry('r');
  const { status } = await scenario.run('r');
  expect(status).toMatchObject({ state: 'ERROR', failure: { message: expect.stringContaining('the sale') } });
  expect(scenario.started()).toEqual(['r.db', 'r.web']);
  await scenario.to(HOUR + MINUTE);
  await scenario.retry('r');
  await scenario.run('r');
  expect(scenario.started()).toEqual(['r.db', 'r.web', 'r.web.r3']);
});

test('that is shortened lets what it held go on at its new end', async () => {
  const scenario = await Scenario.open();
  await scenario.set(frozen(MINUTE, 10 * HOUR));
  await scenario.deploy(deploy('first', { environment: 'dev', seconds: 300 }));
  await scenario.deploy(deploy('d', { after: ['first'] }));
  // Just after the sweep has looked at it, which it does every five minutes.
  await scenario.to(HOUR + SECOND);
  await scenario.set(frozen(MINUTE, HOUR + 10 * SECOND));
  await scenario.until(() => scenario.isEnded('d'));
  expect(began(scenario).d).toBeLessThan(3_600 + 20);
});

test('that comes over what waits for a slot keeps its place in line, and takes the slot of one that has not begun', async () => {
  const scenario = await Scenario.open();
  await scenario.set(frozen(MINUTE, HOUR, { concurrency: 1 }));
  await scenario.deploy(deploy('running', { seconds: 120 }));
  for (const id of ['a', 'b', 'c']) {
    await scenario.to(scenario.now() + SECOND);
    await scenario.deploy(deploy(id, { seconds: 10 }));
  }
  await scenario.to(10 * MINUTE);
  expect(await state(scenario, 'running')).toBe('SUCCESS');
  expect(await scenario.store.slots.holders('prod')).toEqual([]);
  expect((await scenario.store.slots.line('prod')).map((waiting) => waiting.deploy)).toEqual(['a', 'b', 'c']);
  await scenario.cancelDeploy('a');
  await scenario.until(() => scenario.isEnded('c'));
  expect(scenario.started()).toEqual(['running', 'b', 'c']);
  expect(began(scenario).b).toBeGreaterThanOrEqual(3_600);
  expect(began(scenario).c).toBeLessThan(3_600 + 30);
});

test('is passed by an override within the slots that there are', async () => {
  const scenario = await Scenario.open();
  await scenario.set(frozen(MINUTE, HOUR, { concurrency: 1 }));
  await scenario.deploy(deploy('running', { seconds: 300 }));
  await scenario.to(SECOND);
  await scenario.deploy(deploy('held'));
  await scenario.to(2 * MINUTE);
  await scenario.deploy(deploy('urgent', { document: { freezeOverride: 'incident 4711' } }));
  await scenario.to(4 * MINUTE);
  expect(await state(scenario, 'urgent')).toBe('ENQUEUED');
  await scenario.to(6 * MINUTE);
  expect([await state(scenario, 'urgent'), await state(scenario, 'held')]).toEqual(['SUCCESS', 'ENQUEUED']);
});

test('is overridden only by whoever may', async () => {
  const scenario = await Scenario.open();
  const eve = { subject: 'eve', kind: 'user', groups: [] } as const;
  const access = (...permissions: string[]) => ({
    kind: 'Access',
    name: 'eve',
    roles: { own: ['deployment.read', 'deployment.submit', ...permissions] },
    bindings: [{ role: 'own', subjects: ['user:eve'] }],
  });
  await scenario.set(frozen(-MINUTE, HOUR), access());
  const document = deploy('d', { document: { freezeOverride: 'incident 4711' } });
  const submit = () => scenario.act(() => submitDeploy(scenario.ports, document, eve, () => 'x'));
  await expect(submit()).rejects.toMatchObject({ code: 'forbidden' });
  await scenario.set(access('deployment.freeze-override'));
  await submit();
  await scenario.until(() => scenario.isEnded('d'));
  expect(await state(scenario, 'd')).toBe('SUCCESS');
});

test('holds a rollback by hand, and not those of a release', async () => {
  const scenario = await Scenario.open();
  for (const version of ['1', '2']) {
    await scenario.deploy(deploy(`v${version}`, { application: 'shop', version }));
    await scenario.until(() => scenario.isEnded(`v${version}`));
  }
  await scenario.set(frozen(-MINUTE, HOUR));
  await expect(scenario.rollBack('v2')).rejects.toMatchObject({
    details: { problems: [expect.objectContaining({ code: 'frozen' })] },
  });
  await scenario.to(HOUR + MINUTE);
  await scenario.rollBack('v2');
  await scenario.until(() => scenario.isEnded('v2-back'));
  expect(await state(scenario, 'v2-back')).toBe('SUCCESS');
});

test('holds a release that was accepted before it, which is cancelled, paused and resumed meanwhile as ever', async () => {
  const scenario = await Scenario.open();
  await scenario.submit(release('r1', 'a; b <- a', { deploys: { a: { seconds: 60 } } }));
  await scenario.submit(release('r2', 'c; d <- c', { deploys: { c: { seconds: 60 } } }));
  await scenario.to(10 * SECOND);
  await scenario.set(frozen(20 * SECOND, HOUR));
  await scenario.to(5 * MINUTE);
  expect(scenario.states('r1')).toEqual({ a: 'SUCCESS', b: 'ENQUEUED' });
  await scenario.pause('r1');
  await scenario.to(10 * MINUTE);
  await scenario.resume('r1');
  await scenario.cancel('r2');
  expect((await scenario.run('r2')).status.state).toBe('CANCELLED');
  expect((await scenario.run('r1')).status.state).toBe('SUCCESS');
  expect(began(scenario)['r1.b']).toBeGreaterThanOrEqual(3_600);
});

test('ends in order for all whom it held, wherever an engine dies', async () => {
  for (let call = 1; call < 200; call += 23) {
    const scenario = await Scenario.open();
    await scenario.set(frozen(30 * SECOND, 10 * MINUTE, { concurrency: 1 }));
    await scenario.deploy(deploy('running', { seconds: 60 }));
    for (const id of ['a', 'b']) {
      await scenario.to(scenario.now() + SECOND);
      await scenario.deploy(deploy(id, { seconds: 10 }));
    }
    await scenario.to(9 * MINUTE);
    let died = false;
    scenario.prepare = (life) => {
      if (!died) life.dieAt(life.calls + call, () => (died = true));
    };
    scenario.prepare(scenario.life);
    await scenario.until(() => scenario.isEnded('b'));
    expect(scenario.started(), `killed at call ${call}`).toEqual(['running', 'a', 'b']);
    expect(began(scenario).a, `killed at call ${call}`).toBeGreaterThanOrEqual(600);
    await scenario.to(scenario.now() + 6 * MINUTE);
    expect(await scenario.store.slots.holders('prod'), `killed at call ${call}`).toEqual([]);
    scenario.kill();
    if (!died) break;
  }
});

test('that is over lets everybody be deployed again, and leaves nothing in the queue', async () => {
  const scenario = await Scenario.open();
  await scenario.set(frozen(-MINUTE, MINUTE));
  await scenario.to(2 * MINUTE);
  await scenario.set(thawed({ concurrency: 1 }));
  await scenario.deploy(deploy('d'));
  await scenario.until(() => scenario.isEnded('d'));
  expect(await scenario.store.slots.line('prod')).toEqual([]);
});
