/** Who may do what over HTTP. Anna is an administrator; eve, of the group shop, and zoe have what documents give them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROUTE_LIST } from '../../api/handlers.ts';
import { type Answered, openService } from './service.ts';

type Service = Awaited<ReturnType<typeof openService>>;
let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const EVE = { token: 'token-of-the-shop' };
const ZOE = { token: 'token-of-zoe-alone' };

const deploy = (id: string, more: Record<string, unknown> = {}) => ({
  apiVersion: 'renga/v1',
  id,
  application: 'shop-api',
  environment: 'prod',
  artifact: { type: 'application', name: 'shop-api', version: id },
  deploy: { plugin: 'simulated' },
  ...more,
});
const release = (id: string, deploys: Record<string, Record<string, unknown>>, more: object = {}) => ({
  apiVersion: 'renga/v1',
  kind: 'Release',
  id,
  deploys: Object.entries(deploys).map(([name, descriptor]) => {
    const { id: _, ...rest } = deploy(name, descriptor);
    return { name, descriptor: rest };
  }),
  ...more,
});
const place = (application: string, environment = 'prod') => ({
  application,
  environment,
  artifact: { type: 'application', name: application, version: '1' },
});

/** Gives the group shop these permissions on applications that begin with `shop-`. */
async function grant(permissions: readonly string[], environments = ['*'], applications = ['shop-*']) {
  const document = {
    apiVersion: 'renga/v1',
    kind: 'Access',
    name: 'shop',
    roles: { team: permissions.length === 0 ? ['deployment.read'] : permissions },
    bindings: permissions.length === 0 ? [] : [{ role: 'team', subjects: ['group:shop'], applications, environments }],
  };
  expect((await service.post('/v1/access', document)).status).toBe(200);
}
const body = ({ body }: Answered) => JSON.stringify(body);

describe('submitting', () => {
  it('needs deployment.submit, and without it nothing is stored', async () => {
    await grant(['deployment.read']);
    const refused = await service.post('/v1/deploys', deploy('d'), EVE);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(body(refused)).toContain('deployment.submit is needed on shop-api in prod');
    expect((await service.get('/v1/deploys/d')).status).toBe(404);
    await grant(['deployment.read', 'deployment.submit']);
    expect((await service.post('/v1/deploys', deploy('d'), EVE)).status).toBe(202);
  });

  it('holds for the place alone that the binding names', async () => {
    await grant(['deployment.read', 'deployment.submit'], ['staging']);
    expect((await service.post('/v1/deploys', deploy('d'), EVE)).status).toBe(403);
    expect((await service.post('/v1/deploys', deploy('d', { environment: 'staging' }), EVE)).status).toBe(202);
    expect((await service.post('/v1/deploys', deploy('e', { ...place('other', 'staging') }), EVE)).status).toBe(403);
  });

  it('needs deployment.freeze-override where a descriptor overrides', async () => {
    await grant(['deployment.read', 'deployment.submit']);
    const refused = await service.post('/v1/deploys', deploy('d', { freezeOverride: 'incident' }), EVE);
    expect(refused.status).toBe(403);
    expect(body(refused)).toContain('deployment.freeze-override');
  });

  it('a release needs it for each of its deploys, and deployment.rollback with onFailure: rollback', async () => {
    await grant(['deployment.read', 'deployment.submit']);
    const mixed = release('r', { a: {}, b: place('other') });
    const refused = await service.post('/v1/releases', mixed, EVE);
    expect(refused.status).toBe(403);
    expect(body(refused)).toContain('deploys[1].descriptor.application');
    const back = release('r', { a: {} }, { onFailure: 'rollback' });
    expect(body(await service.post('/v1/releases', back, EVE))).toContain('deployment.rollback');
    await grant(['deployment.read', 'deployment.submit', 'deployment.rollback']);
    expect((await service.post('/v1/releases', back, EVE)).status).toBe(202);
  });

  it.each(['/v1/check', '/v1/deploys'])(
    '%s answers a dependency that may not be read as one that is not there',
    async (path) => {
      await grant(['deployment.read', 'deployment.submit']);
      await service.post('/v1/deploys', deploy('secret', place('other')));
      await service.settle();
      const hidden = await service.post(path, deploy('d', { after: ['secret'] }), EVE);
      const missing = await service.post(path, deploy('d', { after: ['absent'] }), EVE);
      expect(hidden.status).toBe(422);
      expect(body(hidden).replaceAll('secret', 'absent')).toBe(body(missing));
    },
  );

  it('answers a current import that may not be read as one of which nothing is current', async () => {
    await grant(['deployment.read', 'deployment.submit']);
    await service.post('/v1/deploys', deploy('secret', { ...place('other') }));
    await service.settle();
    const importing = (application: string) =>
      deploy('d', {
        imports: { x: { current: { application } } },
        deploy: { plugin: 'simulated', paramsFrom: { X: { import: 'x', export: 'y' } } },
      });
    const hidden = await service.post('/v1/deploys', importing('other'), EVE);
    const missing = await service.post('/v1/deploys', importing('empty'), EVE);
    expect(hidden.status).toBe(422);
    expect(body(hidden).replaceAll('other', 'empty')).toBe(body(missing));
  });

  it('an id that somebody else has taken is refused without a word about theirs', async () => {
    await grant(['deployment.read', 'deployment.submit']);
    await service.post('/v1/deploys', deploy('taken', { ...place('other') }));
    const refused = await service.post('/v1/deploys', deploy('taken'), EVE);
    expect(refused).toMatchObject({ status: 409, body: { code: 'id-taken' } });
    expect(refused.body).not.toHaveProperty('differences');
    await service.post('/v1/releases', release('r', { a: place('other') }));
    const again = await service.post('/v1/releases', release('r', { a: {} }), EVE);
    expect(again).toMatchObject({ status: 409, body: { code: 'id-taken' } });
    expect(again.body).not.toHaveProperty('differences');
    const own = await service.post('/v1/releases', release('r', { a: {} }));
    expect(own.body).toHaveProperty('differences');
  });
});

describe('reading', () => {
  it('every route with an id answers for what may not be read as for what is not there', async () => {
    await grant([]);
    await service.post('/v1/deploys', deploy('secret', { ...place('other') }));
    await service.post('/v1/releases', release('secret-r', { a: place('other') }));
    await service.post('/v1/deploys', {
      ...deploy('secret-s', place('other')),
      schedule: { cron: '0 3 * * *', timezone: 'UTC' },
    });
    await service.settle();
    const ids: Record<string, string> = { releases: 'secret-r', schedules: 'secret-s', why: 'secret' };
    const seen: string[] = [];
    for (const [name, route] of ROUTE_LIST) {
      const kind = route.path.split('/')[2] ?? '';
      if (
        !route.path.includes('{id}') ||
        ['access', 'pipelines', 'callbacks', 'external', 'environments'].includes(kind)
      )
        continue;
      const ask = (id: string) => {
        const path = route.path.replace('{id}', id);
        const sent =
          name === 'promoteDeploy' ? { environment: 'staging' } : name === 'rejectDeploy' ? { reason: 'x' } : undefined;
        return route.method === 'get' ? service.get(path, ZOE) : service.post(path, sent, ZOE);
      };
      const id = ids[kind] ?? 'secret';
      const [hidden, missing] = [await ask(id), await ask('absent')];
      expect(hidden.status, name).toBe(404);
      expect(body(hidden).replaceAll(id, 'absent'), name).toBe(body(missing));
      seen.push(name);
    }
    expect(seen.length).toBeGreaterThan(15);
  });

  it('a release needs read on all of its deploys, and lists show only what is wholly readable', async () => {
    await grant(['deployment.read']);
    await service.post('/v1/releases', release('whole', { a: {}, b: place('shop-web') }));
    await service.post('/v1/releases', release('partly', { a: place('shop-db'), b: place('other') }));
    await service.settle();
    expect((await service.get('/v1/releases/whole', EVE)).status).toBe(200);
    expect((await service.get('/v1/releases/partly', EVE)).status).toBe(404);
    const list = (await service.get('/v1/releases', EVE)).body as { items: { id: string }[] };
    expect(list.items.map(({ id }) => id)).toEqual(['whole']);
    const deploys = (await service.get('/v1/deploys', EVE)).body as { items: { id: string }[] };
    expect(deploys.items.map(({ id }) => id).sort()).toEqual(['partly.a', 'whole.a', 'whole.b']);
    const inventory = (await service.get('/v1/inventory', EVE)).body as { items: { application: string }[] };
    expect(inventory.items.map(({ application }) => application)).not.toContain('other');
    expect(body(await service.get('/v1/audit', EVE))).not.toContain('"other"');
    expect(body(await service.get('/v1/audit', EVE))).not.toContain('"id":"partly"');
    expect((await service.get('/v1/events', EVE)).status).toBe(403);
  });

  it('of a deploy’s dependencies shows those that may be read, and of others that they are there alone', async () => {
    await grant(['deployment.read']);
    await service.post(
      '/v1/deploys',
      deploy('secret', { ...place('other'), deploy: { plugin: 'simulated', params: { SECONDS: 100 } } }),
    );
    await service.post('/v1/deploys', deploy('d', { after: ['secret'] }));
    await service.settle();
    const view = (await service.get('/v1/deploys/d', EVE)).body as { after: unknown };
    expect(view.after).toMatchObject({ dependencies: [{ id: 'secret', state: 'UNKNOWN' }] });
    const why = body(await service.get('/v1/why/d', EVE));
    expect(why).toContain('d waits for secret.');
    expect(why).not.toContain('RUNNING');
    expect(body(await service.get('/v1/why/d'))).toContain('RUNNING');
  });

  it('is over as soon as the document that allowed it is taken away', async () => {
    await grant(['deployment.read']);
    await service.post('/v1/deploys', deploy('d'));
    expect((await service.get('/v1/deploys/d', EVE)).status).toBe(200);
    expect((await service.post('/v1/access/shop/remove')).status).toBe(200);
    expect((await service.get('/v1/deploys/d', EVE)).status).toBe(404);
  });
});

describe('acting', () => {
  it.each([
    ['cancel', 'deployment.cancel', undefined],
    ['approve', 'deployment.approve', undefined],
    ['reject', 'deployment.approve', { reason: 'no' }],
    ['rollback', 'deployment.rollback', undefined],
  ])('to %s a deploy needs %s', async (action, permission, sent) => {
    await service.post('/v1/environments', {
      apiVersion: 'renga/v1',
      kind: 'Environment',
      name: 'prod',
      approval: { required: 1 },
    });
    await service.post('/v1/deploys', deploy('d'));
    await service.settle();
    await grant(['deployment.read']);
    const refused = await service.post(`/v1/deploys/d/${action}`, sent, EVE);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(body(refused)).toContain(permission);
    await grant(['deployment.read', permission]);
    expect((await service.post(`/v1/deploys/d/${action}`, sent, EVE)).status).not.toBe(403);
  });

  it.each(['cancel', 'pause', 'resume'])(
    'to %s a release needs deployment.cancel on all of its deploys',
    async (action) => {
      const slow = { deploy: { plugin: 'simulated', params: { SECONDS: 100 } } };
      await service.post('/v1/releases', release('r', { a: slow, b: { ...place('shop-web', 'staging'), ...slow } }));
      await service.settle();
      await grant(['deployment.read', 'deployment.cancel'], ['prod']);
      expect((await service.post(`/v1/releases/r/${action}`, undefined, EVE)).status).toBe(404);
      const document = {
        apiVersion: 'renga/v1',
        kind: 'Access',
        name: 'read',
        roles: { read: ['deployment.read'] },
        bindings: [{ role: 'read', subjects: ['user:eve'] }],
      };
      await service.post('/v1/access', document);
      expect((await service.post(`/v1/releases/r/${action}`, undefined, EVE)).status).toBe(403);
      await grant(['deployment.read', 'deployment.cancel']);
      expect((await service.post(`/v1/releases/r/${action}`, undefined, EVE)).status).toBeLessThan(300);
    },
  );

  it('to change an environment needs environment.write on it, and to change access access.write everywhere', async () => {
    const prod = { apiVersion: 'renga/v1', kind: 'Environment', name: 'prod', concurrency: 1 };
    const config = { apiVersion: 'renga/v1', kind: 'EnvironmentConfig', application: 'shop-api', environment: 'prod' };
    const access = {
      apiVersion: 'renga/v1',
      kind: 'Access',
      name: 'mine',
      roles: { all: ['access.write'] },
      bindings: [],
    };
    await grant(['environment.write', 'access.write'], ['prod']);
    expect((await service.post('/v1/environments', prod, EVE)).status).toBe(403);
    expect((await service.post('/v1/environments', config, EVE)).status).toBe(200);
    expect((await service.post('/v1/environments', { ...config, application: 'other' }, EVE)).status).toBe(403);
    expect((await service.post('/v1/access', access, EVE)).status).toBe(403);
    await grant(['environment.write', 'access.write'], ['*'], ['*']);
    expect((await service.post('/v1/environments', prod, EVE)).status).toBe(200);
    expect((await service.post('/v1/access', access, EVE)).status).toBe(200);
  });

  it('who has nothing is told what they are and what they may', async () => {
    await grant(['deployment.read']);
    expect((await service.get('/v1/me', EVE)).body).toEqual({
      subject: 'eve',
      kind: 'user',
      groups: ['shop'],
      administrator: false,
      grants: [{ permission: 'deployment.read', applications: ['shop-*'], environments: ['*'] }],
    });
    expect((await service.get('/v1/me', ZOE)).body).toMatchObject({ grants: [] });
  });
});

describe('environments and what was there', () => {
  it('documents are applied, compared, listed and taken away, and all of it stands in the audit', async () => {
    const prod = { apiVersion: 'renga/v1', kind: 'Environment', name: 'prod', concurrency: 1 };
    expect((await service.post('/v1/environments', prod)).body).toMatchObject({ result: 'created', name: 'prod' });
    expect((await service.post('/v1/environments', prod)).body).toMatchObject({ result: 'unchanged' });
    const wider = { ...prod, concurrency: 2 };
    const dry = await service.post('/v1/environments?dryRun=true', wider);
    expect(dry.body).toMatchObject({ result: 'changed', differences: ['concurrency: 1 → 2'] });
    expect((await service.get('/v1/environments/prod')).body).toMatchObject({ document: { concurrency: 1 } });
    await service.post('/v1/environments', wider);
    expect((await service.get('/v1/environments')).body).toMatchObject({
      items: [{ name: 'prod', document: { concurrency: 2 } }],
    });
    const config = { apiVersion: 'renga/v1', kind: 'EnvironmentConfig', application: 'shop-api', environment: 'prod' };
    await service.post('/v1/environments', config);
    expect((await service.get('/v1/environments/prod')).body).toMatchObject({ configurations: [{ document: config }] });
    const removed = await service.post('/v1/environments/prod/remove-configuration?application=shop-api');
    expect(removed.status).toBe(200);
    expect((await service.get('/v1/environments/prod')).body).toMatchObject({ configurations: [] });
    const audit = (await service.get('/v1/audit')).body as { items: { action: string; to: string }[] };
    expect(audit.items.map(({ action, to }) => `${action} ${to}`)).toEqual([
      'setting.removed EnvironmentConfig shop-api/prod',
      'setting.created EnvironmentConfig shop-api/prod',
      'setting.changed Environment prod',
      'setting.created Environment prod',
    ]);
  });

  it.each([
    [{ concurrency: 0 }],
    [{ freezes: [{ from: '2026-10-12T22:00:00', to: '2026-10-13T22:00:00Z', reason: 'x' }] }],
    [{ freezes: [{ cron: '0 2 * * *', duration: '30 minutes', timezone: 'UTC' }] }],
    [{ freezes: [{ cron: '0 2 * * *', duration: '30m', timezone: 'Europe/Rom' }] }],
    [{ promotion: { from: 'prod' } }],
    [{ approvals: { required: 1 } }],
  ])('an environment with %j is refused, and nothing of it holds', async (more) => {
    const refused = await service.post('/v1/environments', {
      apiVersion: 'renga/v1',
      kind: 'Environment',
      name: 'prod',
      ...more,
    });
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid-document' } });
    expect((await service.get('/v1/environments/prod')).status).toBe(404);
  });

  it('a deploy goes back by hand to what was there, and is promoted to another environment', async () => {
    for (const id of ['v1', 'v2', 'v3']) {
      await service.post('/v1/deploys', deploy(id));
      await service.pass(1);
    }
    const history = (await service.get('/v1/revisions?application=shop-api&environment=prod')).body;
    expect(history).toMatchObject({ items: [{ deploy: 'v3', current: true }, { deploy: 'v2' }, { deploy: 'v1' }] });
    expect((await service.post('/v1/deploys/v2/rollback')).body).toMatchObject({ code: 'superseded' });
    expect((await service.post('/v1/deploys/v3/rollback', { to: 'v9' })).body).toMatchObject({
      code: 'no-previous-version',
    });
    const back = await service.post('/v1/deploys/v3/rollback', { to: 'v1', id: 'back' });
    expect(back).toMatchObject({
      status: 202,
      body: { kind: 'rollback', rollsBack: 'v3', artifact: { version: 'v1' } },
    });
    await service.pass(1);
    expect((await service.get('/v1/inventory')).body).toMatchObject({
      items: [{ deploy: 'back', artifact: { version: 'v1' } }],
    });
    const on = await service.post('/v1/deploys/v3/promote', { environment: 'qa', id: 'on' });
    expect(on).toMatchObject({ status: 202, body: { environment: 'qa', promotes: 'v3', artifact: { version: 'v3' } } });
    await service.pass(1);
    expect(await service.deploy('on')).toMatchObject({ state: 'SUCCESS' });
  });
});
