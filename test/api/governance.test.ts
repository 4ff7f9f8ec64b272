/** Approving, rejecting, going back and on, what there was, schedules: what each route answers and refuses. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploy, openService, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const BEN = { token: 'token-of-ben' };
const environment = (more: object) =>
  service.post('/v1/environments', { apiVersion: 'renga/v1', kind: 'Environment', name: 'prod', ...more });
const conflict = { status: 409, body: { code: 'conflict' } };

/** Deploys these versions one after the other. */
async function versions(...all: readonly string[]) {
  for (const version of all) {
    expect((await service.post('/v1/deploys', deploy('api', version, { id: version }))).status).toBe(202);
    await service.pass(1);
  }
}

describe('approving', () => {
  beforeEach(async () => {
    await environment({ approval: { required: 2, expiresAfter: '2h' } });
    await service.post('/v1/deploys', deploy('api', '1', { id: 'd' }));
    await service.settle();
  });

  it('counts each approver once, keeps why, and lets the deploy go on with enough of them', async () => {
    expect(await service.deploy('d')).toMatchObject({
      state: 'AWAITING_APPROVAL',
      approval: { required: 2, selfApproval: false, expiresAt: '2026-10-12T22:00:00.000Z', approvals: [] },
    });
    const first = await service.post('/v1/deploys/d/approve', { reason: 'seen' }, BEN);
    expect(first).toMatchObject({
      status: 200,
      body: { state: 'AWAITING_APPROVAL', approval: { approvals: [{ by: 'ben', reason: 'seen' }] } },
    });
    expect(await service.post('/v1/deploys/d/approve', undefined, BEN)).toMatchObject(conflict);
    expect((await service.deploy('d')).state).toBe('AWAITING_APPROVAL');
    const document = {
      apiVersion: 'renga/v1',
      kind: 'Access',
      name: 'a',
      roles: { a: ['deployment.read', 'deployment.approve'] },
    };
    await service.post('/v1/access', { ...document, bindings: [{ role: 'a', subjects: ['user:eve'] }] });
    const second = await service.post('/v1/deploys/d/approve', undefined, { token: 'token-of-the-shop' });
    expect(second.status).toBe(200);
    await service.settle();
    // What was said stays to be seen.
    const ended = await service.deploy('d');
    expect(ended.state).toBe('SUCCESS');
    expect(ended.approval).toEqual({
      approvals: [
        { by: 'ben', at: '2026-10-12T20:00:00.000Z', reason: 'seen' },
        { by: 'eve', at: '2026-10-12T20:00:00.000Z' },
      ],
    });
    expect(ended.timeline.map(({ action }) => action)).toContain('approval.granted');
    expect(await service.post('/v1/deploys/d/approve', undefined, BEN)).toMatchObject(conflict);
    expect(await service.post('/v1/deploys/d/reject', { reason: 'late' }, BEN)).toMatchObject(conflict);
  });

  it('is not for whoever submitted it, unless the environment says so', async () => {
    const own = await service.post('/v1/deploys/d/approve');
    expect(own).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(JSON.stringify(own.body)).toContain('somebody else');
    await environment({ approval: { required: 1, selfApproval: true } });
    await service.post('/v1/deploys', deploy('web', '1', { id: 'e' }));
    await service.settle();
    expect((await service.post('/v1/deploys/e/approve')).status).toBe(200);
  });

  it('a rejection needs a reason, ends it, and says by whom and why', async () => {
    expect((await service.post('/v1/deploys/d/reject', undefined, BEN)).status).toBe(400);
    expect((await service.post('/v1/deploys/d/reject', {}, BEN)).status).toBe(400);
    const rejected = await service.post('/v1/deploys/d/reject', { reason: 'after the sale' }, BEN);
    expect(rejected).toMatchObject({ status: 200, body: { state: 'REJECTED' } });
    expect(await service.post('/v1/deploys/d/reject', { reason: 'again' }, BEN)).toMatchObject(conflict);
    const why = await service.why('d');
    expect(why.summary).toContain('after the sale');
    expect(why.summary).toContain('ben');
    expect(why.reasons.map(({ text }) => text).join(' ')).not.toContain('ERROR');
  });

  it('expires, and why says so', async () => {
    await service.pass(2 * 3_600 + 60);
    expect((await service.deploy('d')).state).toBe('EXPIRED');
    const why = await service.why('d');
    expect(`${why.summary} ${why.reasons.map(({ text }) => text).join(' ')}`).not.toContain('ERROR');
    expect(why.summary).toMatch(/approv/);
  });

  it.each([
    ['approve', { by: 'anna' }],
    ['approve', { reason: '' }],
    ['reject', { reason: 7 }],
    ['rollback', { to: '' }],
    ['rollback', { too: '1' }],
    ['promote', {}],
    ['promote', { environment: 'Prod' }],
    ['promote', { environment: 'qa', id: 'Not An Id' }],
  ])('%s refuses the body %j', async (action, sent) => {
    const refused = await service.post(`/v1/deploys/d/${action}`, sent, BEN);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
    expect((refused.body as { problems: unknown[] }).problems.length).toBeGreaterThan(0);
  });

  it('why names who may, how many, and until when', async () => {
    const document = { apiVersion: 'renga/v1', kind: 'Access', name: 'a', roles: { a: ['deployment.approve'] } };
    await service.post('/v1/access', { ...document, bindings: [{ role: 'a', subjects: ['group:approvers'] }] });
    await service.post('/v1/deploys/d/approve', undefined, BEN);
    const why = await service.why('d');
    expect(why.summary).toBe('d waits to be approved.');
    expect(why.reasons).toEqual([
      expect.objectContaining({
        code: 'approval',
        text: 'd waits for 2 approvals, as prod asks (since 2026-10-12 20:00:00 UTC, for 0 s): ben approved it.',
        until: '2026-10-12T22:00:00.000Z',
        unblock:
          'group:approvers and administrators may, not anna, who submitted it: renga approve d. It expires at 2026-10-12 22:00:00 UTC.',
      }),
    ]);
  });
});

describe('going back and on', () => {
  it('the same rollback sent twice is one, and another under its id is refused', async () => {
    await versions('v1', 'v2');
    const first = await service.post('/v1/deploys/v2/rollback', { id: 'back' });
    expect(first).toMatchObject({ status: 202, body: { id: 'back', kind: 'rollback', rollsBack: 'v2' } });
    expect(first.headers.get('location')).toBe('/v1/deploys/back');
    const again = await service.post('/v1/deploys/v2/rollback', { id: 'back' });
    expect([200, 409]).toContain(again.status);
    await service.pass(1);
    expect((await service.deploy('back')).state).toBe('SUCCESS');
  });

  it.each([
    ['v3', 'is current'],
    ['revision:9', 'was never'],
    ['v9', 'was never'],
  ])('a rollback to %s is refused', async (to, words) => {
    await versions('v1', 'v2', 'v3');
    const refused = await service.post('/v1/deploys/v3/rollback', { to });
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain(words);
  });

  it('a first version has none before it, one that runs can not be taken back, and a migration never', async () => {
    await versions('v1');
    expect(await service.post('/v1/deploys/v1/rollback')).toMatchObject({
      status: 409,
      body: { code: 'no-previous-version' },
    });
    await service.post('/v1/deploys', deploy('web', '1', { id: 'runs' }, { SECONDS: 600 }));
    await service.settle();
    expect(await service.post('/v1/deploys/runs/rollback')).toMatchObject(conflict);
    expect(await service.post('/v1/deploys/runs/promote', { environment: 'qa' })).toMatchObject(conflict);
    for (const version of ['1', '2']) {
      const artifact = { type: 'migration', name: 'db', version };
      await service.post('/v1/deploys', deploy('db', version, { id: `db-${version}`, artifact }));
      await service.settle();
    }
    expect(await service.post('/v1/deploys/db-2/rollback')).toMatchObject({ body: { code: 'irreversible' } });
  });

  it('what is promoted leaves its waits and its freeze override behind', async () => {
    await versions('v1');
    await environment({ freezes: [{ from: '2026-10-12T00:00:00Z', to: '2026-10-13T00:00:00Z', reason: 'sale' }] });
    const second = deploy('api', 'v2', { id: 'v2', after: ['v1'], freezeOverride: 'incident 4711' });
    expect((await service.post('/v1/deploys', second)).status).toBe(202);
    await service.pass(1);
    expect(await service.deploy('v2')).toMatchObject({ state: 'SUCCESS', freezeOverride: 'incident 4711' });
    const on = await service.post('/v1/deploys/v2/promote', { environment: 'qa' });
    expect(on).toMatchObject({ status: 202, body: { promotes: 'v2', environment: 'qa' } });
    expect(on.body).not.toHaveProperty('after');
    expect(on.body).not.toHaveProperty('freezeOverride');
    expect(await service.post('/v1/deploys/v2/promote', { environment: 'prod' })).toMatchObject(conflict);
    // And a freeze holds a rollback by hand, unless it overrides it.
    expect((await service.post('/v1/deploys/v2/rollback')).status).toBe(422);
    expect((await service.post('/v1/deploys/v2/rollback', { freezeOverride: 'incident 4712' })).status).toBe(202);
  });
});

describe('revisions', () => {
  it('are paged by their number, newest first', async () => {
    await versions('v1', 'v2', 'v3', 'v4', 'v5');
    const path = '/v1/revisions?application=api&environment=prod&limit=2';
    const seen: string[] = [];
    let before = '';
    for (let page = 0; page < 5; page++) {
      const { body } = await service.get(`${path}${before}`);
      const { items, cursor } = body as { items: { deploy: string; current: boolean }[]; cursor?: string };
      seen.push(...items.map(({ deploy, current }) => `${deploy}${current ? '*' : ''}`));
      if (cursor === undefined) break;
      before = `&before=${cursor}`;
    }
    expect(seen).toEqual(['v5*', 'v4', 'v3', 'v2', 'v1']);
  });

  it.each([
    '',
    '?application=api',
    '?application=api&environment=prod&limit=0',
    '?application=api&environment=prod&x=1',
  ])('refuse the query "%s"', async (query) => {
    expect(await service.get(`/v1/revisions${query}`)).toMatchObject({ status: 400 });
  });
});

describe('schedules', () => {
  const nightly = (more = {}) =>
    deploy('api', '1', { id: 'nightly', schedule: { cron: '0 3 * * *', timezone: 'Europe/Rome' }, ...more });

  it('are made by a deploy with cron, listed, paused, resumed, deleted, each in the audit', async () => {
    const made = await service.post('/v1/deploys', nightly());
    expect(made).toMatchObject({
      status: 202,
      body: {
        kind: 'schedule',
        state: 'active',
        next: ['2026-10-13T01:00:00.000Z', '2026-10-14T01:00:00.000Z', '2026-10-15T01:00:00.000Z'],
      },
    });
    expect(made.headers.get('location')).toBe('/v1/schedules/nightly');
    expect((await service.post('/v1/deploys', nightly())).status).toBe(200);
    const other = await service.post(
      '/v1/deploys',
      nightly({ schedule: { cron: '0 4 * * *', timezone: 'Europe/Rome' } }),
    );
    expect(other).toMatchObject({ status: 409, body: { code: 'id-taken' } });
    expect(JSON.stringify(other.body)).toContain('0 3 * * *');
    expect((await service.get('/v1/schedules')).body).toMatchObject({ items: [{ id: 'nightly' }] });
    const act = (action: string) => service.post(`/v1/schedules/nightly/${action}`);
    expect(await act('pause')).toMatchObject({ status: 200, body: { state: 'paused', next: [] } });
    expect(await act('pause')).toMatchObject({ status: 200, body: { state: 'paused' } });
    expect(await act('resume')).toMatchObject({ status: 200, body: { state: 'active' } });
    await service.pass(6 * 3_600);
    // A sweep carries it out.
    await service.pass(30);
    const schedule = (await service.get('/v1/schedules/nightly')).body as { last?: { deploy?: string } };
    expect(schedule.last?.deploy).toMatch(/^nightly\./);
    expect(await service.deploy(schedule.last?.deploy ?? '')).toMatchObject({ state: 'SUCCESS', schedule: 'nightly' });
    expect(await act('delete')).toMatchObject({ status: 200, body: { state: 'deleted' } });
    expect(await act('resume')).toMatchObject(conflict);
    expect((await service.get('/v1/schedules')).body).toEqual({ items: [] });
    const audit = (await service.get('/v1/audit?application=api&limit=200')).body as { items: { action: string }[] };
    const actions = audit.items.map(({ action }) => action).filter((action) => action.startsWith('schedule.'));
    expect(actions.reverse()).toEqual([
      'schedule.created',
      'schedule.paused',
      'schedule.resumed',
      'schedule.submitted',
      'schedule.deleted',
    ]);
  });

  it('one that starts once shows when, and why says that nobody need do anything', async () => {
    await service.post('/v1/deploys', deploy('api', '1', { id: 'd', schedule: { at: '2026-10-12T23:00:00+02:00' } }));
    expect(await service.deploy('d')).toMatchObject({ state: 'SCHEDULED', scheduledAt: '2026-10-12T21:00:00.000Z' });
    expect(await service.why('d')).toMatchObject({
      summary: 'd waits for its time.',
      reasons: [{ code: 'scheduled', until: '2026-10-12T21:00:00.000Z' }],
    });
  });
});

describe('a freeze that begins later', () => {
  it('holds what is queued, and status and why say until when', async () => {
    await environment({
      concurrency: 1,
      freezes: [{ from: '2026-10-12T20:00:30Z', to: '2026-10-12T21:00:00Z', reason: 'sale' }],
    });
    await service.post('/v1/deploys', deploy('api', '1', { id: 'runs' }, { SECONDS: 60 }));
    await service.settle();
    await service.post('/v1/deploys', deploy('web', '1', { id: 'd' }));
    await service.pass(120);
    expect(await service.deploy('d')).toMatchObject({
      state: 'ENQUEUED',
      queue: { freeze: { reason: 'sale', until: '2026-10-12T21:00:00.000Z' } },
    });
    expect(await service.why('d')).toMatchObject({
      summary: 'd waits for the end of a freeze.',
      reasons: [{ code: 'frozen', until: '2026-10-12T21:00:00.000Z' }],
    });
    const shown = await service.get('/v1/environments/prod');
    expect(shown.body).toMatchObject({ freeze: { reason: 'sale' }, queue: { slots: 1 } });
  });
});
