/** What people see and do over HTTP about deploys that wait: approvals, queues, freezes, instants. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditView, DeployList, PlanView } from '../../api/contract.ts';
import { deploy, openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

/** The clock begins at 2026-10-12T20:00:00Z. */
const environment = (more: object, name = 'prod') =>
  service.post('/v1/environments', { apiVersion: 'renga/v1', kind: 'Environment', name, ...more });
const freeze = (from: string, to: string, reason = 'the sale') => ({ freezes: [{ from, to, reason }] });
const ben = { token: 'token-of-ben' };

describe('an approval', () => {
  const two = { approval: { required: 2, expiresAfter: '2h' } };

  it('is shown, given with a reason, and kept in the audit', async () => {
    await environment(two);
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }));
    await service.settle();
    expect((await service.deploy('db-1')).approval).toEqual({
      required: 2,
      selfApproval: false,
      expiresAt: '2026-10-12T22:00:00.000Z',
      approvals: [],
    });
    const waiting = DeployList.parse((await service.get('/v1/deploys?state=AWAITING_APPROVAL')).body);
    expect(waiting.items.map(({ id }) => id)).toEqual(['db-1']);
    const approved = await service.post('/v1/deploys/db-1/approve', { reason: 'looks right' }, ben);
    expect(approved).toMatchObject({ status: 200, body: { state: 'AWAITING_APPROVAL' } });
    expect((await service.deploy('db-1')).approval?.approvals).toEqual([
      { by: 'ben', at: '2026-10-12T20:00:00.000Z', reason: 'looks right' },
    ]);
    const audit = AuditView.parse((await service.get('/v1/deploys/db-1/audit')).body);
    expect(audit.items.at(-1)).toMatchObject({ action: 'approval.granted', by: 'ben', why: 'looks right' });
  });

  it('by whoever submitted it, twice, or after the end is refused', async () => {
    await environment(two);
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }));
    await service.settle();
    const approve = (sent = {}) => service.post('/v1/deploys/db-1/approve', {}, sent);
    expect(await approve()).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await approve(ben)).status).toBe(200);
    expect(await approve(ben)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const reject = (body: object) => service.post('/v1/deploys/db-1/reject', body, ben);
    expect((await reject({})).status).toBe(400);
    expect(await reject({ reason: 'not today' })).toMatchObject({ status: 200, body: { state: 'REJECTED' } });
    expect(await approve(ben)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await service.why('db-1')).summary).toContain('ben rejected it: not today');
  });

  it('is explained: how many, who has, who may, until when', async () => {
    await environment(two);
    await service.post('/v1/access', {
      apiVersion: 'renga/v1',
      kind: 'Access',
      name: 'shop',
      roles: { approver: ['deployment.read', 'deployment.approve'] },
      bindings: [{ role: 'approver', subjects: ['group:shop'], environments: ['prod'] }],
    });
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }));
    await service.settle();
    await service.post('/v1/deploys/db-1/approve', {}, ben);
    const [reason] = (await service.why('db-1')).reasons;
    expect(reason).toMatchObject({ code: 'approval', until: '2026-10-12T22:00:00.000Z' });
    expect(reason?.text).toContain('2 approvals');
    expect(reason?.text).toContain('ben approved it');
    expect(reason?.unblock).toContain('group:shop');
    expect(reason?.unblock).toContain('not anna, who submitted it');
  });

  it('stands in the view of its release', async () => {
    await environment(two);
    await service.post('/v1/releases', release('shop', '1', { db: {} }));
    await service.settle();
    await service.post('/v1/deploys/shop.db/approve', {}, ben);
    const [db] = (await service.release('shop')).deploys;
    expect(db).toMatchObject({ state: 'AWAITING_APPROVAL', approval: { required: 2, approvals: [{ by: 'ben' }] } });
  });

  it('that never comes is told as what it is', async () => {
    await environment(two);
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }));
    await service.pass(2 * 3600 + 60);
    expect((await service.deploy('db-1')).state).toBe('EXPIRED');
    expect((await service.why('db-1')).summary).toContain('0 of 2 approvals');
  });
});

describe('a queue', () => {
  it('shows each its place, and who holds the slots', async () => {
    await environment({ concurrency: 1 });
    for (const id of ['a', 'b', 'c']) {
      await service.post('/v1/deploys', deploy(id, '1', { id: `${id}-1` }, { SECONDS: 600 }));
      await service.settle();
    }
    expect((await service.deploy('a-1')).queue).toBeUndefined();
    expect((await service.deploy('b-1')).queue).toEqual({ slots: 1, held: 1, position: 1 });
    expect((await service.deploy('c-1')).queue).toEqual({ slots: 1, held: 1, position: 2 });
    const why = await service.why('c-1');
    expect(why.summary).toBe('c-1 waits for a slot of its environment.');
    expect(why.reasons[0]?.text).toBe(
      'c-1 waits for a slot of prod, where 1 may run at once: a-1 of anna runs. It is number 2 in line.',
    );
  });

  it('names the deploy of the same place where a slot would be free', async () => {
    await environment({ concurrency: 2 });
    for (const version of ['1', '2']) {
      await service.post('/v1/deploys', deploy('a', version, { id: `a-${version}` }, { SECONDS: 600 }));
      await service.settle();
    }
    const why = await service.why('a-2');
    expect(why.summary).toBe('a-2 waits for its turn, which a-1 has.');
    expect(why.reasons[0]).toMatchObject({ code: 'turn', about: { id: 'a-1' } });
  });

  it('stands in the view of a release only once a deploy has come to it', async () => {
    await environment({ concurrency: 1 });
    await service.post('/v1/deploys', deploy('x', '1', { id: 'x-1' }, { SECONDS: 600 }));
    await service.settle();
    await service.post('/v1/releases', release('shop', '1', { db: {}, web: { after: ['db'] } }));
    await service.settle();
    const [db, web] = (await service.release('shop')).deploys;
    expect(db?.queue).toEqual({ slots: 1, held: 1, position: 1 });
    expect(web?.queue).toBeUndefined();
  });
});

describe('a freeze', () => {
  it('is shown on what it holds, with its reason and its end', async () => {
    await service.post('/v1/deploys', deploy('x', '1', { id: 'x-1', environment: 'dev' }, { SECONDS: 600 }));
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1', after: ['x-1'] }));
    await environment(freeze('2026-10-12T20:05:00Z', '2026-10-13T06:00:00Z'));
    await service.pass(700);
    const held = await service.deploy('db-1');
    expect(held.state).toBe('ENQUEUED');
    expect(held.queue).toEqual({ freeze: { reason: 'the sale', until: '2026-10-13T06:00:00.000Z' } });
    const why = await service.why('db-1');
    expect(why.summary).toBe('db-1 waits for the end of a freeze.');
    expect(why.reasons[0]).toMatchObject({ code: 'frozen', until: '2026-10-13T06:00:00.000Z' });
  });

  it('refuses a submission with the reason, the end, and what to do', async () => {
    await environment(freeze('2026-10-12T00:00:00Z', '2026-10-13T06:00:00Z'));
    const { status, body } = await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }));
    expect(status).toBe(422);
    expect(body).toMatchObject({
      problems: [
        {
          code: 'frozen',
          path: 'environment',
          message: expect.stringContaining('the sale'),
          hint: expect.stringContaining('freezeOverride'),
        },
      ],
    });
    const urgent = deploy('db', '1', { id: 'db-2', freezeOverride: 'incident 4711' });
    expect((await service.post('/v1/deploys', urgent)).status).toBe(202);
    expect((await service.deploy('db-2')).freezeOverride).toBe('incident 4711');
  });
});

describe('an instant', () => {
  it('is shown, explained, and gone once it has come', async () => {
    const later = deploy('db', '1', { id: 'db-1', schedule: { at: '2026-10-13T00:00:00+02:00' } });
    await service.post('/v1/deploys', later);
    await service.settle();
    expect(await service.deploy('db-1')).toMatchObject({
      state: 'SCHEDULED',
      scheduledAt: '2026-10-12T22:00:00.000Z',
      step: { name: 'Wait for its time', timeoutAt: '2026-10-12T22:00:00.000Z' },
    });
    expect((await service.why('db-1')).summary).toBe('db-1 waits for its time.');
    await service.pass(2 * 3600 + 5);
    expect((await service.deploy('db-1')).state).toBe('SUCCESS');
  });
});

it('a wait outside of a release of layers says when it gives up, counted from when its layer came', async () => {
  const params = { SECONDS: 'never' };
  const x = { ...deploy('x', '1', { id: 'x-1' }), deploy: { plugin: 'simulated', timeout: '1d', params } };
  await service.post('/v1/deploys', x);
  const outside = { web: { after: ['db'], descriptor: { after: ['x-1'], afterTimeout: '1h' } } };
  await service.post('/v1/releases', release('shop', '1', { db: { params: { SECONDS: 600 } }, ...outside }));
  await service.pass(60);
  expect((await service.deploy('shop.web')).after).toMatchObject({ status: 'waiting' });
  expect((await service.deploy('shop.web')).after?.expiresAt).toBeUndefined();
  await service.pass(600);
  expect((await service.deploy('shop.web')).after?.expiresAt).toBe('2026-10-12T21:10:00.000Z');
  await service.pass(3600);
  const ended = await service.deploy('shop.web');
  expect(ended).toMatchObject({ state: 'DEPENDENCY_FAILED', after: { status: 'failed' } });
  expect(ended.after?.reason).toContain('it waited 3600 s');
});

describe('a plan', () => {
  const shop = () =>
    release('shop', '1', {
      db: { type: 'migration' },
      api: { after: ['db'], descriptor: { freezeOverride: 'incident 4711' } },
      web: { after: ['api'], descriptor: { environment: 'dev' } },
    });

  it('says which approvals, queues and freezes it meets, and what can not be taken back', async () => {
    await environment({
      approval: { required: 2 },
      concurrency: 3,
      freezes: [
        { from: '2026-10-12T00:00:00Z', to: '2026-10-13T06:00:00Z', reason: 'the sale' },
        { from: '2026-12-20T00:00:00Z', to: '2027-01-02T00:00:00Z', reason: 'holidays' },
      ],
    });
    const plan = PlanView.parse((await service.post('/v1/plan', shop())).body);
    expect(plan.irreversible).toEqual(['db']);
    expect(plan.environments).toEqual([
      {
        name: 'prod',
        deploys: 2,
        approval: { required: 2, expiresAfter: '24h', selfApproval: false },
        queue: { slots: 3, held: 0, waiting: 0 },
        freeze: { from: '2026-10-12T00:00:00.000Z', until: '2026-10-13T06:00:00.000Z', reason: 'the sale' },
        nextFreeze: { from: '2026-12-20T00:00:00.000Z', until: '2027-01-02T00:00:00.000Z', reason: 'holidays' },
        overriding: ['api'],
      },
    ]);
  });

  it('says nothing of an environment to whoever may not see it', async () => {
    await environment({ concurrency: 3 });
    const plan = PlanView.parse((await service.post('/v1/plan', shop(), { token: 'token-of-zoe-alone' })).body);
    expect(plan.environments).toEqual([]);
  });
});
