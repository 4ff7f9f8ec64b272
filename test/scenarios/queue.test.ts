/** The slots of an environment where they meet the turn of a place, freezes, changes of its document, and crashes. */
import { expect, test } from 'vitest';
import { Scenario } from './harness.ts';
import { deploy, release } from './sketch.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The scenario's clock begins at 2026-10-01T00:00:00Z. */
const at = (ms: number) => new Date(Date.UTC(2026, 9, 1) + ms).toISOString();
const prod = (concurrency?: number, more: object = {}) => ({
  kind: 'Environment',
  name: 'prod',
  ...(concurrency !== undefined && { concurrency }),
  ...more,
});
const freeze = (from: number, to: number) => ({ freezes: [{ from: at(from), to: at(to), reason: 'the sale' }] });

const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;
/** When each job began, in seconds since the scenario did. */
const began = (scenario: Scenario) =>
  Object.fromEntries(
    scenario.history.flatMap((entry) =>
      entry.kind === 'job-started' ? [[entry.token.replace(/\/deploy$/, ''), Math.floor(entry.at / SECOND)]] : [],
    ),
  );
const allEnded = (scenario: Scenario, ...ids: string[]) => ids.every((id) => scenario.isEnded(id));

/** The most jobs that ran at once, rollbacks among them. */
function mostAtOnce(scenario: Scenario): number {
  const running = new Set<string>();
  let most = 0;
  for (const entry of scenario.history) {
    if (entry.kind === 'job-started') running.add(entry.token);
    if (entry.kind === 'job-ended') running.delete(entry.token);
    most = Math.max(most, running.size);
  }
  return most;
}

async function expectNoTrace(scenario: Scenario, where = ''): Promise<void> {
  expect(await scenario.store.slots.holders('prod'), where).toEqual([]);
  expect(await scenario.store.slots.line('prod'), where).toEqual([]);
}

test('an environment that comes to have slots counts what runs already', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('a', { seconds: 100 }));
  await scenario.deploy(deploy('b', { seconds: 200 }));
  await scenario.to(10 * SECOND);
  await scenario.set(prod(1));
  await scenario.deploy(deploy('c', { seconds: 10 }));
  await scenario.to(150 * SECOND);
  expect(await state(scenario, 'c')).toBe('ENQUEUED');
  await scenario.until(() => allEnded(scenario, 'a', 'b', 'c'));
  expect(began(scenario)).toEqual({ a: 0, b: 0, c: 200 });
  await expectNoTrace(scenario);
});

test('slots that come to deploys which already wait in one place are given in their order, and block nobody', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('first', { application: 'a', seconds: 100 }));
  await scenario.to(SECOND);
  // In one instant, so that nothing but the line of their place says who came first.
  for (const id of ['a1', 'a2', 'a3', 'a4']) await scenario.deploy(deploy(id, { application: 'a', seconds: 10 }));
  await scenario.to(2 * SECOND);
  await scenario.set(prod(2));
  await scenario.until(() => allEnded(scenario, 'a1', 'a2', 'a3', 'a4'));
  expect(scenario.started()).toEqual(['first', 'a1', 'a2', 'a3', 'a4']);
  expect(scenario.now()).toBeLessThan(3 * MINUTE);
  await expectNoTrace(scenario);
});

test('slots that come during a freeze block nobody when it ends', async () => {
  const scenario = await Scenario.open();
  await scenario.set(prod(undefined, freeze(30 * SECOND, HOUR)));
  await scenario.deploy(deploy('first', { application: 'a', seconds: 60 }));
  await scenario.to(SECOND);
  for (const id of ['a1', 'a2', 'a3']) await scenario.deploy(deploy(id, { application: 'a', seconds: 10 }));
  await scenario.to(10 * MINUTE);
  await scenario.set(prod(1, freeze(30 * SECOND, HOUR)));
  await scenario.until(() => allEnded(scenario, 'a1', 'a2', 'a3'));
  expect(scenario.started()).toEqual(['first', 'a1', 'a2', 'a3']);
  expect(scenario.now()).toBeLessThan(HOUR + MINUTE);
  await expectNoTrace(scenario);
});

test('who waited for a slot is not passed in its place when there are no slots any more', async () => {
  const scenario = await Scenario.open();
  await scenario.set(prod(1));
  await scenario.deploy(deploy('a1', { application: 'a', seconds: 100 }));
  await scenario.to(SECOND);
  for (const id of ['a2', 'a3']) {
    await scenario.deploy(deploy(id, { application: 'a', seconds: 10 }));
    await scenario.to(scenario.now() + SECOND);
  }
  await scenario.set(prod());
  await scenario.deploy(deploy('a4', { application: 'a', seconds: 10 }));
  await scenario.until(() => allEnded(scenario, 'a2', 'a3', 'a4'));
  expect(scenario.started()).toEqual(['a1', 'a2', 'a3', 'a4']);
  await expectNoTrace(scenario);
});

test('one at a time runs for a tenant, application and environment, whatever the slots; tenants run beside each other', async () => {
  for (const concurrency of [undefined, 3]) {
    const scenario = await Scenario.open();
    await scenario.set(prod(concurrency));
    for (const [id, tenant] of [
      ['a1', 'retail'],
      ['a2', 'retail'],
      ['b1', 'trade'],
      ['c1', undefined],
    ] as const) {
      await scenario.deploy(deploy(id, { application: 'shop', seconds: 60, ...(tenant !== undefined && { tenant }) }));
    }
    await scenario.until(() => allEnded(scenario, 'a1', 'a2', 'b1', 'c1'));
    expect(began(scenario), `concurrency ${concurrency}`).toEqual({ a1: 0, b1: 0, c1: 0, a2: 60 });
    scenario.kill();
  }
});

test('a slot that nobody gave on goes to the first in line as soon as anybody else looks', async () => {
  const scenario = await Scenario.open();
  await scenario.set(prod(1));
  await scenario.deploy(deploy('a', { seconds: 600 }));
  await scenario.to(SECOND);
  await scenario.deploy(deploy('b', { seconds: 10 }));
  await scenario.to(2 * MINUTE);
  // As if whoever was to pass it on had died just after taking it back.
  await scenario.store.slots.free('prod', new Set(['a']));
  const from = scenario.now();
  await scenario.deploy(deploy('c', { seconds: 10 }));
  await scenario.until(() => allEnded(scenario, 'b', 'c'));
  expect(began(scenario).b).toBe(from / SECOND);
  expect(began(scenario).c).toBe(from / SECOND + 10);
});

test('one that leaves the line of its place in a freeze leaves nobody behind it waiting', async () => {
  const scenario = await Scenario.open();
  await scenario.set(prod(undefined, freeze(30 * SECOND, HOUR)));
  await scenario.deploy(deploy('first', { application: 'a', seconds: 60 }));
  await scenario.to(SECOND);
  await scenario.submit(release('r', 'x', { deploys: { x: { application: 'a', seconds: 10 } } }));
  await scenario.to(2 * SECOND);
  await scenario.deploy(deploy('behind', { application: 'a', seconds: 10 }));
  await scenario.to(10 * MINUTE);
  await scenario.pause('r');
  await scenario.until(() => scenario.isEnded('behind'));
  expect(began(scenario).behind).toBeLessThan(3_600 + 10);
  await scenario.resume('r');
  await scenario.run('r');
  expect(scenario.states('r')).toEqual({ x: 'SUCCESS' });
});

test('two races for one slot at each call of the table: never both, never none', async () => {
  let deaths = 0;
  for (let call = 2; call < 400; call += 19) {
    const scenario = await Scenario.open();
    await scenario.set(prod(1));
    await scenario.deploy(deploy('before', { seconds: 20 }));
    await scenario.to(SECOND);
    let died = false;
    scenario.prepare = (life) => {
      if (!died) life.dieAt(life.calls + call, () => (died = true));
    };
    scenario.prepare(scenario.life);
    const submit = async (id: string) => {
      while ((await scenario.store.deploys.read(id)) === undefined) {
        await Promise.race([scenario.deploy(deploy(id, { seconds: 10 })).catch(() => {}), scenario.life.died]);
        while (!scenario.isUp) await scenario.start();
      }
    };
    await submit('a');
    await submit('b');
    await scenario.until(() => allEnded(scenario, 'before', 'a', 'b'));
    expect(mostAtOnce(scenario), `killed at call ${call}`).toBe(1);
    expect(scenario.started().sort(), `killed at call ${call}`).toEqual(['a', 'b', 'before']);
    await scenario.to(scenario.now() + 6 * MINUTE);
    await expectNoTrace(scenario, `killed at call ${call}`);
    scenario.kill();
    if (!died) break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(5);
});
