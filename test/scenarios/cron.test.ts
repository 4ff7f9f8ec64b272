/** Deploys that are submitted again and again. */
import { expect, test } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { changeSchedule, readSchedule, submitSchedule } from '../../orchestration/schedules.ts';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy } from './sketch.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The scenario's clock begins at 2026-10-01T00:00:00Z, which is 02:00 in Rome. */
const nightly = (cron = '0 3 * * *', more: Behaviour = {}) =>
  deploy('nightly', { ...more, document: { ...more.document, schedule: { cron, timezone: 'Europe/Rome' } } });

async function scheduled(document = nightly()): Promise<Scenario> {
  const scenario = await Scenario.open();
  await scenario.act(() => submitSchedule(scenario.ports, document, owner('ada'), () => 'generated'));
  return scenario;
}
const deploys = (scenario: Scenario) => [...scenario.heads.values()].map(({ id }) => id);
const change = (scenario: Scenario, to: 'active' | 'paused' | 'deleted') =>
  scenario.act(() => changeSchedule(scenario.ports, 'nightly', to, owner('ada')));
const now = (scenario: Scenario) => readSchedule(scenario.ports, 'nightly', owner('ada'));

test('submits a deploy of its own each time, named by the instant in UTC', async () => {
  const scenario = await scheduled(nightly('0,30 3 * * *'));
  await scenario.to(2 * HOUR);
  expect(deploys(scenario)).toEqual(['nightly.20261001t010000z', 'nightly.20261001t013000z']);
  expect((await scenario.deployed('nightly.20261001t010000z')).status.state).toBe('SUCCESS');
  expect((await scenario.deployed('nightly.20261001t010000z')).identity).toMatchObject({
    schedule: 'nightly',
    submittedBy: 'ada',
  });
});

test('submits each once, whenever an engine dies', async () => {
  for (let call = 1; call < 120; call += 3) {
    const scenario = await scheduled();
    let died = false;
    await scenario.leap(HOUR - 20_000);
    scenario.prepare = (life) => {
      if (!died) life.dieAt(life.calls + call, () => (died = true));
    };
    scenario.prepare(scenario.life);
    await scenario.to(HOUR + 60_000);
    expect(scenario.started(), `killed at call ${call}`).toEqual(['nightly.20261001t010000z']);
    scenario.kill();
    if (!died) break;
  }
});

test('that missed several times while nothing ran makes up for the latest only', async () => {
  const scenario = await scheduled();
  await scenario.leap(3 * DAY);
  await scenario.to(3 * DAY + 10_000);
  expect(deploys(scenario)).toEqual(['nightly.20261003t010000z']);
});

test('is paused, goes on without what it missed, and is deleted', async () => {
  const scenario = await scheduled();
  await change(scenario, 'paused');
  await scenario.leap(2 * DAY);
  await scenario.to(2 * DAY + 10_000);
  expect(deploys(scenario)).toEqual([]);
  await change(scenario, 'active');
  await scenario.leap(3 * DAY);
  await scenario.to(3 * DAY + 10_000);
  expect(deploys(scenario)).toEqual(['nightly.20261003t010000z']);
  await change(scenario, 'deleted');
  await scenario.leap(5 * DAY);
  await scenario.to(5 * DAY + 10_000);
  expect(deploys(scenario)).toHaveLength(1);
  await expect(change(scenario, 'active')).rejects.toMatchObject({ code: 'conflict' });
});

test('that is refused once says why, and goes on', async () => {
  const scenario = await scheduled();
  await scenario.set({
    kind: 'Environment',
    name: 'prod',
    freezes: [{ from: '2026-10-01T00:00:00Z', to: '2026-10-01T12:00:00Z', reason: 'the sale' }],
  });
  await scenario.leap(2 * HOUR);
  await scenario.to(2 * HOUR + 10_000);
  expect((await now(scenario)).last?.refused?.message).toContain('the sale');
  await scenario.leap(2 * DAY);
  await scenario.to(2 * DAY + 10_000);
  expect(deploys(scenario)).toEqual(['nightly.20261002t010000z']);
  const rows = await scenario.store.audit.of({ pk: 'S#nightly', sk: 'HEAD' });
  expect(rows.map(({ action }) => action)).toEqual(['schedule.created', 'schedule.refused', 'schedule.submitted']);
});

test('submits with the rights that its submitter has by then', async () => {
  const scenario = await Scenario.open();
  const eve = { subject: 'eve', kind: 'user', groups: ['ops'] } as const;
  const access = {
    kind: 'Access',
    name: 'ops',
    roles: { all: ['deployment.read', 'deployment.submit'] },
    bindings: [{ role: 'all', subjects: ['group:ops'] }],
  };
  await scenario.set(access);
  await scenario.act(() => submitSchedule(scenario.ports, nightly(), eve, () => 'x'));
  await scenario.leap(DAY);
  await scenario.to(DAY + 10_000);
  expect(deploys(scenario)).toHaveLength(1);
  await scenario.set({ ...access, bindings: [] });
  await scenario.leap(2 * DAY);
  await scenario.to(2 * DAY + 10_000);
  expect(deploys(scenario)).toHaveLength(1);
  expect((await now(scenario)).last?.refused?.code).toBe('forbidden');
});

test('runs a time that a clock change skips at the first instant after it, and a repeated one once', async () => {
  const scenario = await scheduled(nightly('30 2 * * *'));
  // Rome's clocks go back on 25 October at 01:00Z, from 03:00 to 02:00: 02:30 comes twice.
  await scenario.leap(24 * DAY);
  await scenario.to(24 * DAY + 2 * HOUR);
  expect(deploys(scenario)).toEqual(['nightly.20261024t003000z', 'nightly.20261025t003000z']);
});

test('is one schedule, however often it is submitted, and its id is taken for other content', async () => {
  const scenario = await scheduled();
  const again = (document = nightly()) =>
    scenario.act(() => submitSchedule(scenario.ports, document, owner('ada'), () => 'x'));
  expect((await again()).accepted).toBe(false);
  await expect(again(nightly('0 4 * * *'))).rejects.toMatchObject({ code: 'id-taken' });
  await change(scenario, 'deleted');
  await expect(again()).rejects.toMatchObject({ code: 'id-taken' });
});
