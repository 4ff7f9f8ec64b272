/** What chains and releases ask of whoever submits, reads, promotes and tries again. Eve, of the group shop, has what documents give. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answered, deploy, openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const EVE = { token: 'token-of-the-shop' };
const body = ({ body }: Answered) => JSON.stringify(body);
const own = (more: object = {}) => deploy('shop-api', '1', { id: 'd', ...more });
const importing = (producer: string) => ({
  imports: { x: { deployment: producer } },
  deploy: { plugin: 'simulated', paramsFrom: { X: { import: 'x', export: 'y' } } },
});

async function grant(permissions: readonly string[], environments = ['*'], name = 'shop') {
  const granted = await service.post('/v1/access', {
    apiVersion: 'renga/v1',
    kind: 'Access',
    name,
    roles: { team: permissions },
    bindings: [{ role: 'team', subjects: ['group:shop'], applications: ['shop-*'], environments }],
  });
  expect(granted.status).toBe(200);
}

/** A deploy of somebody else, which eve may not read. */
async function secret() {
  await service.post('/v1/deploys', deploy('other', '1', { id: 'secret' }));
  await service.settle();
}

describe('what may not be read', () => {
  it.each(['/v1/check', '/v1/releases'])(
    '%s answers as an outside dependency of a release that is not there',
    async (path) => {
      await grant(['deployment.read', 'deployment.submit']);
      await secret();
      const waiting = (id: string) => release('r', '1', { 'shop-api': { descriptor: { after: [id] } } });
      const hidden = await service.post(path, waiting('secret'), EVE);
      const missing = await service.post(path, waiting('absent'), EVE);
      expect(hidden.status).toBe(422);
      expect(body(hidden).replaceAll('secret', 'absent')).toBe(body(missing));
      expect((await service.post(path, waiting('secret'))).status).toBeLessThan(300);
    },
  );

  it('answers as a producer that is not there', async () => {
    await grant(['deployment.read', 'deployment.submit']);
    await secret();
    const wanted = (id: string) => own({ after: [id], ...importing(id) });
    const hidden = await service.post('/v1/deploys', wanted('secret'), EVE);
    const missing = await service.post('/v1/deploys', wanted('absent'), EVE);
    expect(hidden).toMatchObject({ status: 422, body: { problems: [{ code: 'unknown-dependency' }] } });
    const problems = ({ body }: Answered) => JSON.stringify((body as { problems: unknown }).problems);
    expect(problems(hidden).replaceAll('secret', 'absent')).toBe(problems(missing));
  });

  it('of an import of what is current is asked of the environment that it names', async () => {
    await grant(['deployment.read', 'deployment.submit'], ['prod']);
    const exports = { y: { from: 'deploy.y', pattern: '.*' } };
    for (const environment of ['prod', 'shared']) {
      const id = `db-${environment}`;
      await service.post('/v1/deploys', deploy('shop-db', '1', { id, environment, exports }, { OUT_y: '1' }));
      await service.pass(1);
    }
    const reading = (current: object) =>
      own({ imports: { x: { current: { application: 'shop-db', ...current } } }, deploy: importing('').deploy });
    expect(await service.post('/v1/deploys', reading({ environment: 'shared' }), EVE)).toMatchObject({
      status: 422,
      body: { problems: [{ code: 'nothing-current' }] },
    });
    expect((await service.post('/v1/deploys', reading({}), EVE)).status).toBe(202);
  });
});

it('what may not be submitted may not be checked either, and is refused in the same words', async () => {
  await grant(['deployment.read']);
  for (const [path, document] of [
    ['/v1/deploys', own()],
    ['/v1/releases', release('r', '1', { 'shop-api': {}, 'shop-db': { after: ['shop-api'] } })],
  ] as const) {
    const checked = await service.post('/v1/check', document, EVE);
    expect(checked).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(checked.body).toEqual((await service.post(path, document, EVE)).body);
  }
});

describe('a release', () => {
  it('needs deployment.freeze-override for each deploy that overrides a freeze', async () => {
    await grant(['deployment.read', 'deployment.submit']);
    const overriding = release('r', '1', {
      'shop-db': {},
      'shop-api': { descriptor: { freezeOverride: 'incident 4711' } },
    });
    const refused = await service.post('/v1/releases', overriding, EVE);
    expect(refused).toMatchObject({
      status: 403,
      body: { problems: [{ code: 'not-permitted', path: 'deploys[1].descriptor.freezeOverride' }] },
    });
    await grant(['deployment.read', 'deployment.submit', 'deployment.freeze-override']);
    expect((await service.post('/v1/releases', overriding, EVE)).status).toBe(202);
  });

  it('with onFailure: rollback needs deployment.rollback for each of its deploys', async () => {
    await grant(['deployment.read', 'deployment.submit']);
    await grant(['deployment.rollback'], ['staging'], 'staging');
    const document = release(
      'r',
      '1',
      { 'shop-db': { descriptor: { environment: 'staging' } }, 'shop-api': {} },
      { onFailure: 'rollback', mode: 'dag' },
    );
    expect(await service.post('/v1/releases', document, EVE)).toMatchObject({
      status: 403,
      body: { problems: [{ path: 'deploys[1].descriptor.application', message: expect.stringContaining('rollback') }] },
    });
    expect((await service.get('/v1/releases/r')).status).toBe(404);
    const stopping = { ...document, onFailure: 'stop' };
    expect((await service.post('/v1/releases', stopping, EVE)).status).toBe(202);
  });

  it('is tried again by who may submit it alone', async () => {
    await service.post('/v1/releases', release('r', '1', { 'shop-api': { params: { OUTCOME: 'error' } } }));
    await service.pass(5);
    await grant(['deployment.read', 'deployment.cancel']);
    expect(await service.post('/v1/releases/r/retry', undefined, EVE)).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    await grant(['deployment.read', 'deployment.submit']);
    expect((await service.post('/v1/releases/r/retry', undefined, EVE)).status).toBe(202);
  });
});

it('to promote a deploy needs deployment.read where it is, and deployment.submit where it goes', async () => {
  await service.post('/v1/deploys', own());
  await service.pass(1);
  const promote = () => service.post('/v1/deploys/d/promote', { environment: 'live', id: 'on' }, EVE);
  await grant(['deployment.submit'], ['live']);
  expect((await promote()).status).toBe(404);
  await grant(['deployment.read'], ['prod', 'live'], 'read');
  await grant(['deployment.submit'], ['prod']);
  expect((await promote()).status).toBe(403);
  await grant(['deployment.submit'], ['live']);
  expect((await promote()).status).toBe(202);
});
