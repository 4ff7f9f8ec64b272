/** Instants and schedules where they meet crashes, sweeps beside each other, freezes, and people. */
import { expect, test } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { changeSchedule, readSchedule, runSchedule, submitSchedule } from '../../orchestration/schedules.ts';
import { sweep } from '../../orchestration/sweep.ts';
import { keys } from '../../store/schema.ts';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy } from './sketch.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The scenario's clock begins at 2026-10-01T00:00:00Z, which is 02:00 in Rome. */
const at = (ms: number) => new Date(Date.UTC(2026, 9, 1) + ms).toISOString();
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;
const ADA = owner('ada');
const FIRST = 'nightly.20261001t010000z';

/** Each night at 03:00 in Rome, 01:00 in UTC. */
async function nightly(more: Behaviour = {}): Promise<Scenario> {
  const scenario = await Scenario.open();
  const schedule = { cron: '0 3 * * *', timezone: 'Europe/Rome' };
  const document = deploy('nightly', { ...more, document: { ...more.document, schedule } });
  await scenario.act(() => submitSchedule(scenario.ports, document, ADA, () => 'x'));
  return scenario;
}
const seen = (scenario: Scenario) => readSchedule(scenario.ports, 'nightly', ADA);
const runs = (scenario: Scenario) =>
  [...scenario.heads.values()].filter(({ id }) => id.startsWith('nightly.')).map(({ id }) => id);
const actions = async (scenario: Scenario) =>
  (await scenario.store.audit.of(keys.schedule('nightly'))).map(({ action }) => action);

test('an instant is at most 90 days ahead, to the millisecond, and not behind', async () => {
  const scenario = await Scenario.open();
  const submit = (id: string, ms: number) => scenario.deploy(deploy(id, { document: { schedule: { at: at(ms) } } }));
  await expect(submit('late', 90 * DAY + 1)).rejects.toThrow();
  await expect(submit('past', -1)).rejects.toThrow();
  await submit('edge', 90 * DAY);
  await submit('now', 0);
  await scenario.to(SECOND);
  expect([await state(scenario, 'edge'), await state(scenario, 'now')]).toEqual(['SCHEDULED', 'SUCCESS']);
});

test('a scheduled deploy starts once at its instant, wherever an engine dies', async () => {
  let deaths = 0;
  for (let call = 1; call < 200; call += 7) {
    const scenario = await Scenario.open();
    let died = false;
    scenario.prepare = (life) => {
      if (!died) life.dieAt(life.calls + call, () => (died = true));
    };
    scenario.prepare(scenario.life);
    const document = deploy('d', { document: { schedule: { at: at(MINUTE) } } });
    while ((await scenario.store.deploys.read('d')) === undefined) {
      await Promise.race([scenario.deploy(document).catch(() => {}), scenario.life.died]);
      while (!scenario.isUp) await scenario.start();
    }
    await scenario.until(() => scenario.isEnded('d'));
    expect(scenario.started(), `killed at call ${call}`).toEqual(['d']);
    const begun = scenario.history.find(({ kind }) => kind === 'job-started');
    expect(begun?.at, `killed at call ${call}`).toBeGreaterThanOrEqual(MINUTE);
    expect(begun?.at, `killed at call ${call}`).toBeLessThan(MINUTE + 30 * SECOND);
    scenario.kill();
    if (!died) break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(3);
});

test('a scheduled deploy ends as soon as what it waits for fails, also when that wake-up is lost', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('bad', { seconds: 60, outcome: 'error' }));
  await scenario.deploy(deploy('d', { after: ['bad'], document: { schedule: { at: at(DAY) } } }));
  scenario.around = async (name, run) => (name === 'wake' ? undefined : run());
  await scenario.to(7 * MINUTE);
  expect(await state(scenario, 'd')).toBe('DEPENDENCY_FAILED');
});

test('a freeze at its instant leaves a scheduled deploy in line until it ends', async () => {
  const scenario = await Scenario.open();
  await scenario.set({
    kind: 'Environment',
    name: 'prod',
    freezes: [{ from: at(HOUR), to: at(2 * HOUR), reason: 'the sale' }],
  });
  await scenario.deploy(deploy('d', { document: { schedule: { at: at(HOUR + MINUTE) } } }));
  await scenario.to(HOUR + 2 * MINUTE);
  expect(await state(scenario, 'd')).toBe('ENQUEUED');
  await scenario.until(() => scenario.isEnded('d'));
  expect(scenario.now()).toBeGreaterThanOrEqual(2 * HOUR);
});

test('sweeps beside each other submit an instant once, and note it once', async () => {
  const scenario = await nightly();
  await scenario.leap(HOUR + SECOND);
  await scenario.act(() => Promise.all(Array.from({ length: 5 }, () => sweep(scenario.ports))));
  await scenario.to(HOUR + MINUTE);
  expect(runs(scenario)).toEqual([FIRST]);
  expect(scenario.started()).toEqual([FIRST]);
  expect(await actions(scenario)).toEqual(['schedule.created', 'schedule.submitted']);
});

test('a run goes in line behind the one before that still runs', async () => {
  const scenario = await nightly({ seconds: 30 * 3600, timeout: '2d' });
  await scenario.leap(HOUR);
  await scenario.to(HOUR + MINUTE);
  await scenario.leap(25 * HOUR);
  await scenario.to(25 * HOUR + MINUTE);
  const second = 'nightly.20261002t010000z';
  expect([await state(scenario, FIRST), await state(scenario, second)]).toEqual(['RUNNING', 'ENQUEUED']);
  await scenario.until(() => scenario.isEnded(FIRST));
  await scenario.to(scenario.now() + SECOND);
  expect(await state(scenario, second)).toBe('RUNNING');
});

test('somebody pauses a schedule in the moment of a run: it is noted, and none follows', async () => {
  const scenario = await nightly();
  await scenario.leap(HOUR - MINUTE);
  let paused = false;
  scenario.life.atCall = () => {
    if (!paused && runs(scenario).length > 0) {
      paused = true;
      void scenario.act(() => changeSchedule(scenario.ports, 'nightly', 'paused', ADA));
    }
    return 'go on';
  };
  await scenario.to(HOUR + MINUTE);
  expect(paused).toBe(true);
  const schedule = await seen(scenario);
  expect(schedule).toMatchObject({ state: 'paused', last: { deploy: FIRST } });
  expect(schedule.nextAt).toBeUndefined();
  expect((await actions(scenario)).sort()).toEqual(['schedule.created', 'schedule.paused', 'schedule.submitted']);
});

test('a run that a sweep had submitted before it was cut off counts, whatever was frozen since', async () => {
  const scenario = await nightly();
  await scenario.leap(HOUR - MINUTE);
  scenario.life.atCall = () => (runs(scenario).length > 0 ? 'die before' : 'go on');
  await scenario.until(() => runs(scenario).length > 0);
  while (!scenario.isUp) await scenario.start();
  await scenario.set({
    kind: 'Environment',
    name: 'prod',
    freezes: [{ from: at(0), to: at(DAY), reason: 'the sale' }],
  });
  await scenario.act(() => runSchedule(scenario.ports, 'nightly'));
  expect((await seen(scenario)).last).toEqual({ at: Date.UTC(2026, 9, 1, 1), deploy: FIRST });
});

test('a run is approved like any deploy, and the next one is not held up by one that waits for that', async () => {
  const scenario = await nightly();
  await scenario.set({ kind: 'Environment', name: 'prod', approval: { required: 1, expiresAfter: '30d' } });
  await scenario.leap(HOUR);
  await scenario.to(HOUR + MINUTE);
  await scenario.leap(25 * HOUR);
  await scenario.to(25 * HOUR + MINUTE);
  const second = 'nightly.20261002t010000z';
  expect([await state(scenario, FIRST), await state(scenario, second)]).toEqual([
    'AWAITING_APPROVAL',
    'AWAITING_APPROVAL',
  ]);
  await expect(scenario.approve(second, 'ada')).rejects.toMatchObject({ code: 'forbidden' });
  await scenario.approve(second, 'bob');
  await scenario.until(() => scenario.isEnded(second));
  expect(await state(scenario, second)).toBe('SUCCESS');
});
