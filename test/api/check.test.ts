import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploy, openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

describe('checking what has been submitted before', () => {
  const shop = release('shop', '1', { db: {}, api: { after: ['db'] } });
  const db = deploy('db', '9', { id: 'db-9' });

  it.each([
    ['release', '/v1/releases', shop, { ...shop, onFailure: 'continue' }, 'onFailure: "stop" → "continue"'],
    ['deploy', '/v1/deploys', db, deploy('db', '10', { id: 'db-9' }), 'artifact.version: "9" → "10"'],
  ])('finds the same %s fine, and another under its id taken', async (_, path, same, other, difference) => {
    await service.post(path, same);
    await service.pass(5);
    expect(await service.post('/v1/check', same)).toMatchObject({ status: 200, body: { problems: [] } });
    expect(await service.post('/v1/check', other)).toMatchObject({
      status: 409,
      body: { code: 'id-taken', differences: [difference] },
    });
  });

  it('finds a dependency that has failed', async () => {
    await service.post('/v1/deploys', deploy('db', '9', { id: 'db-9' }, { OUTCOME: 'error' }));
    await service.pass(5);
    expect(await service.post('/v1/check', deploy('api', '1', { after: ['db-9'] }))).toMatchObject({
      status: 422,
      body: { problems: [{ code: 'failed-dependency', path: 'after[0]', position: { file: 'body.json', line: 1 } }] },
    });
  });
});
