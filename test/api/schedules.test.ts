/** Recurring deploys over HTTP: submitted like a deploy, answered as a schedule. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ScheduleList, ScheduleView } from '../../api/contract.ts';
import { deploy, openService, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const nightly = (cron = '0 3 * * *') =>
  deploy('db', '1', { id: 'nightly', schedule: { cron, timezone: 'Europe/Rome' } });
const seen = async () => ScheduleView.parse((await service.get('/v1/schedules/nightly')).body);

it('a document with cron is answered with a schedule and its next three times', async () => {
  const first = await service.post('/v1/deploys', nightly());
  expect(first.status).toBe(202);
  expect(first.headers.get('location')).toBe('/v1/schedules/nightly');
  expect(ScheduleView.parse(first.body)).toMatchObject({
    kind: 'schedule',
    state: 'active',
    submittedBy: 'anna',
    next: ['2026-10-13T01:00:00.000Z', '2026-10-14T01:00:00.000Z', '2026-10-15T01:00:00.000Z'],
  });
  expect((await service.post('/v1/deploys', nightly())).status).toBe(200);
  expect(await service.post('/v1/deploys', nightly('0 4 * * *'))).toMatchObject({
    status: 409,
    body: { code: 'id-taken' },
  });
});

it('says what it submitted last, and the deploy says which schedule it is of', async () => {
  // Later she is who the documents of access say she is, and not whose token she once had.
  await service.post('/v1/access', {
    apiVersion: 'renga/v1',
    kind: 'Access',
    name: 'anna',
    roles: { all: ['deployment.read', 'deployment.submit'] },
    bindings: [{ role: 'all', subjects: ['user:anna'] }],
  });
  await service.post('/v1/deploys', nightly());
  await service.pass(6 * 3600);
  // The sweep that submits it, and the deploy.
  for (let second = 0; second < 10; second++) await service.pass(1);
  expect((await seen()).last).toEqual({ at: '2026-10-13T01:00:00.000Z', deploy: 'nightly.20261013t010000z' });
  expect(await service.deploy('nightly.20261013t010000z')).toMatchObject({ schedule: 'nightly', state: 'SUCCESS' });
});

it('is paused, resumed and deleted; the deleted is listed no more and its id stays taken', async () => {
  await service.post('/v1/deploys', nightly());
  const act = (action: string) => service.post(`/v1/schedules/nightly/${action}`);
  expect(await act('pause')).toMatchObject({ status: 200, body: { state: 'paused', next: [] } });
  expect(await act('resume')).toMatchObject({ status: 200, body: { state: 'active' } });
  const list = async () => ScheduleList.parse((await service.get('/v1/schedules')).body).items.map(({ id }) => id);
  expect(await list()).toEqual(['nightly']);
  expect(await act('delete')).toMatchObject({ status: 200, body: { state: 'deleted' } });
  expect(await list()).toEqual([]);
  expect(await act('resume')).toMatchObject({ status: 409 });
  expect((await service.post('/v1/deploys', nightly())).status).toBe(409);
  expect((await service.post('/v1/deploys', { ...nightly(), schedule: undefined })).status).toBe(202);
});

it('is nothing to whoever may not read there, and not changed by whoever may only read', async () => {
  await service.post('/v1/deploys', nightly());
  const eve = { token: 'token-of-the-shop' };
  expect((await service.get('/v1/schedules/nightly', eve)).status).toBe(404);
  expect(ScheduleList.parse((await service.get('/v1/schedules', eve)).body).items).toEqual([]);
  await service.post('/v1/access', {
    apiVersion: 'renga/v1',
    kind: 'Access',
    name: 'shop',
    roles: { reader: ['deployment.read'] },
    bindings: [{ role: 'reader', subjects: ['group:shop'] }],
  });
  expect((await service.get('/v1/schedules/nightly', eve)).status).toBe(200);
  for (const action of ['pause', 'resume', 'delete']) {
    expect((await service.post(`/v1/schedules/nightly/${action}`, {}, eve)).status).toBe(403);
  }
  expect((await seen()).state).toBe('active');
});

it('is refused with what its deploys would be refused for, and for an id that leaves no room for theirs', async () => {
  const long = 'n'.repeat(70);
  const wrong = { ...nightly(), id: long, deploy: { plugin: 'nonsense', params: {} } };
  const { status, body } = await service.post('/v1/deploys', wrong);
  expect(status).toBe(422);
  const codes = (body as { problems: { code: string }[] }).problems.map(({ code }) => code);
  expect(codes).toContain('id-too-long');
  expect(codes).toContain('unknown-plugin');
});
