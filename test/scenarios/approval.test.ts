/** Approvals where they meet releases, retries, roles, other documents, crashes, and people who decide at once. */
import { expect, test } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { approveDeploy } from '../../orchestration/approve.ts';
import { retryRelease } from '../../orchestration/retry-release.ts';
import { Scenario } from './harness.ts';
import { deploy, release } from './sketch.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const at = (ms: number) => new Date(Date.UTC(2026, 9, 1) + ms).toISOString();
const prod = (approval: object = {}) => ({ kind: 'Environment', name: 'prod', approval: { required: 1, ...approval } });
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;

async function asked(id = 'd', approval: object = {}): Promise<Scenario> {
  const scenario = await Scenario.open();
  await scenario.set(prod(approval));
  await scenario.deploy(deploy(id));
  await scenario.to(MINUTE);
  return scenario;
}

test('that is refused takes a release back where it says so, at once and as it would after a failure', async () => {
  const scenario = await Scenario.open();
  await scenario.submit(release('r1', 'db; api <- db; slow'));
  await scenario.run('r1');
  await scenario.set({ ...prod(), name: 'live' });
  const deploys = { gate: { environment: 'live' }, slow: { seconds: 300 } };
  await scenario.submit(
    release('r2', 'db; api <- db; gate <- db; slow', { onFailure: 'rollback', start: 'eager', deploys }),
  );
  await scenario.to(MINUTE);
  await scenario.reject('r2.gate', 'bob', 'not today');
  const { status } = await scenario.run('r2');
  expect(status).toMatchObject({ state: 'ERROR', failure: { message: expect.stringContaining('not today') } });
  expect(scenario.states('r2')).toMatchObject({ gate: 'REJECTED', slow: 'SUCCESS', 'rollback.db': 'SUCCESS' });
  // What ran when it was refused ended by itself, and only then did the release go back.
  const backwards = scenario.started().filter((id) => id.startsWith('r2.rollback.'));
  expect(backwards).toEqual(['r2.rollback.api', 'r2.rollback.slow', 'r2.rollback.db']);
});

test('that does not come is a failure of its release, at once', async () => {
  const scenario = await Scenario.open();
  await scenario.set({ ...prod({ expiresAfter: '1h' }), name: 'live' });
  const deploys = { gate: { environment: 'live' }, slow: { seconds: 2 * 3600, timeout: '1d' } };
  await scenario.submit(release('r', 'gate; slow; later <- slow', { deploys }));
  await scenario.to(HOUR + MINUTE);
  expect(scenario.states('r')).toEqual({ gate: 'EXPIRED', slow: 'RUNNING', later: 'CANCELLED' });
  expect((await scenario.run('r')).status.state).toBe('ERROR');
  expect(scenario.states('r').slow).toBe('SUCCESS');
});

test('is asked of a layer of a release only when that has come, for as long as the environment says', async () => {
  const scenario = await Scenario.open();
  await scenario.set({ ...prod({ expiresAfter: '1h' }), name: 'live' });
  const deploys = { a: { seconds: 2 * 3600, timeout: '1d' }, b: { environment: 'live' } };
  await scenario.submit(release('r', 'a; b <- a', { deploys }));
  await scenario.to(HOUR);
  expect(scenario.states('r')).toEqual({ a: 'RUNNING', b: 'WAITING_DEPENDENCY' });
  await scenario.to(2 * HOUR + 50 * MINUTE);
  expect(scenario.states('r').b).toBe('AWAITING_APPROVAL');
  await scenario.approve('r.b', 'bob');
  expect((await scenario.run('r')).status.state).toBe('SUCCESS');
});

test('of whoever retried a release counts as little as that of whoever submitted it', async () => {
  const scenario = await Scenario.open();
  await scenario.set(prod());
  await scenario.submit(release('r', 'db'), 'ada');
  await scenario.to(MINUTE);
  await scenario.reject('r.db', 'eve');
  await scenario.run('r');
  await scenario.act(() => retryRelease(scenario.ports, 'r', owner('bob')));
  await scenario.to(2 * MINUTE);
  for (const who of ['ada', 'bob']) {
    await expect(scenario.approve('r.db.r2', who)).rejects.toMatchObject({ code: 'forbidden' });
  }
  await scenario.approve('r.db.r2', 'eve');
  expect((await scenario.run('r')).status.state).toBe('SUCCESS');
});

test('may be given by a pipeline that has the right, and by nobody who has not', async () => {
  const scenario = await asked();
  const pipeline = { subject: 'checks', kind: 'pipeline', groups: [] } as const;
  const guest = { subject: 'guest', kind: 'user', groups: [] } as const;
  const approve = (by: typeof pipeline | typeof guest) => scenario.act(() => approveDeploy(scenario.ports, 'd', by));
  await expect(approve(pipeline)).rejects.toMatchObject({ code: 'not-found' });
  await scenario.set({
    kind: 'Access',
    name: 'checks',
    roles: { approver: ['deployment.read', 'deployment.approve'], reader: ['deployment.read'] },
    bindings: [
      { role: 'approver', subjects: ['pipeline:checks'] },
      { role: 'reader', subjects: ['user:guest'] },
    ],
  });
  await expect(approve(guest)).rejects.toMatchObject({ code: 'forbidden' });
  await approve(pipeline);
  await scenario.until(() => scenario.isEnded('d'));
  expect(await state(scenario, 'd')).toBe('SUCCESS');
  expect((await scenario.audit('d')).find(({ action }) => action === 'approval.granted')?.by).toBe('checks');
});

test('by many at once counts each of them once', async () => {
  const scenario = await asked('d', { required: 3 });
  const people = ['bob', 'bob', 'eve', 'eve', 'zoe'];
  const answers = await Promise.allSettled(people.map((who) => scenario.approve('d', who)));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await scenario.until(() => scenario.isEnded('d'));
  expect((await scenario.deployed('d')).approvals.map(({ by }) => by).sort()).toEqual(['bob', 'eve', 'zoe']);
  expect(scenario.started()).toEqual(['d']);
});

test('and a refusal in the same moment: one of them decides, and the deploy runs or ends as that says', async () => {
  for (let round = 0; round < 4; round++) {
    const scenario = await asked();
    const both = [() => scenario.approve('d', 'bob'), () => scenario.reject('d', 'eve')];
    if (round % 2 === 1) both.reverse();
    await Promise.allSettled(both.map((act) => act()));
    await scenario.until(() => scenario.isEnded('d'));
    const ended = await state(scenario, 'd');
    expect(scenario.started(), ended).toEqual(ended === 'SUCCESS' ? ['d'] : []);
    scenario.kill();
  }
});

test('comes after the instant of a schedule and after what it waits for, and expires from then on', async () => {
  const scenario = await Scenario.open();
  await scenario.set(prod({ expiresAfter: '1h' }));
  await scenario.deploy(deploy('slow', { environment: 'dev', seconds: 3 * 3600, timeout: '1d' }));
  await scenario.deploy(deploy('d', { after: ['slow'], document: { schedule: { at: at(HOUR) } } }));
  await scenario.to(2 * HOUR);
  expect(await state(scenario, 'd')).toBe('WAITING_DEPENDENCY');
  await scenario.to(3 * HOUR + MINUTE);
  expect(await state(scenario, 'd')).toBe('AWAITING_APPROVAL');
  await scenario.until(() => scenario.isEnded('d'));
  expect(await state(scenario, 'd')).toBe('EXPIRED');
  expect(scenario.now()).toBeLessThan(4 * HOUR + MINUTE);
});

test('is asked of rollbacks by hand and of promotions, not of dry runs', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('v1', { application: 'shop', version: '1' }));
  await scenario.until(() => scenario.isEnded('v1'));
  await scenario.deploy(deploy('v2', { application: 'shop', version: '2' }));
  await scenario.until(() => scenario.isEnded('v2'));
  await scenario.set(prod(), { ...prod(), name: 'live' });
  await scenario.rollBack('v2');
  await scenario.promote('v2', 'live');
  await scenario.deploy(deploy('dry', { document: { dryRun: true } }));
  await scenario.to(MINUTE);
  expect(await state(scenario, 'v2-back')).toBe('AWAITING_APPROVAL');
  expect(await state(scenario, 'v2-live')).toBe('AWAITING_APPROVAL');
  expect(await state(scenario, 'dry')).toBe('SUCCESS');
});

test('that waits holds neither slot nor turn of its environment', async () => {
  const scenario = await Scenario.open();
  await scenario.set({ ...prod(), concurrency: 1 });
  await scenario.deploy(deploy('d1', { application: 'a' }));
  await scenario.deploy(deploy('d2', { application: 'a' }));
  await scenario.to(MINUTE);
  await scenario.approve('d2', 'bob');
  await scenario.until(() => scenario.isEnded('d2'));
  expect([await state(scenario, 'd1'), await state(scenario, 'd2')]).toEqual(['AWAITING_APPROVAL', 'SUCCESS']);
});

test('is cancelled like any other wait, and by the cancel of its release', async () => {
  const scenario = await asked();
  await scenario.cancelDeploy('d');
  await scenario.submit(release('r', 'db; web <- db'));
  await scenario.to(2 * MINUTE);
  await scenario.cancel('r');
  expect((await scenario.run('r')).status.state).toBe('CANCELLED');
  expect(await state(scenario, 'd')).toBe('CANCELLED');
  expect(scenario.states('r')).toEqual({ db: 'CANCELLED', web: 'CANCELLED' });
  await expect(scenario.approve('d', 'bob')).rejects.toMatchObject({ code: 'conflict' });
});

test('is heard once, whenever an engine dies as it is given', async () => {
  let deaths = 0;
  for (let call = 1; call < 200; call += 7) {
    const scenario = await asked();
    let died = false;
    scenario.life.dieAt(scenario.life.calls + call, () => (died = true));
    const approved = async () => (await scenario.deployed('d')).approvals.length > 0;
    while (!(await approved())) {
      await Promise.race([scenario.approve('d', 'bob').catch(() => {}), scenario.life.died]);
      if (!scenario.isUp) await scenario.start();
    }
    await scenario.until(() => scenario.isEnded('d'));
    expect(scenario.started(), `killed at call ${call}`).toEqual(['d']);
    const granted = (await scenario.audit('d')).filter(({ action }) => action === 'approval.granted');
    expect(granted, `killed at call ${call}`).toHaveLength(1);
    scenario.kill();
    if (!died) break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(3);
});
