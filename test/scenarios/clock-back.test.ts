/** The machine's clock is set back while things wait: what is written as an instant still comes at that instant, and once. */
import { expect, test } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { changeSchedule, submitSchedule } from '../../orchestration/schedules.ts';
import { Scenario } from './harness.ts';
import { deploy, release } from './sketch.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (ms: number) => new Date(Date.UTC(2026, 9, 1) + ms).toISOString();
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;
const startOf = (scenario: Scenario, id: string) =>
  scenario.history.find((entry) => entry.kind === 'job-started' && entry.token === `${id}/deploy`)?.at;

test('a deploy does not start before its instant, and starts then', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('d', { document: { schedule: { at: at(2 * HOUR) } } }));
  await scenario.to(HOUR + 50 * MINUTE);
  scenario.clock.turnBack(HOUR);
  await scenario.until(() => scenario.isEnded('d'));
  expect(await state(scenario, 'd')).toBe('SUCCESS');
  expect(startOf(scenario, 'd')).toBeGreaterThanOrEqual(2 * HOUR);
  expect(startOf(scenario, 'd')).toBeLessThan(2 * HOUR + 6 * MINUTE);
});

test('a deploy with an instant and dependencies waits for those no longer than afterTimeout, all the same', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('endless', { seconds: 'never', timeout: '30d' }));
  const document = { schedule: { at: at(2 * HOUR) } };
  await scenario.deploy(deploy('d', { after: ['endless'], afterTimeout: '10m', document }));
  await scenario.to(HOUR + 50 * MINUTE);
  scenario.clock.turnBack(HOUR);
  await scenario.to(6 * HOUR);
  expect(await state(scenario, 'd')).toBe('DEPENDENCY_FAILED');
  expect((await scenario.deployed('d')).status).toMatchObject({ failure: { code: 'after-timeout' } });
});

test('an approval expires, and holds what it lets go on', async () => {
  const scenario = await Scenario.open();
  await scenario.set({ kind: 'Environment', name: 'prod', approval: { expiresAfter: '2h' } });
  for (const id of ['a', 'b']) await scenario.deploy(deploy(id));
  await scenario.to(HOUR + 50 * MINUTE);
  scenario.clock.turnBack(HOUR);
  await scenario.to(HOUR + 30 * MINUTE);
  await scenario.approve('b', 'bob');
  await scenario.to(3 * HOUR);
  expect([await state(scenario, 'a'), await state(scenario, 'b')]).toEqual(['EXPIRED', 'SUCCESS']);
});

test('a freeze holds until its end, and who waits for it goes on then', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('first', { application: 'shop', seconds: 60 }));
  await scenario.deploy(deploy('d', { application: 'shop' }));
  const freezes = [{ from: at(30_000), to: at(2 * HOUR), reason: 'the sale' }];
  await scenario.set({ kind: 'Environment', name: 'prod', freezes });
  await scenario.to(HOUR + 50 * MINUTE);
  scenario.clock.turnBack(HOUR);
  await scenario.until(() => scenario.isEnded('d'));
  expect(startOf(scenario, 'd')).toBeGreaterThanOrEqual(2 * HOUR);
  expect(startOf(scenario, 'd')).toBeLessThan(2 * HOUR + 6 * MINUTE);
});

test('a schedule submits no time twice, also after it was paused and resumed', async () => {
  const scenario = await Scenario.open();
  const document = deploy('nightly', { document: { schedule: { cron: '0 * * * *', timezone: 'Europe/Rome' } } });
  await scenario.act(() => submitSchedule(scenario.ports, document, owner('ada'), () => 'x'));
  await scenario.to(2 * HOUR + 5 * MINUTE);
  scenario.clock.turnBack(90 * MINUTE);
  for (const to of ['paused', 'active'] as const) {
    await scenario.act(() => changeSchedule(scenario.ports, 'nightly', to, owner('ada')));
  }
  await scenario.to(HOUR + 30 * MINUTE);
  // What it has submitted for is not due again, sweep after sweep.
  const known = await scenario.store.schedules.read('nightly');
  expect(known?.nextAt).toBe(Date.parse(at(3 * HOUR)));
  await scenario.to(3 * HOUR + 5 * MINUTE);
  expect(scenario.started()).toEqual([1, 2, 3].map((hour) => `nightly.20261001t0${hour}0000z`));
  const rows = await scenario.store.audit.of({ pk: 'S#nightly', sk: 'HEAD' });
  expect(rows.filter(({ action }) => action === 'schedule.submitted')).toHaveLength(3);
});

test('a release ends, and no instant of it lies before the one that came before', async () => {
  const scenario = await Scenario.open();
  await scenario.submit(release('r', 'db; api <- db', { deploys: { db: { seconds: 600 } } }));
  await scenario.to(5 * MINUTE);
  scenario.clock.turnBack(4 * MINUTE);
  expect((await scenario.run('r')).status.state).toBe('SUCCESS');
  for (const id of ['r.db', 'r.api']) {
    const { status } = await scenario.deployed(id);
    if (status.state !== 'SUCCESS') throw new Error(status.state);
    expect(status.endedAt).toBeGreaterThanOrEqual(status.startedAt ?? 0);
  }
});

test('a deploy that ended before it had started, as the clock says, ends when it started', async () => {
  const scenario = await Scenario.open();
  await scenario.to(HOUR);
  await scenario.deploy(deploy('d', { seconds: 60 }));
  await scenario.to(HOUR + 30_000);
  scenario.clock.turnBack(30 * MINUTE);
  await scenario.restart();
  await scenario.until(() => scenario.isEnded('d'));
  const { status } = await scenario.deployed('d');
  if (status.state !== 'SUCCESS') throw new Error(status.state);
  expect(status.endedAt).toBeGreaterThanOrEqual(status.startedAt ?? 0);
});
