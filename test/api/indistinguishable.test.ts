/** What somebody may not read answers them as what does not exist, on every route and in everything that names it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTE_LIST } from '../../api/handlers.ts';
import { deploy, openService, release, type Service } from './service.ts';

let service: Service;
/** Eve may submit and read `shop`, and nothing of `hidden`; Zoe may nothing at all. */
const EVE = { token: 'token-of-the-shop' };
const ZOE = { token: 'token-of-zoe-alone' };
const simulated = { plugin: 'simulated', params: {} };
const cron = { cron: '0 3 * * *', timezone: 'UTC' };

/** What is there, by the first part of the path of its routes. */
const THERE: Readonly<Record<string, string>> = {
  releases: 'hidden-release',
  deploys: 'hidden-deploy',
  why: 'hidden-deploy',
  schedules: 'hidden-schedule',
  external: 'hidden-external',
  environments: 'vault',
  pipelines: 'hidden-pipeline',
  access: 'rights-of-eve',
};
/** A name of the same length that nothing has. */
const absent = (id: string) => id.replace('hidden', 'absent').replace('vault', 'crypt').replace(/eve$/, 'bob');

beforeAll(async () => {
  service = await openService();
  const set = async (path: string, body: object) =>
    expect((await service.post(path, { apiVersion: 'renga/v1', ...body })).status, JSON.stringify(body)).toBe(200);
  await set('/v1/access', {
    kind: 'Access',
    name: 'rights-of-eve',
    roles: { developer: ['deployment.read', 'deployment.submit', 'environment.write'] },
    bindings: [{ role: 'developer', subjects: ['user:eve'], applications: ['shop'], environments: ['prod'] }],
  });
  const exports = { secret: { from: 'deploy.secret', pattern: '[a-z]+' } };
  const params = { OUT_secret: 'hush' };
  const started = [
    service.post(
      '/v1/deploys',
      deploy('hidden', '1', { id: 'hidden-deploy', exports, deploy: { ...simulated, params } }),
    ),
    service.post('/v1/deploys', deploy('hidden', '1', { id: 'hidden-schedule', schedule: cron })),
    service.post('/v1/releases', release('hidden-release', '1', { hidden: {} })),
    service.post('/v1/external', {
      id: 'hidden-external',
      pipeline: 'hidden-pipeline',
      application: 'hidden',
      environment: 'prod',
    }),
  ];
  for (const { status } of await Promise.all(started)) expect(status).toBe(202);
  await set('/v1/environments', { kind: 'Environment', name: 'vault' });
  await set('/v1/environments', { kind: 'EnvironmentConfig', application: 'hidden', environment: 'vault' });
  await set('/v1/environments', {
    kind: 'Pipeline',
    name: 'hidden-pipeline',
    application: 'hidden',
    environment: 'prod',
  });
  await service.pass(5);
});
afterAll(() => service.close());

const BODIES: Readonly<Record<string, object>> = {
  concludeExternal: { state: 'ERROR' },
  rejectDeploy: { reason: 'no' },
  promoteDeploy: { environment: 'dev' },
};
const named = ROUTE_LIST.filter(([, route]) => route.path.includes('{id}') && !route.path.includes('callbacks'));

describe.each([
  ['who may something elsewhere', EVE],
  ['who may nothing', ZOE],
])('to somebody %s', (_, who) => {
  it.each(named)('%s', async (name, route) => {
    const id = THERE[route.path.split('/')[2] ?? ''] ?? '';
    const query = name === 'removeConfiguration' ? '?application=hidden' : '';
    // The second time, too: what is remembered of the first is the same.
    for (const time of [1, 2]) {
      const [known, unknown] = await Promise.all(
        [id, absent(id)].map(async (each) => {
          const { status, body } = await service.call(
            route.method.toUpperCase(),
            route.path.replace('{id}', each) + query,
            {
              ...who,
              ...(route.method === 'post' && { body: BODIES[name] ?? {} }),
            },
          );
          return { status, text: JSON.stringify(body).replaceAll(each, '<id>') };
        }),
      );
      expect(known, `time ${time}`).toEqual(unknown);
    }
  });
});

it('a conclusion of what is not theirs changes nothing, and the owner concludes it all the same', async () => {
  await service.post('/v1/external/hidden-external/conclude', { state: 'ERROR' }, EVE);
  expect(await service.deploy('hidden-external')).toMatchObject({ state: 'RUNNING' });
});

it('who may submit nowhere concludes nothing, and nothing is kept of it', async () => {
  const answer = await service.post('/v1/external/not-yet/conclude', { state: 'SUCCESS' }, ZOE);
  expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden', hint: expect.any(String) } });
  expect(await service.engine.ports.store.external.kept('not-yet', 'user:zoe')).toBeUndefined();
});

/** Two documents that differ in a name alone, the one of something hidden, the other of nothing. */
const documents: Record<string, (name: string) => object> = {
  'a wait': (id) => deploy('shop', '1', { id: 'q', after: [id] }),
  'an import, whose exports are not named either': (id) =>
    deploy('shop', '1', {
      id: 'q',
      after: [id],
      imports: { it: { deployment: id } },
      deploy: { ...simulated, paramsFrom: { X: { import: 'it', export: 'guess' } } },
    }),
  'a wait in a release': (id) => release('q', '1', { shop: { descriptor: { after: [id] } } }),
  'an import in a release': (id) =>
    release('q', '1', {
      shop: {
        descriptor: {
          after: [id],
          imports: { it: { deployment: id } },
          deploy: { ...simulated, paramsFrom: { X: { import: 'it', export: 'guess' } } },
        },
      },
    }),
};

it.each(Object.entries(documents))('what is checked does not tell: %s', async (_, document) => {
  for (const path of [
    '/v1/check',
    (document('x') as { kind?: string }).kind === 'Release' ? '/v1/releases' : '/v1/deploys',
  ]) {
    const [known, unknown] = await Promise.all(
      ['hidden-deploy', absent('hidden-deploy')].map(async (id) => {
        const { status, body } = await service.post(path, document(id), EVE);
        return {
          status,
          text: JSON.stringify(body).replaceAll(id, '<id>'),
        };
      }),
    );
    expect(known?.status).toBe(422);
    expect(known).toEqual(unknown);
  }
});

it.each([
  ['/v1/deploys', (id: string) => deploy('shop', '1', { id }), 'hidden-deploy'],
  ['/v1/deploys', (id: string) => deploy('shop', '1', { id, schedule: cron }), 'hidden-schedule'],
  ['/v1/deploys', (id: string) => deploy('shop', '1', { id, schedule: cron }), 'hidden-deploy'],
  ['/v1/releases', (id: string) => release(id, '1', { shop: {} }), 'hidden-release'],
])('an id that is taken is told to those who might have had it, and to nobody else: %s', async (path, document, id) => {
  for (const asked of [path, '/v1/check']) {
    const taken = await service.post(asked, document(id), EVE);
    expect(taken).toMatchObject({ status: 409, body: { code: 'id-taken' } });
    expect(taken.body).not.toHaveProperty('differences');
    const answers = await Promise.all([id, absent(id)].map((each) => service.post(asked, document(each), ZOE)));
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    // A long line is shown from its middle: what is left of an id there is no sign of anything.
    const [known, unknown] = answers.map(({ body }) =>
      JSON.stringify(body, (key, value) => (key === 'source' ? '' : value)),
    );
    expect(known?.replaceAll(id, '<id>')).toEqual(unknown?.replaceAll(absent(id), '<id>'));
  }
});

it('a plan does not tell which version is current where its reader may not read', async () => {
  const deploys = (version: string) =>
    [
      { name: 'shop', tags: ['x'], after: ['hidden'], descriptor: deploy('shop', '1') },
      { name: 'hidden', descriptor: deploy('hidden', version) },
    ] as const;
  const planOf = (version: string) =>
    service.post(
      '/v1/plan?tags=x',
      { apiVersion: 'renga/v1', kind: 'Release', id: 'q', deploys: deploys(version) },
      EVE,
    );
  const [current, other] = await Promise.all([planOf('1'), planOf('9')]);
  expect(current?.status).toBe(422);
  expect(current?.status).toEqual(other?.status);
});

it('why names what a deploy waits for also to whoever may not read that, and says nothing else of it', async () => {
  await service.post(
    '/v1/deploys',
    deploy('hidden', '2', { id: 'endless', deploy: { ...simulated, params: { SECONDS: 'never' } } }),
  );
  await service.post('/v1/deploys', deploy('shop', '1', { id: 'waits', after: ['endless'] }));
  await service.pass(1);
  const { summary, reasons } = (await service.get('/v1/why/waits', EVE)).body as { summary: string; reasons: object[] };
  expect(summary).toBe('waits waits for what it comes after.');
  expect(reasons).toMatchObject([{ text: 'waits waits for endless.' }]);
});
