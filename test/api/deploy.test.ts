import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditView, DeployList, DeployView, InventoryList } from '../../api/contract.ts';
import { deploy, openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const ids = (answered: { body: unknown }) => DeployList.parse(answered.body).items.map(({ id }) => id);

describe('a deploy of its own', () => {
  it('is accepted, runs and ends, each with its instant', async () => {
    const accepted = await service.post('/v1/deploys', deploy('shop-db', '42', { id: 'shop-db-42' }, { SECONDS: 30 }));
    expect(accepted.status).toBe(202);
    expect(accepted.headers.get('location')).toBe('/v1/deploys/shop-db-42');
    await service.pass(10);
    expect(await service.deploy('shop-db-42')).toMatchObject({
      state: 'RUNNING',
      startedAt: '2026-10-12T20:00:00.000Z',
      step: { name: 'Deploy', since: '2026-10-12T20:00:00.000Z', timeoutAt: '2026-10-12T21:00:00.000Z' },
      execution: { name: 'shop-db-42', link: expect.stringContaining(':renga-deploy:shop-db-42') },
    });
    await service.pass(30);
    const done = await service.deploy('shop-db-42');
    expect(done).toMatchObject({ state: 'SUCCESS', revision: 1, endedAt: '2026-10-12T20:00:30.000Z', kind: 'deploy' });
    expect(done.step).toBeUndefined();
    expect(done.timeline.map(({ action, to }) => [action, to])).toEqual([
      ['deploy.recorded', 'ENQUEUED'],
      ['deploy.started', 'RUNNING'],
      ['deploy.succeeded', 'CONCLUDING'],
      ['deploy.finish', 'SUCCESS'],
    ]);
    expect(AuditView.parse((await service.get('/v1/deploys/shop-db-42/audit')).body).items).toEqual(done.timeline);
  });

  it('is given an id of its application when it has none, each time another', async () => {
    const first = DeployView.parse((await service.post('/v1/deploys', deploy('shop-db', '42'))).body);
    const second = DeployView.parse((await service.post('/v1/deploys', deploy('shop-db', '42'))).body);
    expect(first.id).toMatch(/^shop-db-[0-9a-f]{12}$/);
    expect(second.id).not.toBe(first.id);
    await service.settle();
  });

  it('is the same one when it is submitted again, and refused with other content', async () => {
    await service.post('/v1/deploys', deploy('shop-db', '42', { id: 'shop-db-42' }));
    await service.settle();
    expect((await service.post('/v1/deploys', deploy('shop-db', '42', { id: 'shop-db-42' }))).status).toBe(200);
    expect(await service.post('/v1/deploys', deploy('shop-db', '43', { id: 'shop-db-42' }))).toMatchObject({
      status: 409,
      body: { code: 'id-taken', differences: ['artifact.version: "42" → "43"'] },
    });
  });

  it('shows what it waits for, until when, and why the wait ended', async () => {
    await service.post(
      '/v1/deploys',
      deploy('shop-db', '42', { id: 'db-42' }, { SECONDS: 60, OUTCOME: 'error', NAME: 'db' }),
    );
    await service.post('/v1/deploys', deploy('shop-api', '2', { id: 'api-2', after: ['db-42'], afterTimeout: '2h' }));
    await service.settle();
    expect((await service.deploy('api-2')).after).toEqual({
      status: 'waiting',
      expiresAt: '2026-10-12T22:00:00.000Z',
      dependencies: [{ id: 'db-42', state: 'RUNNING' }],
    });
    await service.pass(90);
    const failed = await service.deploy('api-2');
    expect(failed.state).toBe('DEPENDENCY_FAILED');
    expect(failed.after).toEqual({
      status: 'failed',
      reason: 'db-42 ended ERROR: the deploy of db was told to fail',
      dependencies: [{ id: 'db-42', state: 'ERROR' }],
    });
  });

  it('is cancelled by really stopping its job', async () => {
    await service.post('/v1/deploys', deploy('shop-db', '42', { id: 'db-42' }, { SECONDS: 'never' }));
    await service.pass(5);
    expect((await service.post('/v1/deploys/db-42/cancel', { reason: 'wrong version' })).status).toBe(202);
    await service.pass(5);
    expect(await service.deploy('db-42')).toMatchObject({
      state: 'CANCELLED',
      error: { code: 'cancelled', message: 'wrong version' },
    });
    expect(service.world.ended).toEqual([{ token: 'db-42/deploy', status: 'error' }]);
    expect(await service.post('/v1/deploys/db-42/cancel')).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('has a log that is read on from an offset', async () => {
    await service.post('/v1/deploys', deploy('shop-db', '42', { id: 'db-42' }, { SECONDS: 10 }));
    await service.pass(5);
    expect((await service.get('/v1/deploys/db-42/log')).body).toEqual({
      job: 'deploy',
      text: 'log of db-42/deploy\n',
      offset: 0,
      next: 20,
      ended: false,
    });
    await service.pass(10);
    expect((await service.get('/v1/deploys/db-42/log?offset=20')).body).toEqual({
      job: 'deploy',
      text: '',
      offset: 20,
      next: 20,
      ended: true,
    });
  });
});

describe('deploys in a list', () => {
  beforeEach(async () => {
    for (const version of ['1', '2', '3', '4']) {
      const params = version === '3' ? { OUTCOME: 'error' } : {};
      await service.post('/v1/deploys', deploy('shop-db', version, { id: `db-${version}` }, params));
      await service.post('/v1/deploys', deploy('shop-api', version, { id: `api-${version}` }));
      await service.pass(1);
    }
    await service.pass(5);
  });

  it('come newest first, by application and state', async () => {
    expect(ids(await service.get('/v1/deploys?limit=3'))).toEqual(['db-4', 'api-4', 'db-3']);
    expect(ids(await service.get('/v1/deploys?application=shop-api'))).toEqual(['api-4', 'api-3', 'api-2', 'api-1']);
    expect(ids(await service.get('/v1/deploys?state=ERROR'))).toEqual(['db-3']);
    expect(ids(await service.get('/v1/deploys?state=SUCCESS&application=shop-db'))).toEqual(['db-4', 'db-2', 'db-1']);
  });

  it('fill a page though a filter passes few, and end without a cursor', async () => {
    const first = DeployList.parse((await service.get('/v1/deploys?state=SUCCESS&application=shop-db&limit=2')).body);
    expect(first.items.map(({ id }) => id)).toEqual(['db-4', 'db-2']);
    const second = await service.get(`/v1/deploys?state=SUCCESS&application=shop-db&limit=2&cursor=${first.cursor}`);
    expect(ids(second)).toEqual(['db-1']);
    expect(second.body).not.toHaveProperty('cursor');
  });

  it('refuse the cursor of another list', async () => {
    const { cursor } = DeployList.parse((await service.get('/v1/deploys?limit=1')).body);
    expect(await service.get(`/v1/deploys?limit=1&state=ERROR&cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid-request', problems: [{ code: 'invalid-cursor', path: 'cursor' }] },
    });
  });

  it('leave what is current in the inventory', async () => {
    const all = InventoryList.parse((await service.get('/v1/inventory')).body).items;
    expect(
      all.map(({ application, artifact, deploy, revision }) => [application, artifact.version, deploy, revision]),
    ).toEqual([
      ['shop-api', '4', 'api-4', 4],
      ['shop-db', '4', 'db-4', 3],
    ]);
    const one = await service.get('/v1/inventory?application=shop-db&environment=prod');
    expect(InventoryList.parse(one.body).items.map(({ deploy }) => deploy)).toEqual(['db-4']);
    expect((await service.get('/v1/inventory?environment=test')).body).toEqual({ items: [] });
    const page = InventoryList.parse((await service.get('/v1/inventory?limit=1')).body);
    const next = await service.get(`/v1/inventory?limit=1&cursor=${page.cursor}`);
    expect(InventoryList.parse(next.body).items.map(({ deploy }) => deploy)).toEqual(['db-4']);
  });
});

describe('planning', () => {
  it('tells layers, waits, size and cost, and stores nothing', async () => {
    const shop = release(
      'shop-1',
      '1',
      { db: {}, api: { after: ['db'] }, worker: { after: ['db'], descriptor: { after: ['infra-1'] } } },
      { onFailure: 'rollback' },
    );
    const { status, body } = await service.post('/v1/plan?definition=true', shop);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      order: 'dag',
      deployCount: 3,
      criticalPathLength: 2,
      layers: [[{ name: 'db' }], [{ name: 'api' }, { name: 'worker' }]],
      rollbackOrder: ['worker', 'api', 'db'],
      waits: [
        { name: 'api', layer: 2, deploys: ['db'], external: [], barrier: 0 },
        { name: 'worker', layer: 2, deploys: ['db'], external: ['infra-1'], barrier: 0 },
      ],
      externalWaits: ['infra-1'],
      machine: { bytesLimit: 1_048_576, historyEvents: { limit: 25_000 } },
      transitions: { deploys: 30 },
      definition: { QueryLanguage: 'JSONata', StartAt: expect.any(String) },
    });
    expect((await service.get('/v1/releases')).body).toEqual({ items: [] });
    expect(service.world.started).toEqual([]);
  });

  it('plans the deploys of a tag, what they wait for added when asked', async () => {
    const shop = release('shop-1', '1', { db: {}, api: { after: ['db'] } });
    const tagged = {
      ...shop,
      deploys: shop.deploys.map((entry) => (entry.name === 'api' ? { ...entry, tags: ['app'] } : entry)),
    };
    expect(await service.post('/v1/plan?tags=app', tagged)).toMatchObject({
      status: 422,
      body: { problems: [{ code: 'unselected-dependency' }] },
    });
    expect((await service.post('/v1/plan?tags=app&withDependencies=true', tagged)).body).toMatchObject({
      deployCount: 2,
    });
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }));
    await service.pass(5);
    expect((await service.post('/v1/plan?tags=app', tagged)).body).toMatchObject({ deployCount: 1 });
  });
});
