/** What other pipelines say over HTTP, and the events that came in. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeployView } from '../../api/contract.ts';
import { ACCOUNT } from '../../local/engine.ts';
import { deploy, openService, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const STARTED = {
  id: 'ci:infra/42',
  pipeline: 'ci:infra',
  application: 'infra',
  environment: 'prod',
  version: '3.1.0',
};
const BEN = { token: 'token-of-ben' };
const EVE = { token: 'token-of-the-shop' };
const path = (id: string, action = '') => `/v1/external/${encodeURIComponent(id)}${action}`;
const start = (over: object = {}, sent = {}) => service.post('/v1/external', { ...STARTED, ...over }, sent);
const conclude = (over: object = {}, sent = {}, id = STARTED.id) =>
  service.post(path(id, '/conclude'), { state: 'SUCCESS', ...over }, sent);
const shown = async (id: string) => DeployView.parse((await service.get(`/v1/deploys/${encodeURIComponent(id)}`)).body);
const access = (permissions: string[], subjects: string[], applications = ['*']) =>
  service.post('/v1/access', {
    apiVersion: 'renga/v1',
    kind: 'Access',
    name: 'pipelines',
    roles: { pipeline: permissions },
    bindings: [{ role: 'pipeline', subjects, applications, environments: ['*'] }],
  });

describe('a deploy of another pipeline', () => {
  it('is started once, and found under its id', async () => {
    const first = await start();
    expect(first.status).toBe(202);
    expect(first.headers.get('location')).toBe(`/v1/deploys/${encodeURIComponent(STARTED.id)}`);
    expect(first.body).toEqual({ id: STARTED.id, outcome: 'accepted' });
    expect(await start()).toMatchObject({ status: 200, body: { outcome: 'ignored' } });
    expect(await shown(STARTED.id)).toMatchObject({
      kind: 'external',
      state: 'RUNNING',
      artifact: { version: '3.1.0' },
    });
  });

  it('may have an id of 256 characters, and no longer one', async () => {
    const id = `ci:${'x'.repeat(253)}`;
    expect((await start({ id })).status).toBe(202);
    expect((await conclude({}, {}, id)).body).toEqual({ id, outcome: 'accepted' });
    expect(await shown(id)).toMatchObject({ id, state: 'SUCCESS' });
    expect((await service.get(`/v1/why/${encodeURIComponent(id)}`)).status).toBe(200);
    expect((await start({ id: `${id}x` })).status).toBe(400);
  });

  it('is concluded once, by the subject that started it', async () => {
    await start();
    expect(await conclude({ state: 'ERROR' }, BEN)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await conclude({ exports: { host: 'db.internal' } })).toMatchObject({
      status: 200,
      body: { outcome: 'accepted' },
    });
    expect((await conclude({ state: 'ERROR' })).body).toMatchObject({ outcome: 'ignored' });
    expect(await shown(STARTED.id)).toMatchObject({ state: 'SUCCESS', exports: { host: 'db.internal' } });
  });

  it('may be concluded before it is started', async () => {
    expect((await conclude()).body).toMatchObject({ outcome: 'accepted' });
    expect((await start()).status).toBe(202);
    expect(await shown(STARTED.id)).toMatchObject({ state: 'SUCCESS' });
  });

  it('is started by who may submit there alone', async () => {
    expect(await start({}, EVE)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    await access(['deployment.submit', 'deployment.read'], ['group:shop'], ['infra']);
    expect((await start({}, EVE)).status).toBe(202);
    expect((await start({ id: 'ci:shop/1', application: 'shop' }, EVE)).status).toBe(403);
    expect((await conclude({}, EVE)).status).toBe(200);
  });

  it('is started by who may not read there as well', async () => {
    await access(['deployment.submit'], ['group:shop'], ['infra']);
    expect((await start({}, EVE)).status).toBe(202);
    expect((await service.get(`/v1/deploys/${encodeURIComponent(STARTED.id)}`, EVE)).status).toBe(404);
    expect((await conclude({}, EVE)).body).toMatchObject({ outcome: 'accepted' });
  });

  it('does not take the id of another', async () => {
    await service.post('/v1/deploys', deploy('shop', '1', { id: 'd' }));
    expect(await start({ id: 'd' })).toMatchObject({ status: 409, body: { code: 'id-taken' } });
    expect(await conclude({}, {}, 'd')).toMatchObject({ status: 409, body: { code: 'id-taken' } });
    await start();
    expect(await start({}, BEN)).toMatchObject({ status: 409, body: { code: 'id-taken' } });
  });

  it.each([
    ['an id that stands for what is expected', { id: 'expect:ci@1' }],
    ['an id with a space', { id: 'ci 1' }],
    ['an application with capitals', { application: 'Infra' }],
    ['a field that nobody knows', { applications: 'infra' }],
    ['an instant without an offset', { at: '2026-10-12T20:00:00' }],
    ['a number that is text', { seq: '1' }],
  ])('is not started with %s', async (_, over) => {
    expect(await start(over)).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
  });

  it.each([
    ['a state of ours that is none of theirs', { state: 'REJECTED' }],
    ['no state', { state: undefined }],
    ['too many exports', { exports: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`x${n}`, '1'])) }],
    ['an export that is too large', { exports: { x: 'a'.repeat(65_537) } }],
    ['exports that are too large together', { exports: manyExports(5, 60_000) }],
    ['a NUL in an export', { exports: { x: 'a\0' } }],
    ['a control character in an export', { exports: { x: '\u001b[31mred' } }],
    ['half of a character in an export', { exports: { x: '\ud800' } }],
    ['an empty export (B51)', { exports: { x: ' ' } }],
    ['a masked export (B51)', { exports: { x: '***' } }],
    ['a masked host (B51)', { exports: { x: [{ host: 'a', labels: { key: '****' } }] } }],
    ['a control character in a label', { exports: { x: [{ host: 'a', labels: { key: 'a\u0007' } }] } }],
    ['one bad host among good ones (B56)', { exports: { x: ['10.20.0.1', 'bad host'] } }],
    ['501 targets (B56)', { exports: { x: Array.from({ length: 501 }, (_, n) => `h${n}`) } }],
    ['65,538 bytes in 21,846 characters (B55)', { exports: { x: '語'.repeat(21_846) } }],
    ['exports of a failure that are too large', { state: 'ERROR', exports: { x: 'a'.repeat(65_537) } }],
    ['the name of an export that is none', { exports: { 'a b': 'x' } }],
    ['a state that is null (B23)', { state: null }],
    ['a number below 0', { seq: -1 }],
    ['half a number', { seq: 1.5 }],
    ['a number that is text', { seq: '1' }],
    ['an instant that is none', { at: '2026-02-30T00:00:00Z' }],
    ['a message of 4,001 characters', { message: 'x'.repeat(4_001) }],
    ['an id in its body', { id: 'x' }],
    ['a target that is none', { exports: { x: ['a host'] } }],
    ['no targets', { exports: { x: [] } }],
    ['an export that is a number', { exports: { x: 1 } }],
  ])('is not concluded with %s', async (_, over) => {
    await start();
    const refused = await conclude(over);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
    const { problems = [] } = refused.body as { problems?: { path: string; hint?: string }[] };
    expect(problems).not.toEqual([]);
    for (const { path, hint } of problems) expect([path, hint ?? ''], JSON.stringify(problems)).not.toContain('');
    expect(await shown(STARTED.id)).toMatchObject({ state: 'RUNNING' });
  });

  it.each(['expect:ci@1', 'a b', 'a\n', '%zz', 'ü'])('is not concluded under %j, which is no id', async (id) => {
    const refused = await conclude({}, {}, id);
    expect(refused).toMatchObject({ status: 400, body: { problems: [{ path: 'id', hint: expect.any(String) }] } });
    expect(await service.engine.ports.store.external.kept(id, 'user:anna')).toBeUndefined();
  });

  it('has exports up to the limits', async () => {
    await start();
    expect((await conclude({ exports: manyExports(4, 65_536) })).status).toBe(200);
  });
});

function manyExports(count: number, bytes: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 'a'.repeat(bytes)]));
}

describe('what is expected', () => {
  const after = [{ expect: { pipeline: 'ci:infra', version: '3.1.0' } }];

  it('is shown as such until it has begun, and under its id from then on', async () => {
    await access(['deployment.read'], ['user:anna']);
    await service.post('/v1/deploys', deploy('shop', '1', { id: 'd', after }));
    await service.settle();
    const expectation = 'expect:ci:infra@3.1.0';
    expect((await shown('d')).after).toMatchObject({ dependencies: [{ id: expectation, state: 'EXPECTED' }] });
    expect((await service.why('d')).reasons[0]?.text).toContain('ci:infra@3.1.0, which no pipeline has started yet');
    await start();
    await service.settle();
    expect((await shown('d')).after).toMatchObject({ dependencies: [{ id: STARTED.id, state: 'RUNNING' }] });
    expect((await service.why('d')).reasons[1]?.text).toContain('is run by the pipeline ci:infra');
    await conclude();
    await service.pass(5);
    expect(await shown('d')).toMatchObject({
      state: 'SUCCESS',
      after: { dependencies: [{ id: STARTED.id, state: 'SUCCESS' }] },
    });
  });

  it('is overdue, and why says so', async () => {
    await access(['deployment.read'], ['user:anna']);
    await start();
    expect((await service.why(encodeURIComponent(STARTED.id))).reasons[0]?.text).not.toContain('overdue');
    await service.pass(3 * 3_600);
    expect((await service.why(encodeURIComponent(STARTED.id))).reasons[0]?.text).toContain(
      'overdue since 2026-10-12 22:00:00 UTC',
    );
  });
});

describe('jobs of the plugin callback', () => {
  async function asked(params: object = {}): Promise<string> {
    await service.post(
      '/v1/deploys',
      deploy('shop', '1', { id: 'd', deploy: { plugin: 'callback', params: { PIPELINE: 'ci', ...params } } }),
    );
    await service.settle();
    const requests = service.engine.events
      .events()
      .filter(({ event }) => event['detail-type'] === 'Callback Requested');
    const [token] = requests.map(({ event }) => (event.detail as { token: string }).token);
    if (token === undefined) throw new Error('nobody was asked');
    return token;
  }
  const answer = (token: string, body: object, action = '') =>
    service.post(`/v1/callbacks/${encodeURIComponent(token)}${action}`, body);

  it('take one answer, from whoever has the token', async () => {
    const token = await asked();
    expect(await answer(token, {}, '/heartbeat')).toMatchObject({ status: 200, body: { deploy: 'd' } });
    const answered = await service.post(`/v1/callbacks/${token}`, { status: 'success', outputs: { url: 'x' } }, EVE);
    expect(answered).toMatchObject({ status: 200, body: { deploy: 'd' } });
    await service.settle();
    expect(await shown('d')).toMatchObject({ state: 'SUCCESS' });
    expect(await answer(token, { status: 'error' })).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await answer(token, {}, '/heartbeat')).toMatchObject({ status: 409 });
  });

  it.each([
    ['one that was never given out', 'no-token'],
    ['one of the right form', `${'0'.repeat(32)}.${'A'.repeat(43)}`],
  ])('take no answer with a token that is %s', async (_, token) => {
    await asked();
    expect(await answer(token, { status: 'success' })).toMatchObject({ status: 404, body: { code: 'unknown-token' } });
    expect(await answer(token, {}, '/heartbeat')).toMatchObject({ status: 404, body: { code: 'unknown-token' } });
    expect(await shown('d')).toMatchObject({ state: 'RUNNING' });
  });

  it.each([
    ['a status that is none', { status: 'pending' }],
    ['outputs that are no text', { status: 'success', outputs: { n: 1 } }],
    ['too many outputs', { status: 'success', outputs: manyExports(65, 1) }],
    ['outputs that are too large', { status: 'success', outputs: manyExports(5, 60_000) }],
    ['a field that nobody knows', { status: 'success', output: {} }],
  ])('take no answer with %s', async (_, body) => {
    const token = await asked();
    expect(await answer(token, body)).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
    expect(await shown('d')).toMatchObject({ state: 'RUNNING' });
  });
});

describe('events that came in', () => {
  const send = (event: object, sent = {}) => service.post('/v1/events', event, sent);
  const event = (detail: object, type = 'Deploy Started') => ({
    source: 'com.example.ci',
    'detail-type': type,
    detail,
  });
  const listed = async (query = '') =>
    (await service.get(`/v1/events${query}`)).body as { items: object[]; cursor?: string };

  it('are listed with what became of them', async () => {
    await access(['deployment.submit'], [`pipeline:${ACCOUNT}`], ['infra']);
    for (const over of [{}, {}, { id: 'a b' }, { id: 'ci:shop:1', application: 'shop' }]) {
      expect((await send(event({ ...STARTED, ...over }))).status).toBe(202);
      await service.pass(1);
    }
    const { items } = await listed();
    expect(items).toMatchObject([
      { outcome: 'refused', reason: expect.stringContaining('forbidden: ') },
      { outcome: 'refused', reason: expect.stringContaining('id: an id must match') },
      { outcome: 'ignored', about: STARTED.id },
      { outcome: 'accepted', about: STARTED.id, type: 'Deploy Started', source: 'com.example.ci', account: ACCOUNT },
    ]);
    expect((await listed('?refused=true')).items).toHaveLength(2);
    const first = await listed('?limit=3');
    expect(first.items).toHaveLength(3);
    expect((await listed(`?limit=3&cursor=${first.cursor}`)).items).toHaveLength(1);
  });

  it('are for those to see who may read everything', async () => {
    expect((await service.get('/v1/events', EVE)).status).toBe(403);
    await access(['deployment.read'], ['group:shop']);
    expect((await service.get('/v1/events', EVE)).status).toBe(200);
    expect((await service.get('/v1/events?refused=false', EVE)).status).toBe(400);
  });

  it('are put on the bus by administrators alone', async () => {
    await access(['deployment.read', 'deployment.submit', 'access.write'], ['group:shop']);
    expect(await send(event(STARTED), EVE)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await send({ detail: {} })).status).toBe(400);
  });

  it('may be those of AWS on the default bus of the laptop', async () => {
    await service.post('/v1/environments', {
      apiVersion: 'renga/v1',
      kind: 'Pipeline',
      name: 'codepipeline:shop-infra',
      application: 'infra',
      environment: 'prod',
    });
    const changed = {
      source: 'aws.codepipeline',
      'detail-type': 'CodePipeline Pipeline Execution State Change',
      detail: { pipeline: 'shop-infra', 'execution-id': 'e-1', state: 'STARTED' },
    };
    expect(await send(changed)).toMatchObject({
      status: 409,
      body: { code: 'conflict', hint: expect.stringContaining('for AWS itself') },
    });
    expect((await send({ ...changed, bus: 'default' })).status).toBe(202);
    await service.settle();
    expect(await shown('codepipeline:shop-infra:e-1')).toMatchObject({ state: 'RUNNING' });
    // What is no event of AWS goes nowhere from there.
    expect((await send({ ...event({ ...STARTED, id: 'x' }), bus: 'default' })).status).toBe(202);
    await service.settle();
    expect((await service.get('/v1/deploys/x')).status).toBe(404);
  });
});
