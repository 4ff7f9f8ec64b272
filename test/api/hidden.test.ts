/**
 * What may not be read is to its reader as if it did not exist, wherever else it is mentioned. Eve, of the group shop, may
 * read and submit what begins with `shop-`; `secret` is a deploy of another application, which she may not read.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answered, deploy, openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
  await grant(['deployment.read', 'deployment.submit', 'environment.write']);
});
afterEach(() => service.close());

const EVE = { token: 'token-of-the-shop' };
const ZOE = { token: 'token-of-zoe-alone' };
const body = ({ body }: Answered) => JSON.stringify(body);

async function grant(permissions: readonly string[], applications = ['shop-*'], environments = ['*']) {
  const bindings = [{ role: 'team', subjects: ['group:shop'], applications, environments }];
  const document = { apiVersion: 'renga/v1', kind: 'Access', name: 'shop', roles: { team: permissions }, bindings };
  expect((await service.post('/v1/access', document)).status).toBe(200);
}

const exporting = (id: string, params: Record<string, string | number> = {}) =>
  deploy('other', '7', { id, exports: { host: { from: 'deploy.host', pattern: '[a-z.]+' } } }, params);
const importing = (producer: string) => ({
  ...deploy('shop-api', '1', { id: 'd', after: [producer], imports: { x: { deployment: producer } } }),
  deploy: { plugin: 'simulated', paramsFrom: { X: { import: 'x', export: 'nothing' } } },
});

describe('a submission', () => {
  it.each([0, 600])('says nothing of what a hidden producer exports, after %i s', async (seconds) => {
    await service.post('/v1/deploys', exporting('secret', { SECONDS: seconds, OUT_host: 'a.example' }));
    await service.settle();
    for (const path of ['/v1/check', '/v1/deploys']) {
      const hidden = await service.post(path, importing('secret'), EVE);
      const missing = await service.post(path, importing('absent'), EVE);
      expect(hidden.status).toBe(422);
      expect(body(hidden).replaceAll('secret', 'absent')).toBe(body(missing));
    }
    // Whoever may read it is told.
    expect(body(await service.post('/v1/deploys', importing('secret')))).toContain('missing-export');
  });

  it('of a release answers a hidden dependency as one that is not there', async () => {
    await service.post('/v1/deploys', exporting('secret', { OUT_host: 'a.example' }));
    await service.settle();
    const of = (producer: string) => release('r', '1', { 'shop-api': { descriptor: { after: [producer] } } });
    const hidden = await service.post('/v1/releases', of('secret'), EVE);
    expect(hidden.status).toBe(422);
    expect(body(hidden).replaceAll('secret', 'absent')).toBe(
      body(await service.post('/v1/releases', of('absent'), EVE)),
    );
  });

  it.each(['/v1/check', '/v1/deploys'])('%s tells whoever may not submit of no id that is taken', async (path) => {
    await service.post('/v1/deploys', deploy('other', '1', { id: 'secret' }));
    const hidden = await service.post(path, deploy('shop-api', '1', { id: 'secret' }), ZOE);
    const missing = await service.post(path, deploy('shop-api', '1', { id: 'absent' }), ZOE);
    expect(hidden.status).toBe(403);
    expect(body(hidden).replaceAll('secret', 'absent')).toBe(body(missing));
    await service.post('/v1/releases', release('secret-r', '1', { other: {} }));
    const taken = await service.post('/v1/releases', release('secret-r', '2', { 'shop-api': {} }), ZOE);
    expect(taken.status).toBe(403);
    const cron = { schedule: { cron: '0 3 * * *', timezone: 'UTC' } };
    expect((await service.post(path, deploy('shop-api', '1', { id: 'secret', ...cron }), ZOE)).status).toBe(403);
  });

  it('is answered to whoever may submit and not read, and may not be read by them later', async () => {
    await grant(['deployment.submit']);
    const sent = await service.post('/v1/deploys', deploy('shop-api', '1', { id: 'd' }), EVE);
    expect(sent).toMatchObject({ status: 202, body: { id: 'd', submittedBy: 'eve' } });
    expect((await service.get('/v1/deploys/d', EVE)).status).toBe(404);
    const started = { id: 'x:1', pipeline: 'x', application: 'shop-api', environment: 'prod' };
    expect(await service.post('/v1/external', started, EVE)).toMatchObject({ status: 202, body: { id: 'x:1' } });
  });

  it('does not say which version a promotion would take, where that may not be read', async () => {
    const prod = { apiVersion: 'renga/v1', kind: 'Environment', name: 'prod', promotion: { from: 'staging' } };
    await service.post('/v1/environments', prod);
    await service.post('/v1/deploys', deploy('shop-api', '41', { environment: 'staging' }));
    await service.settle();
    await grant(['deployment.read', 'deployment.submit'], ['shop-*'], ['prod']);
    const refused = await service.post('/v1/deploys', deploy('shop-api', '42'), EVE);
    expect(body(refused)).toContain('promotion-required');
    expect(body(refused)).not.toContain('41');
    expect(body(await service.post('/v1/deploys', deploy('shop-api', '42')))).toContain('41 is current');
  });
});

describe('what happened to something hidden', () => {
  const fails = { SECONDS: 30, OUTCOME: 'error' };

  it('is not told where a deploy failed because of it: state, list, why, audit', async () => {
    await service.post('/v1/deploys', deploy('other', '7', { id: 'secret' }, fails));
    await service.post('/v1/deploys', deploy('shop-db', '1', { id: 'db', after: ['secret'] }));
    await service.post('/v1/deploys', deploy('shop-api', '1', { id: 'api', after: ['db'] }));
    await service.pass(60);
    const whole = body(await service.get('/v1/deploys/api'));
    expect(whole).toContain('was told to fail');
    for (const path of [
      '/v1/deploys/db',
      '/v1/deploys/api',
      '/v1/deploys',
      '/v1/why/db',
      '/v1/why/api',
      '/v1/deploys/db/audit',
      '/v1/audit',
    ]) {
      const seen = await service.get(path, EVE);
      expect(seen.status).toBe(200);
      expect(body(seen), path).not.toContain('was told to fail');
      expect(body(seen), path).toContain(path.endsWith('/api') ? 'db did not succeed' : 'secret did not succeed');
    }
  });

  it('is not told of the rest of a release that is readable in part', async () => {
    const parts = { other: { params: fails }, 'shop-api': { after: ['other'] } };
    await service.post('/v1/releases', release('r', '1', parts));
    await service.settle();
    expect((await service.get('/v1/releases/r', EVE)).status).toBe(404);
    const waits = body(await service.get('/v1/why/r.shop-api', EVE));
    expect(waits).toContain('r.shop-api waits for r.other.');
    expect(waits).not.toContain('RUNNING');
    await service.post('/v1/releases/r/pause', { reason: 'incident 4711' });
    await service.pass(60);
    for (const path of [
      '/v1/why/r.shop-api',
      '/v1/deploys/r.shop-api',
      '/v1/deploys',
      '/v1/audit',
      '/v1/deploys/r.shop-api/audit',
    ]) {
      const seen = body(await service.get(path, EVE));
      expect(seen, path).not.toContain('was told to fail');
      expect(seen, path).not.toContain('incident 4711');
    }
    expect(body(await service.get('/v1/why/r.shop-api'))).toContain('was told to fail');
  });

  it('is not told in a release that waited for it', async () => {
    await service.post('/v1/deploys', deploy('other', '7', { id: 'secret' }, fails));
    await service.post('/v1/releases', release('r', '1', { 'shop-api': { descriptor: { after: ['secret'] } } }));
    await service.pass(60);
    expect(body(await service.get('/v1/releases/r'))).toContain('was told to fail');
    for (const path of ['/v1/releases/r', '/v1/releases', '/v1/why/r', '/v1/releases/r/audit', '/v1/audit']) {
      const seen = await service.get(path, EVE);
      expect(seen.status).toBe(200);
      expect(body(seen), path).not.toContain('was told to fail');
    }
  });

  it('is not told by the provenance of what was imported from it', async () => {
    await service.post('/v1/deploys', exporting('secret', { OUT_host: 'a.example' }));
    await service.settle();
    const document = importing('secret');
    await service.post('/v1/deploys', {
      ...document,
      deploy: { plugin: 'simulated', paramsFrom: { X: { import: 'x', export: 'host' } } },
    });
    await service.settle();
    expect((await service.deploy('d')).provenance).toEqual({ 'import.x': 'secret@7' });
    expect((await service.get('/v1/deploys/d', EVE)).body).toMatchObject({ provenance: { 'import.x': 'secret' } });
  });
});

describe('a slot or a turn that something hidden has', () => {
  it('is counted and not named', async () => {
    await service.post('/v1/environments', {
      apiVersion: 'renga/v1',
      kind: 'Environment',
      name: 'prod',
      concurrency: 1,
    });
    await service.post('/v1/deploys', deploy('other', '7', { id: 'secret' }, { SECONDS: 600 }));
    await service.settle();
    await service.post('/v1/deploys', deploy('shop-api', '1', { id: 'd' }), EVE);
    await service.settle();
    const why = await service.get('/v1/why/d', EVE);
    expect(body(why)).toContain('1 that you may not see');
    const view = await service.get('/v1/deploys/d', EVE);
    expect(view.body).toMatchObject({ queue: { slots: 1, held: 1, position: 1 } });
    const environment = await service.get('/v1/environments/prod', EVE);
    expect(environment.body).toMatchObject({ queue: { slots: 1, running: [], waiting: ['d'] } });
    for (const seen of [why, view, environment]) expect(body(seen)).not.toContain('secret');
    expect(body(await service.get('/v1/why/d'))).toContain('secret of anna');
  });
});

describe('documents that may not be seen', () => {
  const config = (application: string, more = {}) => ({
    apiVersion: 'renga/v1',
    kind: 'EnvironmentConfig',
    application,
    environment: 'prod',
    ...more,
  });
  const pipeline = (application: string) => ({
    apiVersion: 'renga/v1',
    kind: 'Pipeline',
    name: 'codebuild:secret-build',
    application,
    environment: 'prod',
  });

  it('are taken away as if they were not there', async () => {
    await service.post('/v1/environments', config('other'));
    await service.post('/v1/environments', pipeline('other'));
    const remove = (application: string) => `/v1/environments/prod/remove-configuration?application=${application}`;
    for (const [hidden, missing] of [
      [remove('other'), remove('empty')],
      ['/v1/pipelines/codebuild:secret-build/remove', '/v1/pipelines/codebuild:absent/remove'],
    ] as const) {
      const [one, other] = [
        await service.post(hidden, undefined, EVE),
        await service.post(missing, undefined, EVE),
      ] as const;
      expect(one.status).toBe(404);
      expect(body(one).replaceAll('secret-build', 'absent').replaceAll('other', 'empty')).toBe(body(other));
    }
    const access = ['shop', 'absent'].map((name) => service.post(`/v1/access/${name}/remove`, undefined, EVE));
    const [known, unknown] = await Promise.all(access);
    expect(known?.status).toBe(403);
    expect(known?.body).toEqual(unknown?.body);
    expect((await service.get('/v1/access/shop', EVE)).body).toEqual((await service.get('/v1/access/x', EVE)).body);
    expect((await service.get('/v1/environments/prod')).body).toMatchObject({
      configurations: [{ document: { application: 'other' } }],
    });
  });

  it('do not tell in a refusal what they are about', async () => {
    await service.post('/v1/environments', pipeline('other'));
    const refused = await service.post('/v1/environments', pipeline('shop-api'), EVE);
    expect(refused.status).toBe(403);
    expect(body(refused)).not.toContain('other');
    expect(body(await service.get('/v1/pipelines', EVE))).not.toContain('secret-build');
  });

  it('are not in the audit of whoever may read something else in that environment', async () => {
    await service.post('/v1/environments', config('other', { params: { HOST: 'a.internal' } }));
    await service.post('/v1/environments', config('other', { params: { HOST: 'b.internal' } }));
    await service.post('/v1/environments', config('shop-api'));
    await service.post('/v1/environments', pipeline('other'));
    const seen = body(await service.get('/v1/audit', EVE));
    expect(seen).toContain('EnvironmentConfig shop-api/prod');
    for (const hidden of ['other', 'internal', 'secret-build']) expect(seen).not.toContain(hidden);
    expect(body(await service.get('/v1/audit'))).toContain('b.internal');
    expect((await service.get('/v1/environments/prod', EVE)).body).toMatchObject({
      configurations: [{ document: { application: 'shop-api' } }],
    });
  });

  it('can not be read through an environment that imports them', async () => {
    const imports = { net: { current: { application: 'other' } } };
    const document = config('shop-api', { imports, paramsFrom: { HOST: { import: 'net', export: 'host' } } });
    const refused = await service.post('/v1/environments', document, EVE);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(body(refused)).toContain('deployment.read on other in prod');
    expect((await service.post('/v1/environments', document)).status).toBe(200);
  });
});

describe('a deploy of another pipeline', () => {
  it('that may not be read is concluded as one that has not started, and stays as it was', async () => {
    const started = { id: 'x:1', pipeline: 'x', application: 'other', environment: 'prod' };
    await service.post('/v1/external', started);
    const [hidden, missing] = [
      await service.post('/v1/external/x:1/conclude', { state: 'SUCCESS' }, EVE),
      await service.post('/v1/external/x:2/conclude', { state: 'SUCCESS' }, EVE),
    ];
    expect(hidden.status).toBe(200);
    expect(body(hidden).replaceAll('x:1', 'x:2')).toBe(body(missing));
    await service.settle();
    expect((await service.deploy('x:1')).state).toBe('RUNNING');
  });

  it('can not be concluded by whoever may submit nothing', async () => {
    const refused = await service.post('/v1/external/x:1/conclude', { state: 'SUCCESS' }, ZOE);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
});

describe('lists', () => {
  it('are paged over what may be read alone', async () => {
    for (const at of [1, 2, 3, 4, 5]) {
      await service.post('/v1/deploys', deploy('other', '1', { id: `hidden-${at}`, environment: `e${at}` }));
      await service.post('/v1/deploys', deploy('shop-api', '1', { id: `seen-${at}`, environment: `e${at}` }));
      const cron = { schedule: { cron: '0 3 * * *', timezone: 'UTC' } };
      await service.post('/v1/deploys', deploy('other', '1', { id: `hidden-s${at}`, ...cron }));
      await service.post('/v1/deploys', deploy('shop-api', '1', { id: `seen-s${at}`, ...cron }));
      await service.post('/v1/releases', release(`hidden-r${at}`, '1', { other: {}, 'shop-web': {} }));
      await service.post('/v1/releases', release(`seen-r${at}`, '1', { 'shop-web': {} }));
      await service.settle();
      await service.pass(1);
    }
    for (const [path, expected] of [
      ['/v1/deploys?application=shop-api', 5],
      ['/v1/releases', 5],
      ['/v1/schedules', 5],
      ['/v1/inventory', 6],
    ] as const) {
      const found: unknown[] = [];
      const glue = path.includes('?') ? '&' : '?';
      let cursor: string | undefined;
      for (let page = 0; page < 30; page++) {
        const at = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const answered = (await service.get(`${path}${glue}limit=2${at}`, EVE)).body as {
          items: unknown[];
          cursor?: string;
        };
        expect(answered.items.length).toBeLessThanOrEqual(2);
        found.push(...answered.items);
        cursor = answered.cursor;
        if (cursor === undefined) break;
      }
      expect(cursor).toBeUndefined();
      expect(found.length, path).toBe(expected);
      expect(JSON.stringify(found), path).not.toMatch(/hidden-s?\d|"other"/);
    }
  });
});
