/** Chains as people see them over HTTP: of which release a deploy is, what it exports, what was refused when it was recorded. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AuditView, DeployList } from '../../api/contract.ts';
import { deploy, openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const freeze = { from: '2026-10-12T00:00:00Z', to: '2026-10-13T00:00:00Z', reason: 'the sale' };
const frozen = (name: string) =>
  service.post('/v1/environments', { apiVersion: 'renga/v1', kind: 'Environment', name, freezes: [freeze] });

it('a deploy shows its release, alone and in a list; one that stands alone shows none', async () => {
  await service.post('/v1/releases', release('shop', '1', { db: {}, api: { after: ['db'] } }));
  await service.post('/v1/deploys', deploy('web', '1', { id: 'web-1' }));
  await service.pass(5);
  const own = { id: 'shop', attempt: 1, name: 'api' };
  expect(await service.deploy('shop.api')).toMatchObject({
    release: own,
    after: { dependencies: [{ id: 'shop.db' }] },
  });
  const { items } = DeployList.parse((await service.get('/v1/deploys')).body);
  expect(items.find(({ id }) => id === 'shop.api')?.release).toEqual(own);
  expect(items.find(({ id }) => id === 'web-1')).not.toHaveProperty('release');
});

it('a deploy shows what it exports once it has succeeded, and nothing when it has not', async () => {
  const exports = {
    host: { from: 'deploy.host', pattern: '[a-z.]+' },
    vms: { from: 'deploy.vms', format: 'targets' },
  };
  const outputs = { OUT_host: 'db.internal', OUT_vms: '["10.0.0.1", {"host": "10.0.0.2", "port": 22}]', SECONDS: 10 };
  await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1', exports }, outputs));
  await service.post('/v1/deploys', deploy('db', '2', { id: 'db-2', exports }, { ...outputs, OUT_host: 'UPPER' }));
  await service.pass(5);
  expect((await service.deploy('db-1')).exports).toEqual({});
  await service.pass(30);
  expect((await service.deploy('db-1')).exports).toEqual({
    host: 'db.internal',
    vms: [{ host: '10.0.0.1' }, { host: '10.0.0.2', port: 22 }],
  });
  const failed = await service.deploy('db-2');
  expect(failed).toMatchObject({ state: 'ERROR', exports: {}, error: { code: 'exports-invalid' } });
  expect(failed.error?.message).toMatch(/^exports of the deploy not valid: /);
  expect(failed.error?.message).not.toContain('UPPER');
});

it('what was refused when it was recorded is ERROR, what stood before and after it CANCELLED', async () => {
  service.hold('record-deploys');
  const deploys = { a: {}, b: { after: ['a'], descriptor: { environment: 'soon' } }, c: { after: ['b'] } };
  expect((await service.post('/v1/releases', release('r', '1', deploys))).status).toBe(202);
  await frozen('soon');
  service.letGo();
  await service.pass(10);
  const shown = await service.release('r');
  expect(shown.state).toBe('ERROR');
  expect(shown.deploys.map(({ name, state }) => `${name} ${state}`)).toEqual(['a CANCELLED', 'b ERROR', 'c CANCELLED']);
  expect(shown.deploys[1]?.error).toMatchObject({ code: 'recording-refused' });
  expect(shown.error?.message).toContain('the sale');
  expect(service.world.started).toEqual([]);
});

it('the end of a wait and of a release stands in their audits, with the reason', async () => {
  await service.post(
    '/v1/releases',
    release('r', '1', { bad: { params: { SECONDS: 10, OUTCOME: 'error', NAME: 'bad' } } }),
  );
  await service.settle();
  await service.post('/v1/deploys', deploy('web', '1', { id: 'web-1', after: ['r.bad'] }));
  await service.pass(30);
  const last = async (path: string) => AuditView.parse((await service.get(`${path}/audit`)).body).items.at(-1);
  expect(await last('/v1/deploys/web-1')).toMatchObject({
    action: 'after.finish',
    to: 'DEPENDENCY_FAILED',
    by: 'renga',
    why: 'r.bad ended ERROR: the deploy of bad was told to fail',
  });
  expect(await last('/v1/releases/r')).toMatchObject({
    action: 'release.finish',
    to: 'ERROR',
    why: 'r.bad ERROR: the deploy of bad was told to fail',
  });
});
