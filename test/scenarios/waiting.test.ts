/** What a deploy waits for beside others: an instant, people, a slot of its environment, the end of a freeze. */
import { describe, expect, test } from 'vitest';
import { Scenario } from './harness.ts';
import { deploy, release } from './sketch.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The scenario's clock begins at 2026-10-01T00:00:00Z. */
const at = (ms: number) => new Date(Date.UTC(2026, 9, 1) + ms).toISOString();
const refusal = (code: string) => ({ details: { problems: [expect.objectContaining({ code })] } });

const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;
/** When each job began, in seconds since the scenario did. */
const began = (scenario: Scenario) =>
  Object.fromEntries(
    scenario.history.flatMap((entry) =>
      entry.kind === 'job-started' ? [[entry.token.replace(/\/deploy$/, ''), Math.floor(entry.at / SECOND)]] : [],
    ),
  );

describe('a deploy with an instant', () => {
  test('starts at it, and not before', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('d', { document: { schedule: { at: at(HOUR) } } }));
    await scenario.to(HOUR - SECOND);
    expect(await state(scenario, 'd')).toBe('SCHEDULED');
    await scenario.until(() => scenario.isEnded('d'));
    expect(began(scenario)).toEqual({ d: 3600 });
  });

  test('starts when its dependencies have succeeded, if that is later', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('slow', { seconds: 2 * 3600, timeout: '1d' }));
    await scenario.deploy(deploy('d', { after: ['slow'], document: { schedule: { at: at(HOUR) } } }));
    await scenario.until(() => scenario.isEnded('d'));
    expect(began(scenario).d).toBeGreaterThanOrEqual(7200);
    expect(await state(scenario, 'd')).toBe('SUCCESS');
  });

  test('ends at once when a dependency fails before it', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('bad', { seconds: 60, outcome: 'error' }));
    await scenario.deploy(deploy('d', { after: ['bad'], document: { schedule: { at: at(HOUR) } } }));
    await scenario.to(2 * MINUTE);
    expect(await state(scenario, 'd')).toBe('DEPENDENCY_FAILED');
  });

  test('is cancelled like any other', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('d', { document: { schedule: { at: at(HOUR) } } }));
    await scenario.to(MINUTE);
    await scenario.cancelDeploy('d');
    await scenario.to(MINUTE + SECOND);
    expect(await state(scenario, 'd')).toBe('CANCELLED');
    expect(await scenario.executionOf('d')).toBe('FAILED');
    await scenario.to(2 * HOUR);
    expect(scenario.started()).toEqual([]);
  });

  test('survives engines that die, also one that is down at its instant', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('d', { document: { schedule: { at: at(HOUR) } } }));
    await scenario.to(MINUTE);
    await scenario.restart();
    await scenario.to(HOUR - MINUTE);
    scenario.kill();
    scenario.clock.at(scenario.clock.now() + 2 * HOUR, () => {});
    while (scenario.clock.step());
    await scenario.start();
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect(scenario.started()).toEqual(['d']);
  });

  test.each([
    ['in the past', -MINUTE, 'schedule-in-past'],
    ['more than 90 days ahead', 91 * 24 * HOUR, 'schedule-too-far'],
  ])('is refused when that is %s', async (_, offset, code) => {
    const scenario = await Scenario.open();
    const document = deploy('d', { document: { schedule: { at: at(offset) } } });
    await expect(scenario.deploy(document)).rejects.toMatchObject(refusal(code));
    expect(await scenario.store.deploys.read('d')).toBeUndefined();
  });
});

describe('an approval', () => {
  const PROD = { kind: 'Environment', name: 'prod', approval: { required: 2, expiresAfter: '2h' } };

  test('lets the deploy go on when enough people have given it', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PROD);
    await scenario.deploy(deploy('d'));
    await scenario.to(MINUTE);
    expect(await state(scenario, 'd')).toBe('AWAITING_APPROVAL');
    await scenario.approve('d', 'bob');
    await scenario.to(2 * MINUTE);
    expect(await state(scenario, 'd')).toBe('AWAITING_APPROVAL');
    await scenario.approve('d', 'eve', 'looks right');
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect((await scenario.deployed('d')).approvals.map(({ by, reason }) => [by, reason])).toEqual([
      ['bob', undefined],
      ['eve', 'looks right'],
    ]);
    expect((await scenario.audit('d')).map(({ action, by }) => `${action} ${by}`)).toContain('approval.granted bob');
  });

  test('is asked only once the dependencies have succeeded', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PROD);
    await scenario.deploy(deploy('first', { environment: 'staging', seconds: 300 }));
    await scenario.deploy(deploy('d', { after: ['first'] }));
    await scenario.to(MINUTE);
    expect(await state(scenario, 'd')).toBe('WAITING_DEPENDENCY');
    await expect(scenario.approve('d', 'bob')).rejects.toMatchObject({ code: 'conflict' });
    await scenario.to(6 * MINUTE);
    expect(await state(scenario, 'd')).toBe('AWAITING_APPROVAL');
    expect(scenario.eventsAbout('d').some((event) => event.startsWith('AWAITING_APPROVAL'))).toBe(true);
  });

  test('of whoever submitted it counts only where that is allowed', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PROD);
    await scenario.deploy(deploy('d'), 'ada');
    await scenario.to(MINUTE);
    await expect(scenario.approve('d', 'ada')).rejects.toMatchObject({ code: 'forbidden' });
    expect((await scenario.deployed('d')).approvals).toEqual([]);
    await scenario.set({ ...PROD, name: 'dev', approval: { required: 1, selfApproval: true } });
    await scenario.deploy(deploy('e', { environment: 'dev' }), 'ada');
    await scenario.to(2 * MINUTE);
    await scenario.approve('e', 'ada');
    await scenario.until(() => scenario.isEnded('e'));
    expect(await state(scenario, 'e')).toBe('SUCCESS');
  });

  test('counts once a person, and not after the end', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PROD);
    await scenario.deploy(deploy('d'));
    await scenario.to(MINUTE);
    await scenario.approve('d', 'bob');
    await expect(scenario.approve('d', 'bob')).rejects.toMatchObject({ code: 'conflict' });
    await scenario.reject('d', 'eve', 'after the sale');
    await scenario.to(2 * MINUTE);
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'REJECTED',
      failure: { code: 'rejected', message: 'eve rejected it: after the sale' },
    });
    await expect(scenario.approve('d', 'zoe')).rejects.toMatchObject({ code: 'conflict' });
    await expect(scenario.reject('d', 'zoe')).rejects.toMatchObject({ code: 'conflict' });
    expect(await scenario.executionOf('d')).toBe('FAILED');
  });

  test('that does not come in time ends the deploy', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PROD);
    await scenario.deploy(deploy('d'));
    await scenario.to(2 * HOUR - MINUTE);
    await scenario.approve('d', 'bob');
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('EXPIRED');
    expect(scenario.now()).toBeLessThan(2 * HOUR + MINUTE);
    await scenario.to(3 * HOUR);
    expect(await scenario.executionOf('d')).toBe('FAILED');
  });

  test('that does not come in time ends the deploy also before its layer has come', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PROD);
    const deploys = { a: { environment: 'dev', seconds: 5 * 3600, timeout: '1d' } };
    await scenario.submit(release('r', 'a; b', { mode: 'sequential', deploys }));
    await scenario.to(2 * HOUR + MINUTE);
    expect(scenario.states('r')).toEqual({ a: 'RUNNING', b: 'EXPIRED' });
    expect((await scenario.run('r')).status.state).toBe('ERROR');
    expect(scenario.states('r')).toEqual({ a: 'SUCCESS', b: 'EXPIRED' });
  });

  test('is held to what was asked for when it was asked for', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PROD);
    await scenario.deploy(deploy('d'));
    await scenario.to(MINUTE);
    await scenario.set({ ...PROD, approval: { required: 1, expiresAfter: '1m' } });
    await scenario.approve('d', 'bob');
    await scenario.to(HOUR);
    expect(await state(scenario, 'd')).toBe('AWAITING_APPROVAL');
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('EXPIRED');
  });

  test('that an environment has come to ask for meanwhile is asked for as well', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('first', { seconds: 300 }));
    await scenario.deploy(deploy('d', { after: ['first'] }));
    await scenario.to(MINUTE);
    await scenario.set(PROD);
    await scenario.to(6 * MINUTE);
    expect(await state(scenario, 'd')).toBe('AWAITING_APPROVAL');
    await scenario.approve('d', 'bob');
    await scenario.approve('d', 'eve');
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
  });

  test.each([
    ['stop', { db: 'REJECTED', api: 'CANCELLED', web: 'CANCELLED' }],
    ['continue', { db: 'REJECTED', api: 'DEPENDENCY_FAILED', web: 'SUCCESS' }],
  ] as const)('that is refused is a failure of its release, at once: onFailure %s', async (onFailure, states) => {
    const scenario = await Scenario.open();
    await scenario.set(PROD);
    const deploys = { web: { environment: 'dev', after: ['slow'] } };
    await scenario.deploy(deploy('slow', { environment: 'dev', seconds: 600 }));
    await scenario.submit(release('r', 'db; web; api <- db', { onFailure, deploys }));
    await scenario.to(MINUTE);
    await scenario.reject('r.db', 'bob');
    await scenario.to(MINUTE + SECOND);
    if (onFailure === 'stop') expect(scenario.states('r')).toEqual(states);
    expect((await scenario.run('r')).status.state).toBe('ERROR');
    expect(scenario.states('r')).toEqual(states);
  });

  test('is not asked again for the rollbacks of a release', async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r1', 'db; web <- db'));
    await scenario.run('r1');
    await scenario.set({ ...PROD, approval: { required: 1 } });
    await scenario.submit(
      release('r2', 'db; web <- db', { onFailure: 'rollback', deploys: { web: { outcome: 'error' } } }),
    );
    await scenario.to(MINUTE);
    await scenario.approve('r2.db', 'bob');
    await scenario.to(2 * MINUTE);
    await scenario.approve('r2.web', 'bob');
    await scenario.run('r2');
    expect(scenario.states('r2')).toEqual({ db: 'SUCCESS', web: 'ERROR', 'rollback.db': 'SUCCESS' });
  });

  test('waits through engines that die', async () => {
    const scenario = await Scenario.open();
    await scenario.set(PROD);
    await scenario.deploy(deploy('d'));
    await scenario.to(MINUTE);
    await scenario.restart();
    await scenario.approve('d', 'bob');
    await scenario.restart();
    await scenario.approve('d', 'eve');
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
  });
});

describe('an environment with so many slots', () => {
  const prod = (concurrency: number) => ({ kind: 'Environment', name: 'prod', concurrency });

  test('runs no more at once, first come, first served', async () => {
    const scenario = await Scenario.open();
    await scenario.set(prod(2));
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await scenario.deploy(deploy(id, { seconds: 60 }));
      await scenario.to(scenario.now() + SECOND);
    }
    await scenario.until(() => ['a', 'b', 'c', 'd', 'e'].every((id) => scenario.isEnded(id)));
    expect(began(scenario)).toMatchObject({ a: 0, b: 1, c: 60, d: 61, e: 120 });
    expect(await scenario.store.slots.holders('prod')).toEqual([]);
    expect(await scenario.store.slots.line('prod')).toEqual([]);
  });

  test('serves releases and single deploys from one line', async () => {
    const scenario = await Scenario.open();
    await scenario.set(prod(1));
    await scenario.submit(release('r', 'x; y', { mode: 'dag', deploys: { x: { seconds: 60 }, y: { seconds: 60 } } }));
    await scenario.to(SECOND);
    await scenario.deploy(deploy('d', { seconds: 60 }));
    await scenario.until(() => scenario.isEnded('d'));
    expect(scenario.started().slice(0, 2).sort()).toEqual(['r.x', 'r.y']);
    expect(scenario.started()[2]).toBe('d');
  });

  test('gives no slot to what waits, so two that wait for each other’s environment block nothing', async () => {
    const scenario = await Scenario.open();
    await scenario.set(prod(1), { ...prod(1), name: 'dev' });
    await scenario.deploy(deploy('p1', { seconds: 60 }));
    await scenario.deploy(deploy('d1', { environment: 'dev', seconds: 60 }));
    await scenario.deploy(deploy('p2', { after: ['d1'] }));
    await scenario.deploy(deploy('d2', { environment: 'dev', after: ['p1'] }));
    await scenario.deploy(deploy('p3'));
    await scenario.deploy(deploy('d3', { environment: 'dev' }));
    await scenario.until(() => ['p2', 'p3', 'd2', 'd3'].every((id) => scenario.isEnded(id)));
    for (const id of ['p2', 'p3', 'd2', 'd3']) expect(await state(scenario, id)).toBe('SUCCESS');
    expect(scenario.now()).toBeLessThan(2 * MINUTE);
  });

  test('passes over who waits behind another of its own place', async () => {
    const scenario = await Scenario.open();
    await scenario.set(prod(2));
    await scenario.deploy(deploy('a1', { application: 'a', seconds: 60 }));
    await scenario.to(SECOND);
    await scenario.deploy(deploy('a2', { application: 'a', seconds: 60 }));
    await scenario.to(2 * SECOND);
    await scenario.deploy(deploy('b', { seconds: 60 }));
    await scenario.until(() => ['a1', 'a2', 'b'].every((id) => scenario.isEnded(id)));
    expect(began(scenario)).toMatchObject({ a1: 0, b: 2, a2: 60 });
  });

  test('lets a release’s rollback go before who waits', async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r1', 'db; web <- db'));
    await scenario.run('r1');
    await scenario.set(prod(1));
    const from = scenario.now();
    const deploys = { web: { seconds: 30, outcome: 'error' as const } };
    await scenario.submit(release('r2', 'db; web <- db', { onFailure: 'rollback', deploys }));
    await scenario.to(from + 10 * SECOND);
    for (const id of ['x', 'y']) await scenario.deploy(deploy(id, { seconds: 100 }));
    await scenario.run('r2');
    await scenario.until(() => scenario.isEnded('y'));
    const order = scenario.started().slice(2);
    expect(order.indexOf('r2.rollback.db')).toBeLessThan(order.indexOf('y'));
    expect(scenario.states('r2')['rollback.db']).toBe('SUCCESS');
  });

  test('lets more in when it gets more slots, and drains when it gets fewer', async () => {
    const scenario = await Scenario.open();
    await scenario.set(prod(1));
    for (const id of ['a', 'b', 'c', 'd']) await scenario.deploy(deploy(id, { seconds: 100 }));
    await scenario.to(10 * SECOND);
    await scenario.set(prod(3));
    await scenario.to(20 * SECOND);
    expect(scenario.started()).toHaveLength(3);
    await scenario.set(prod(1));
    await scenario.to(105 * SECOND);
    expect(scenario.started()).toHaveLength(3);
    await scenario.until(() => ['a', 'b', 'c', 'd'].every((id) => scenario.isEnded(id)));
    expect(began(scenario).d).toBe(110);
  });

  test('counts what runs already when it gets a limit', async () => {
    const scenario = await Scenario.open();
    for (const id of ['a', 'b']) await scenario.deploy(deploy(id, { seconds: id === 'a' ? 60 : 100 }));
    await scenario.to(10 * SECOND);
    await scenario.set(prod(1));
    await scenario.deploy(deploy('c', { seconds: 100 }));
    await scenario.to(90 * SECOND);
    expect(await state(scenario, 'c')).toBe('ENQUEUED');
    await scenario.until(() => scenario.isEnded('c'));
    expect(began(scenario)).toEqual({ a: 0, b: 0, c: 100 });
    await scenario.to(scenario.now() + MINUTE);
    expect(await scenario.store.slots.holders('prod')).toEqual([]);
  });

  test('that has no limit any more lets everybody in', async () => {
    const scenario = await Scenario.open();
    await scenario.set(prod(1));
    for (const id of ['a', 'b', 'c']) await scenario.deploy(deploy(id, { seconds: 100 }));
    await scenario.to(10 * SECOND);
    await scenario.set({ kind: 'Environment', name: 'prod' });
    await scenario.to(11 * SECOND);
    expect(scenario.started()).toHaveLength(3);
  });

  test('gives the slot of a cancelled deploy to the next, and its place in line away', async () => {
    const scenario = await Scenario.open();
    await scenario.set(prod(1));
    for (const id of ['a', 'b', 'c']) await scenario.deploy(deploy(id, { seconds: 100 }));
    await scenario.to(10 * SECOND);
    await scenario.cancelDeploy('b');
    await scenario.cancelDeploy('a');
    await scenario.to(11 * SECOND);
    expect(await state(scenario, 'c')).toBe('RUNNING');
  });

  test('holds none for a release that is paused, and gives it back its place', async () => {
    const scenario = await Scenario.open();
    await scenario.set(prod(1));
    await scenario.deploy(deploy('a', { seconds: 100 }));
    await scenario.to(SECOND);
    await scenario.submit(release('r', 'x', { deploys: { x: { seconds: 50 } } }));
    await scenario.to(2 * SECOND);
    await scenario.pause('r');
    await scenario.deploy(deploy('b', { seconds: 100 }));
    await scenario.deploy(deploy('c', { seconds: 100 }));
    await scenario.to(101 * SECOND);
    expect(await state(scenario, 'b')).toBe('RUNNING');
    await scenario.resume('r');
    await scenario.until(() => scenario.isEnded('c'));
    expect(scenario.started()).toEqual(['a', 'b', 'r.x', 'c']);
  });

  test('loses no slot and gives none twice, whenever an engine dies', async () => {
    let deaths = 0;
    for (let call = 1; call < 400; call += 17) {
      const scenario = await Scenario.open();
      await scenario.set(prod(1));
      let died = false;
      scenario.prepare = (life) => {
        if (!died) life.dieAt(life.calls + call, () => (died = true));
      };
      scenario.prepare(scenario.life);
      for (const id of ['a', 'b', 'c']) {
        while ((await scenario.store.deploys.read(id)) === undefined) {
          await Promise.race([scenario.deploy(deploy(id, { seconds: 10 })).catch(() => {}), scenario.life.died]);
          while (!scenario.isUp) await scenario.start();
        }
      }
      await scenario.until(() => ['a', 'b', 'c'].every((id) => scenario.isEnded(id)));
      const running = new Set<string>();
      for (const entry of scenario.history) {
        if (entry.kind === 'job-started') running.add(entry.token);
        if (entry.kind === 'job-ended') running.delete(entry.token);
        expect(running.size, `killed at call ${call}`).toBeLessThanOrEqual(1);
      }
      await scenario.to(scenario.now() + MINUTE);
      expect(await scenario.store.slots.holders('prod'), `killed at call ${call}`).toEqual([]);
      expect(await scenario.store.slots.line('prod'), `killed at call ${call}`).toEqual([]);
      scenario.kill();
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(5);
  });
});

describe('a freeze', () => {
  const frozen = (from: number, to: number, more: object = {}) => ({
    kind: 'Environment',
    name: 'prod',
    freezes: [{ from: at(from), to: at(to), reason: 'the sale' }],
    ...more,
  });

  test('refuses what is submitted in it; nothing is stored', async () => {
    const scenario = await Scenario.open();
    await scenario.set(frozen(-MINUTE, HOUR));
    await expect(scenario.deploy(deploy('d'))).rejects.toMatchObject(refusal('frozen'));
    await expect(scenario.submit(release('r', 'db'))).rejects.toMatchObject(refusal('frozen'));
    expect(await scenario.store.deploys.read('d')).toBeUndefined();
    expect(await scenario.store.releases.read('r')).toBeUndefined();
  });

  test('that begins later leaves what waits without a slot until it ends', async () => {
    const scenario = await Scenario.open();
    await scenario.set(frozen(MINUTE, HOUR, { concurrency: 2 }));
    await scenario.deploy(deploy('first', { environment: 'dev', seconds: 300 }));
    await scenario.deploy(deploy('d', { after: ['first'] }));
    await scenario.to(10 * MINUTE);
    expect(await state(scenario, 'd')).toBe('ENQUEUED');
    expect(await scenario.store.slots.holders('prod')).toEqual([]);
    await scenario.until(() => scenario.isEnded('d'));
    expect(began(scenario).d).toBeGreaterThanOrEqual(3600);
    expect(began(scenario).d).toBeLessThan(3610);
  });

  test('lets who came into line before it start when it ends, also if the slot got free meanwhile', async () => {
    const scenario = await Scenario.open();
    // Between two looks of the sweep, which are minutes apart by then.
    await scenario.set(frozen(620 * SECOND, 720 * SECOND, { concurrency: 1 }));
    await scenario.deploy(deploy('a', { seconds: 650 }));
    await scenario.deploy(deploy('b'));
    await scenario.until(() => scenario.isEnded('b'));
    expect(began(scenario)).toEqual({ a: 0, b: 720 });
  });

  test('leaves what runs, and what rolls back, alone', async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r1', 'db; web <- db'));
    await scenario.run('r1');
    const from = scenario.now();
    const deploys = { db: { seconds: 60 }, web: { seconds: 120, outcome: 'error' as const } };
    await scenario.submit(release('r2', 'db; web <- db', { onFailure: 'rollback', deploys }));
    await scenario.to(from + 70 * SECOND);
    await scenario.set(frozen(from + 80 * SECOND, from + HOUR));
    await scenario.run('r2');
    expect(scenario.states('r2')).toEqual({ db: 'SUCCESS', web: 'ERROR', 'rollback.db': 'SUCCESS' });
    expect(scenario.now() - from).toBeLessThan(10 * MINUTE);
  });

  test('that begins between submission and recording refuses there: the rest is cancelled', async () => {
    const scenario = await Scenario.open();
    await scenario.set({ kind: 'Environment', name: 'frozen-soon', freezes: [] });
    scenario.around = async (name, run) => {
      if (name === 'record-deploys') {
        scenario.around = undefined;
        await scenario.set({ ...frozen(-MINUTE, HOUR), name: 'frozen-soon' });
      }
      return run();
    };
    const deploys = { b: { environment: 'frozen-soon' } };
    await scenario.submit(release('r', 'a; b <- a; c <- b', { deploys }));
    const { status } = await scenario.run('r');
    expect(status).toMatchObject({ state: 'ERROR', failure: { message: expect.stringContaining('the sale') } });
    expect(scenario.started()).toEqual([]);
    expect(scenario.states('r').a).toBe('CANCELLED');
    expect(scenario.states('r').c).toBe('CANCELLED');
  });

  test('is overridden with a reason, which stands in the audit', async () => {
    const scenario = await Scenario.open();
    await scenario.set(frozen(-MINUTE, HOUR));
    await scenario.deploy(deploy('d', { document: { freezeOverride: 'incident 4711' } }));
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect((await scenario.audit('d'))[0]).toMatchObject({ action: 'deploy.recorded', why: 'incident 4711' });
  });

  test('lets an override pass those that it holds, and serves them in order afterwards', async () => {
    const scenario = await Scenario.open();
    await scenario.set(frozen(MINUTE, HOUR));
    await scenario.deploy(deploy('a0', { application: 'a', seconds: 120 }));
    for (const id of ['a1', 'a2']) {
      await scenario.to(scenario.now() + SECOND);
      await scenario.deploy(deploy(id, { application: 'a', seconds: 10 }));
    }
    await scenario.to(10 * MINUTE);
    expect(scenario.started()).toEqual(['a0']);
    await scenario.deploy(deploy('urgent', { application: 'a', document: { freezeOverride: 'incident' } }));
    await scenario.to(11 * MINUTE);
    expect(await state(scenario, 'urgent')).toBe('SUCCESS');
    await scenario.until(() => ['a1', 'a2'].every((id) => scenario.isEnded(id)));
    expect(scenario.started()).toEqual(['a0', 'urgent', 'a1', 'a2']);
  });

  test('that comes again and again holds what comes into it', async () => {
    const scenario = await Scenario.open();
    await scenario.set({
      kind: 'Environment',
      name: 'prod',
      freezes: [{ cron: '0 2 * * *', duration: '30m', timezone: 'UTC', reason: 'backups' }],
    });
    await scenario.deploy(deploy('first', { environment: 'dev', seconds: 2 * 3600 + 60, timeout: '1d' }));
    await scenario.deploy(deploy('d', { after: ['first'] }));
    await scenario.until(() => scenario.isEnded('d'));
    expect(began(scenario).d).toBeGreaterThanOrEqual(2.5 * 3600);
    expect(began(scenario).d).toBeLessThan(2.5 * 3600 + 10);
  });

  test('that is lifted lets what it held go on at once', async () => {
    const scenario = await Scenario.open();
    await scenario.set(frozen(MINUTE, 10 * HOUR));
    await scenario.deploy(deploy('first', { environment: 'dev', seconds: 300 }));
    await scenario.deploy(deploy('d', { after: ['first'] }));
    await scenario.to(HOUR);
    expect(await state(scenario, 'd')).toBe('ENQUEUED');
    await scenario.set({ kind: 'Environment', name: 'prod' });
    await scenario.to(HOUR + SECOND);
    expect(await state(scenario, 'd')).toBe('SUCCESS');
  });
});
