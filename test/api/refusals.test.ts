/** What is refused: each with its status, code and path, and nothing stored, created or started for it (I1). */
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProblemDetails } from '../../api/contract.ts';
import { deploy, openService, release, type Sent, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const fine = release('shop', '1', { db: {}, api: { after: ['db'] } });
const entries = (count: number) =>
  release('shop', '1', Object.fromEntries(Array.from({ length: count }, (_, at) => [`d${at}`, {}])));
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const with_ = (change: Readonly<Record<string, unknown>>) => ({ ...fine, ...change });

interface Refusal {
  readonly method?: string;
  readonly path?: string;
  readonly sent: Sent;
  readonly status: number;
  readonly code: string;
  /** `code path` of each problem. */
  readonly problems?: readonly string[];
}

const documents: Record<string, Refusal> = {
  'no body': { sent: { text: '' }, status: 422, code: 'invalid-document', problems: ['no-document '] },
  'text that is no JSON': {
    sent: { text: '{"apiVersion": renga}' },
    status: 400,
    code: 'invalid-request',
    problems: ['not-json '],
  },
  YAML: { sent: { text: 'apiVersion: renga/v1\n' }, status: 400, code: 'invalid-request', problems: ['not-json '] },
  'bytes that are no UTF-8': {
    sent: { text: new Uint8Array([123, 34, 255, 34, 125]) },
    status: 400,
    code: 'invalid-request',
    problems: ['not-text '],
  },
  'a list': { sent: { body: [fine] }, status: 422, code: 'invalid-document', problems: ['wrong-type '] },
  'another content type': {
    sent: { body: fine, headers: { 'content-type': 'application/yaml' } },
    status: 415,
    code: 'unsupported-media-type',
  },
  'no content type': {
    sent: { body: fine, headers: { 'content-type': '' } },
    status: 415,
    code: 'unsupported-media-type',
  },
  'another charset': {
    sent: { body: fine, headers: { 'content-type': 'application/json; charset=latin1' } },
    status: 415,
    code: 'unsupported-media-type',
  },
  'a compressed body': {
    sent: { body: fine, headers: { 'content-encoding': 'gzip' } },
    status: 415,
    code: 'unsupported-media-type',
  },
  'more than 1 MiB': { sent: { text: ' '.repeat(1024 * 1024 + 1) }, status: 413, code: 'too-large' },
  'more than 1 MiB, announced': {
    sent: { text: '{}', headers: { 'content-length': '2000000' } },
    status: 413,
    code: 'too-large',
  },
  '5,000 levels': {
    sent: { text: `{"apiVersion":"renga/v1","kind":"Release","deploys":${nested(5000)}}` },
    status: 422,
    code: 'invalid-document',
  },
  'a Deploy where a Release is expected': {
    sent: { body: deploy('db', '1') },
    status: 422,
    code: 'invalid-document',
    problems: ['wrong-kind kind'],
  },
  'an unknown field': {
    sent: { body: with_({ onFailur: 'stop' }) },
    status: 422,
    code: 'invalid-document',
    problems: ['unknown-field onFailur'],
  },
  'no id': {
    sent: { body: with_({ id: undefined }) },
    status: 422,
    code: 'invalid-document',
    problems: ['missing-field id'],
  },
  'an id of 65 characters': { sent: { body: with_({ id: 'a'.repeat(65) }) }, status: 422, code: 'invalid-document' },
  files: {
    sent: { body: with_({ includes: ['base.yml'] }) },
    status: 422,
    code: 'invalid-document',
    problems: ['only-in-files includes'],
  },
  'no deploys': { sent: { body: with_({ deploys: [] }) }, status: 422, code: 'invalid-document' },
  '501 deploys': { sent: { body: entries(501) }, status: 422, code: 'invalid-document' },
  'one name twice': {
    sent: { body: with_({ deploys: [...fine.deploys, fine.deploys[0]] }) },
    status: 422,
    code: 'invalid-document',
    problems: ['duplicate-name deploys[2].name'],
  },
  'a cycle': {
    sent: { body: release('shop', '1', { a: { after: ['b'] }, b: { after: ['a'] } }) },
    status: 422,
    code: 'invalid-document',
    problems: ['cycle deploys[0].after[0]'],
  },
  'a deploy after itself': {
    sent: { body: release('shop', '1', { a: { after: ['a'] } }) },
    status: 422,
    code: 'invalid-document',
    problems: ['self-dependency deploys[0].after[0]'],
  },
  'an unknown name in after': {
    sent: { body: release('shop', '1', { a: {}, b: { after: ['c'] } }) },
    status: 422,
    code: 'invalid-document',
    problems: ['unknown-dependency deploys[1].after[0]'],
  },
  'a dependency that nobody submitted': {
    sent: { body: release('shop', '1', { a: { descriptor: { after: ['ghost'] } } }) },
    status: 422,
    code: 'invalid-document',
    problems: ['unknown-dependency deploys[0].descriptor.after'],
  },
  'a plugin that is not there': {
    sent: { body: release('shop', '1', { a: { descriptor: { deploy: { plugin: 'ghost' } } } }) },
    status: 422,
    code: 'invalid-document',
    problems: ['unknown-plugin deploys[0].descriptor.deploy.plugin'],
  },
  'several things at once': {
    sent: { body: release('shop', '1', { a: { after: ['a'] }, b: { after: ['c'] } }) },
    status: 422,
    code: 'invalid-document',
    problems: ['self-dependency deploys[0].after[0]', 'unknown-dependency deploys[1].after[0]'],
  },
};

const requests: Record<string, Refusal> = {
  'a plugin that is not there, of a deploy of its own': {
    method: 'POST',
    path: '/v1/deploys',
    sent: { body: deploy('shop', '1', { deploy: { plugin: 'ghost' } }) },
    status: 422,
    code: 'invalid-document',
    problems: ['unknown-plugin deploy.plugin'],
  },
  'no token': { method: 'GET', path: '/v1/releases', sent: { token: undefined }, status: 401, code: 'unauthenticated' },
  'another token': {
    method: 'GET',
    path: '/v1/releases',
    sent: { token: 'token-of-eve' },
    status: 401,
    code: 'unauthenticated',
  },
  'a token in another scheme': {
    method: 'GET',
    path: '/v1/releases',
    sent: { token: undefined, headers: { authorization: 'Basic token-of-anna' } },
    status: 401,
    code: 'unauthenticated',
  },
  'no token, on a submission': { sent: { body: fine, token: undefined }, status: 401, code: 'unauthenticated' },
  'an unknown route': { method: 'GET', path: '/v1/relases', sent: {}, status: 404, code: 'not-found' },
  'a method that a route does not take': {
    method: 'DELETE',
    path: '/v1/releases/shop',
    sent: {},
    status: 405,
    code: 'method-not-allowed',
  },
  'an unknown release': { method: 'GET', path: '/v1/releases/ghost', sent: {}, status: 404, code: 'not-found' },
  'an unknown deploy': { method: 'GET', path: '/v1/deploys/ghost/log', sent: {}, status: 404, code: 'not-found' },
  'an unknown parameter': {
    method: 'GET',
    path: '/v1/releases?stat=ERROR',
    sent: {},
    status: 400,
    code: 'invalid-request',
    problems: ['unknown-field stat'],
  },
  'a parameter named like an inherited one': {
    method: 'GET',
    path: '/v1/releases?__proto__=1',
    sent: {},
    status: 400,
    code: 'invalid-request',
    problems: ['unknown-field __proto__'],
  },
  'a parameter twice': {
    method: 'GET',
    path: '/v1/releases?limit=1&limit=2',
    sent: {},
    status: 400,
    code: 'invalid-request',
    problems: ['duplicate-parameter limit'],
  },
  'a limit of 0': {
    method: 'GET',
    path: '/v1/releases?limit=0',
    sent: {},
    status: 400,
    code: 'invalid-request',
    problems: ['invalid-value limit'],
  },
  'a limit of 201': {
    method: 'GET',
    path: '/v1/releases?limit=201',
    sent: {},
    status: 400,
    code: 'invalid-request',
    problems: ['invalid-value limit'],
  },
  'a state that is none': {
    method: 'GET',
    path: '/v1/deploys?state=DONE',
    sent: {},
    status: 400,
    code: 'invalid-request',
    problems: ['invalid-value state'],
  },
  'a cursor that is none': {
    method: 'GET',
    path: '/v1/deploys?cursor=x',
    sent: {},
    status: 400,
    code: 'invalid-request',
    problems: ['invalid-cursor cursor'],
  },
  'a forged cursor': {
    method: 'GET',
    path: `/v1/releases?cursor=${forged({ pk: 'R#x', sk: 'HEAD' })}`,
    sent: {},
    status: 400,
    code: 'invalid-request',
    problems: ['invalid-cursor cursor'],
  },
  'a negative offset': {
    method: 'GET',
    path: '/v1/deploys/x/log?offset=-1',
    sent: {},
    status: 400,
    code: 'invalid-request',
    problems: ['invalid-value offset'],
  },
  'an action with an unknown field': {
    path: '/v1/releases/shop/cancel',
    sent: { body: { why: 'x' } },
    status: 400,
    code: 'invalid-request',
    problems: ['unknown-field why'],
  },
  'an action with an endless reason': {
    path: '/v1/releases/shop/cancel',
    sent: { body: { reason: 'x'.repeat(501) } },
    status: 400,
    code: 'invalid-request',
    problems: ['invalid-value reason'],
  },
  'an action that is no JSON': {
    path: '/v1/releases/shop/pause',
    sent: { text: 'reason' },
    status: 400,
    code: 'invalid-request',
    problems: ['not-json '],
  },
  'an action on nothing': { path: '/v1/deploys/ghost/cancel', sent: {}, status: 404, code: 'not-found' },
};

function forged(key: unknown): string {
  const inner = Buffer.from(JSON.stringify(key)).toString('base64url');
  return Buffer.from(JSON.stringify(['releases ', inner])).toString('base64url');
}

async function expectRefused({ method = 'POST', path = '/v1/releases', sent, status, code, problems }: Refusal) {
  const answered = await service.call(method, path, sent);
  expect(answered).toMatchObject({ status, body: { status, code } });
  const details = ProblemDetails.parse(answered.body);
  if (problems !== undefined) {
    expect(details.problems?.map((problem) => `${problem.code} ${problem.path}`)).toEqual(problems);
  }
  return { ...answered, details };
}

async function expectNothingStored() {
  await service.settle();
  expect((await service.get('/v1/releases')).body).toEqual({ items: [] });
  expect((await service.get('/v1/deploys')).body).toEqual({ items: [] });
  const { Items } = await service.engine.clients.documents.send(new ScanCommand({ TableName: 'renga' }));
  expect(Items).toEqual([]);
  expect(service.world.started).toEqual([]);
}

describe('a document that is refused', () => {
  it.each(Object.entries(documents))('%s', async (_, refusal) => {
    await expectRefused(refusal);
    await expectNothingStored();
  });

  it.each(Object.entries(documents).filter(([name]) => !name.startsWith('a Deploy')))(
    'check refuses it just so: %s',
    async (_, refusal) => {
      const submitted = await service.call('POST', '/v1/releases', refusal.sent);
      const checked = await service.call('POST', '/v1/check', refusal.sent);
      expect(checked.status).toBe(submitted.status);
      expect(checked.body).toEqual(submitted.body);
      await expectNothingStored();
    },
  );

  it('shows where each problem stands in the body', async () => {
    const text = JSON.stringify(release('shop', '1', { a: { after: ['a'] } }), null, 2);
    const { details } = await expectRefused({ sent: { text }, status: 422, code: 'invalid-document' });
    const [problem] = details.problems ?? [];
    const line = text.split('\n').findIndex((each) => each.includes('"after"')) + 2;
    expect(problem?.position).toMatchObject({ file: 'body.json', line, source: '        "a"' });
  });

  it('has a check that finds nothing wrong with one that is right, and stores nothing', async () => {
    expect(await service.post('/v1/check', fine)).toMatchObject({ status: 200, body: { problems: [] } });
    expect(await service.post('/v1/check', deploy('db', '1'))).toMatchObject({ status: 200, body: { problems: [] } });
    await expectNothingStored();
  });
});

describe('a request that is refused', () => {
  it.each(Object.entries(requests))('%s', async (_, refusal) => {
    const { headers, status } = await expectRefused(refusal);
    if (status === 401) expect(headers.get('www-authenticate')).toBe('Bearer realm="renga"');
    if (status === 405) expect(headers.get('allow')).toBe('GET');
    await expectNothingStored();
  });

  it('says where a token comes from', async () => {
    const { details } = await expectRefused({
      method: 'GET',
      path: '/v1/releases',
      sent: { token: undefined },
      status: 401,
      code: 'unauthenticated',
    });
    expect(details.hint).toContain('Authorization: Bearer');
  });

  it('answers whoever asks for its health', async () => {
    expect(await service.get('/v1/health', { token: undefined })).toMatchObject({
      status: 200,
      body: { name: 'renga' },
    });
  });
});

describe('a surprise', () => {
  it('is told by an id alone, under which the log has the rest', async () => {
    const broken = await openService();
    const { deploys } = broken.ports.store;
    deploys.read = () => Promise.reject(new Error('secret inside'));
    const { status, body } = await broken.get('/v1/deploys/x');
    expect(status).toBe(500);
    const { instance = 'none', ...rest } = ProblemDetails.parse(body);
    expect(JSON.stringify(rest)).not.toContain('secret');
    expect(broken.reports).toEqual([`GET /v1/deploys/x failed, ${instance}: Error: secret inside`]);
    await broken.close();
  });

  it('asks to come back later when AWS is busy', async () => {
    const busy = await openService();
    const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    busy.ports.store.deploys.read = () => Promise.reject(throttled);
    const { status, headers, body } = await busy.get('/v1/deploys/x');
    expect([status, headers.get('retry-after'), ProblemDetails.parse(body).code]).toEqual([503, '2', 'unavailable']);
    await busy.close();
  });
});
