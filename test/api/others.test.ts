/** What other pipelines say over HTTP, callbacks, events, and the documents that hold: success, refusals, paging. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deploy, openService, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const BEN = { token: 'token-of-ben' };
const started = (more: object = {}) => ({
  id: 'ci:42',
  pipeline: 'ci',
  application: 'infra',
  environment: 'prod',
  version: '3.1.0',
  ...more,
});

describe('a deploy of another pipeline', () => {
  it('is started once, expected by version, concluded once with its exports', async () => {
    const expecting = deploy('api', '1', { id: 'd', after: [{ expect: { pipeline: 'ci', version: '3.1.0' } }] });
    expect((await service.post('/v1/deploys', expecting)).status).toBe(202);
    await service.settle();
    const waits = await service.deploy('d');
    expect(waits.after?.dependencies).toMatchObject([{ state: 'EXPECTED' }]);
    expect((await service.why('d')).reasons[0]?.text).toContain('which no pipeline has started yet');
    const first = await service.post('/v1/external', started());
    expect(first).toMatchObject({ status: 202, body: { id: 'ci:42', outcome: 'accepted' } });
    expect(await service.deploy('ci:42')).toMatchObject({
      kind: 'external',
      state: 'RUNNING',
      external: { pipeline: 'ci', version: '3.1.0' },
    });
    expect(first.headers.get('location')).toBe('/v1/deploys/ci%3A42');
    expect((await service.post('/v1/external', started())).status).toBe(200);
    await service.settle();
    expect((await service.deploy('d')).after?.dependencies).toEqual([{ id: 'ci:42', state: 'RUNNING' }]);
    const why = await service.why('d');
    expect(why.reasons.map(({ text }) => text).join(' ')).toContain('is run by the pipeline ci');
    const sent = { state: 'SUCCESS', exports: { host: 'db.internal' } };
    expect((await service.post('/v1/external/ci:42/conclude', sent)).body).toEqual({
      id: 'ci:42',
      outcome: 'accepted',
    });
    expect((await service.post('/v1/external/ci:42/conclude', sent)).body).toEqual({ id: 'ci:42', outcome: 'ignored' });
    await service.settle();
    expect(await service.deploy('ci:42')).toMatchObject({ state: 'SUCCESS', exports: { host: 'db.internal' } });
    expect((await service.deploy('d')).state).toBe('SUCCESS');
  });

  it('concluded before it starts ends with its start', async () => {
    await service.post('/v1/external/ci:42/conclude', { state: 'ERROR', message: 'broke' });
    await service.post('/v1/external', started());
    await service.settle();
    expect(await service.deploy('ci:42')).toMatchObject({ state: 'ERROR', error: { message: 'broke' } });
  });

  it('is its starter’s alone', async () => {
    await service.post('/v1/external', started());
    expect(await service.post('/v1/external', started(), BEN)).toMatchObject({
      status: 409,
      body: { code: 'id-taken' },
    });
    expect(await service.post('/v1/external/ci:42/conclude', { state: 'ERROR' }, BEN)).toMatchObject({ status: 403 });
    await service.post('/v1/deploys', deploy('api', '1', { id: 'ours' }));
    expect(await service.post('/v1/external/ours/conclude', { state: 'ERROR' })).toMatchObject({ status: 409 });
    for (const action of ['rollback', 'approve']) {
      expect((await service.post(`/v1/deploys/ci:42/${action}`)).status, action).toBe(409);
    }
  });

  it.each([
    [{}],
    [started({ id: 'expect:ci@1' })],
    [started({ id: 'a b' })],
    [started({ more: 1 })],
    [started({ environment: 'PROD' })],
  ])('is not started by %j', async (sent) => {
    expect(await service.post('/v1/external', sent)).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
  });

  it.each([
    [{ state: 'RUNNING' }],
    [{ state: 'SUCCESS', exports: { 'not a name!': 'x' } }],
    [{ state: 'SUCCESS', exports: { big: 'x'.repeat(70_000) } }],
    [{ state: 'SUCCESS', exports: { nul: 'a\u0000b' } }],
    [{ state: 'SUCCESS', exports: { list: [] } }],
  ])('is not concluded by case %#', async (sent) => {
    await service.post('/v1/external', started());
    expect(await service.post('/v1/external/ci:42/conclude', sent)).toMatchObject({ status: 400 });
    expect((await service.deploy('ci:42')).state).toBe('RUNNING');
  });
});

describe('a callback', () => {
  it('is answered once, with its token alone', async () => {
    const publish = vi.spyOn(service.ports.bus, 'publish');
    const asks = { deploy: { plugin: 'callback', params: { PIPELINE: 'ci', HEARTBEAT: 60 } } };
    expect((await service.post('/v1/deploys', deploy('api', '1', { id: 'd', ...asks }))).status).toBe(202);
    await service.settle();
    const asked = publish.mock.calls.flatMap(([events]) => events).find(({ type }) => type === 'Callback Requested');
    const { token } = (asked?.detail ?? { token: '' }) as { token: string };
    expect((await service.post(`/v1/callbacks/${token}/heartbeat`)).body).toEqual({ deploy: 'd' });
    for (const wrong of ['nothing', `${token.slice(0, -1)}~`, `${token.slice(0, -2)}AA`]) {
      expect((await service.post(`/v1/callbacks/${wrong}`, { status: 'success' })).status).toBe(404);
      expect((await service.post(`/v1/callbacks/${wrong}/heartbeat`)).status).toBe(404);
    }
    expect((await service.post(`/v1/callbacks/${token}`, { status: 'maybe' })).status).toBe(400);
    expect((await service.deploy('d')).state).toBe('RUNNING');
    // Who has the token was asked: it needs no right beside it.
    const answer = await service.post(`/v1/callbacks/${token}`, { status: 'success' }, { token: 'token-of-zoe-alone' });
    expect(answer).toMatchObject({ status: 200, body: { deploy: 'd' } });
    await service.settle();
    expect((await service.deploy('d')).state).toBe('SUCCESS');
    expect((await service.post(`/v1/callbacks/${token}`, { status: 'error' })).status).toBe(409);
    expect((await service.post(`/v1/callbacks/${token}/heartbeat`)).status).toBe(409);
  });
});

describe('events', () => {
  const send = (detail: object, type = 'Deploy Started', sent = {}) =>
    service.post('/v1/events', { source: 'com.example.ci', 'detail-type': type, detail }, sent);

  it('are for administrators to send, and tell what became of each', async () => {
    expect((await send(started(), 'Deploy Started', { token: 'token-of-zoe-alone' })).status).toBe(403);
    const document = { apiVersion: 'renga/v1', kind: 'Access', name: 'ci', roles: { ci: ['deployment.submit'] } };
    await service.post('/v1/access', { ...document, bindings: [{ role: 'ci', subjects: ['pipeline:*'] }] });
    const sent = await send(started());
    expect(sent).toMatchObject({ status: 202, body: { id: expect.any(String) } });
    await service.settle();
    await service.pass(1);
    await send({ id: 'ci:43' });
    await service.settle();
    const all = (await service.get('/v1/events')).body as {
      items: { outcome: string; about?: string; reason?: string }[];
    };
    expect(all.items.map(({ outcome }) => outcome)).toEqual(['refused', 'accepted']);
    expect(all.items[0]?.reason).toContain('pipeline');
    expect(all.items[1]?.about).toBe('ci:42');
    expect((await service.get('/v1/events?refused=true')).body).toMatchObject({ items: [{ outcome: 'refused' }] });
    const page = (await service.get('/v1/events?limit=1')).body as { items: unknown[]; cursor: string };
    expect(page.items).toHaveLength(1);
    const next = (await service.get(`/v1/events?limit=1&cursor=${page.cursor}`)).body as { items: unknown[] };
    expect(next.items).toEqual([expect.objectContaining({ outcome: 'accepted' })]);
    expect((await service.get(`/v1/events?refused=true&cursor=${page.cursor}`)).status).toBe(400);
  });

  it.each([
    [{}],
    [{ source: '', 'detail-type': 'x', detail: {} }],
    [{ source: 'a', 'detail-type': 'x', detail: 'text' }],
  ])('the body %j is refused', async (sent) => {
    expect(await service.post('/v1/events', sent)).toMatchObject({ status: 400 });
  });
});

describe('documents that hold', () => {
  const pipeline = (name: string, more: object = {}) => ({
    apiVersion: 'renga/v1',
    kind: 'Pipeline',
    name,
    application: 'infra',
    environment: 'prod',
    ...more,
  });

  it('pipelines are applied, listed and taken away', async () => {
    expect((await service.post('/v1/environments', pipeline('codebuild:b'))).body).toMatchObject({
      kind: 'Pipeline',
      name: 'codebuild:b',
      result: 'created',
    });
    await service.post('/v1/environments', pipeline('codebuild:a'));
    const list = (await service.get('/v1/pipelines')).body as { items: { document: { name: string }; by: string }[] };
    expect(list.items.map(({ document }) => document.name).sort()).toEqual(['codebuild:a', 'codebuild:b']);
    expect(list.items[0]?.by).toBe('anna');
    const path = `/v1/pipelines/${encodeURIComponent('codebuild:a')}/remove`;
    expect(await service.post(path)).toMatchObject({ status: 200, body: { removed: 'Pipeline codebuild:a' } });
    expect((await service.post(path)).status).toBe(404);
  });

  it('dryRun says what would change, refuses just so, and changes nothing', async () => {
    const access = {
      apiVersion: 'renga/v1',
      kind: 'Access',
      name: 'a',
      roles: { r: ['deployment.read'] },
      bindings: [],
    };
    expect((await service.post('/v1/access?dryRun=true', access)).body).toMatchObject({ result: 'created' });
    expect((await service.get('/v1/access/a')).status).toBe(404);
    expect((await service.post('/v1/environments?dryRun=true', pipeline('codebuild:a'))).body).toMatchObject({
      result: 'created',
    });
    expect((await service.get('/v1/pipelines')).body).toEqual({ items: [] });
    expect((await service.post('/v1/access?dryRun=maybe', access)).status).toBe(400);
    expect(
      (await service.post('/v1/access?dryRun=true', { ...access, bindings: [{ role: 'x', subjects: ['user:a'] }] }))
        .status,
    ).toBe(422);
    const refused = await service.post('/v1/access?dryRun=true', access, { token: 'token-of-zoe-alone' });
    expect(refused.status).toBe(403);
    expect((await service.get('/v1/audit')).body).toEqual({ items: [] });
  });

  it.each([
    ['/v1/environments', deploy('api', '1')],
    ['/v1/access', pipeline('codebuild:a')],
    ['/v1/deploys', pipeline('codebuild:a')],
  ])('%s says where a document of another kind goes', async (path, sent) => {
    const refused = await service.post(path, sent);
    expect(refused).toMatchObject({ status: 422, body: { problems: [{ code: 'wrong-kind' }] } });
    expect(JSON.stringify(refused.body)).toMatch(/goes to \/v1\//);
  });

  it('environments, access and audit are paged, and an applied document stands in the audit with its writer', async () => {
    for (const name of ['a', 'b', 'c']) {
      await service.post('/v1/environments', { apiVersion: 'renga/v1', kind: 'Environment', name }, BEN);
      service.clock.at(service.clock.now() + 1_000, () => {});
      await service.pass(1);
    }
    for (const [path, names] of [
      ['/v1/environments', ['a', 'b', 'c']],
      ['/v1/audit', ['c', 'b', 'a']],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const query = cursor === undefined ? '' : `&cursor=${cursor}`;
        const { body } = await service.get(`${path}?limit=1${query}`);
        const page = body as { items: { name?: string; to?: string; by: string }[]; cursor?: string };
        expect(page.items.length).toBeLessThanOrEqual(1);
        seen.push(...page.items.map(({ name, to = '' }) => name ?? to.slice('Environment '.length)));
        for (const { by } of page.items) expect(by).toBe('ben');
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(seen, path).toEqual(names);
    }
    const of = async (query: string) => ((await service.get(`/v1/audit?${query}`)).body as { items: unknown[] }).items;
    expect(await of('environment=b')).toHaveLength(1);
    expect(await of('by=anna')).toHaveLength(0);
    expect(await of('by=ben&environment=c')).toHaveLength(1);
    expect((await service.get('/v1/audit?application=')).status).toBe(400);
  });

  it('a document of access is read, listed and taken away by whoever may write it', async () => {
    const document = {
      apiVersion: 'renga/v1',
      kind: 'Access',
      name: 'shop',
      roles: { r: ['deployment.read'] },
      bindings: [{ role: 'r', subjects: ['user:zoe'] }],
    };
    await service.post('/v1/access', document, BEN);
    expect((await service.get('/v1/access/shop')).body).toMatchObject({ document: { name: 'shop' }, by: 'ben' });
    expect((await service.get('/v1/access')).body).toMatchObject({ items: [{ document: { name: 'shop' } }] });
    expect((await service.get('/v1/access', { token: 'token-of-zoe-alone' })).status).toBe(403);
    expect((await service.get('/v1/me', { token: 'token-of-zoe-alone' })).body).toMatchObject({
      subject: 'zoe',
      administrator: false,
      grants: [{ permission: 'deployment.read', applications: ['*'], environments: ['*'] }],
    });
    expect((await service.post('/v1/access/shop/remove')).body).toEqual({ removed: 'Access shop' });
    expect((await service.post('/v1/access/shop/remove')).status).toBe(404);
    expect((await service.get('/v1/me', { token: 'token-of-zoe-alone' })).body).toMatchObject({ grants: [] });
    const audit = (await service.get('/v1/audit')).body as { items: { by: string; action: string; about: object }[] };
    expect(audit.items).toMatchObject([
      { by: 'anna', action: 'setting.removed', to: 'Access shop', about: { kind: 'access' } },
      { by: 'ben', action: 'setting.created', to: 'Access shop' },
    ]);
  });
});
