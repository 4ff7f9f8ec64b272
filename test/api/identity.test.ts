import { describe, expect, it } from 'vitest';
import { gatewayAuthenticator } from '../../api/identity/gateway.ts';
import { tokenAuthenticator } from '../../api/identity/token.ts';
import type { Actor } from '../../core/access/actor.ts';
import { flattened, gatewayEvent, iamOf, type Sent, tokenOf } from './gateway-event.ts';

const request = (authorization?: string, path = '/v1/releases') =>
  new Request(`http://renga${path}`, authorization === undefined ? {} : { headers: { authorization } });
const anna: Actor = { subject: 'anna', kind: 'user', groups: ['shop'] };
const ci: Actor = { subject: 'ci', kind: 'pipeline', groups: [] };

describe('by a token', () => {
  const tokens = tokenAuthenticator(
    new Map([
      ['one', anna],
      ['two', ci],
    ]),
  );

  it.each([
    ['Bearer one', anna],
    ['bearer  two ', ci],
    ['Bearer onetwo', undefined],
    ['Bearer ', undefined],
    ['Bearer one two', undefined],
    ['one', undefined],
    [undefined, undefined],
  ])('%s', async (authorization, actor) => {
    expect(await tokens(request(authorization), undefined)).toEqual(actor);
    expect(await tokens(request(authorization, '/iam/v1/releases'), undefined)).toEqual(actor);
  });

  it('that holds now, when they change', async () => {
    let current = new Map([['one', anna]]);
    const changing = tokenAuthenticator(async () => current);
    expect(await changing(request('Bearer one'), undefined)).toEqual(anna);
    current = new Map([['two', ci]]);
    expect(await changing(request('Bearer one'), undefined)).toBeUndefined();
    expect(await changing(request('Bearer two'), undefined)).toEqual(ci);
  });
});

type Options = Parameters<typeof gatewayAuthenticator>[0];

function known(sent: Partial<Sent>, options: Partial<Options> = {}): Promise<Actor | undefined> {
  const path = sent.path ?? '/v1/releases';
  const platform = { event: gatewayEvent({ ...sent, path }) };
  const authenticate = gatewayAuthenticator({ administrators: [], claims: { subject: 'sub' }, ...options });
  return authenticate(request(sent.authorization, path), platform);
}

describe('by the claims of a token', () => {
  const verified = { sub: 'ada', iss: 'https://issuer.example', email: 'ada@example.org' };
  const user = (subject: string, ...groups: string[]): Actor => ({ subject, kind: 'user', groups });
  /** A token, and its claims as the gateway hands them on. */
  const withClaims = (claims: Readonly<Record<string, unknown>>, options: Partial<Options> = {}) => {
    const all = { ...verified, ...claims };
    return known({ jwt: flattened(all), authorization: `Bearer ${tokenOf(all)}` }, options);
  };

  it.each([
    ['a list', { groups: ['platform', 'shop'] }, ['platform', 'shop']],
    ['a list of Cognito', { 'cognito:groups': ['platform'] }, ['platform']],
    ['both', { groups: ['platform'], 'cognito:groups': ['platform', 'shop'] }, ['platform', 'shop']],
    ['names with spaces and brackets', { groups: ['a b', '[c', 'd]'] }, ['a b', '[c', 'd]']],
    ['one text', { groups: 'platform shop' }, ['platform shop']],
    ['no list of texts', { groups: [7, null, { name: 'x' }, ''] }, []],
    ['another thing', { groups: { platform: true } }, []],
    ['none', {}, []],
  ])('groups: %s', async (_, claims, groups) => {
    expect(await withClaims(claims)).toEqual(user('ada', ...groups));
  });

  it('groups are those of the claim that is named, and no other', async () => {
    const claims = { groups: ['a'], 'cognito:groups': ['b'], 'https://shop.example/teams': ['c'] };
    const options = { claims: { subject: 'sub', groups: 'https://shop.example/teams' } };
    expect(await withClaims(claims, options)).toEqual(user('ada', 'c'));
    expect(await withClaims({ groups: ['a'] }, { claims: { subject: 'sub', groups: 'constructor' } })).toEqual(
      user('ada'),
    );
  });

  it('the token may stand without its scheme, as the gateway takes it too', async () => {
    const claims = { ...verified, groups: ['platform'] };
    const authorization = tokenOf(claims);
    expect(await known({ jwt: flattened(claims), authorization })).toEqual(user('ada', 'platform'));
  });

  const claims = { ...verified, groups: ['platform'] };
  it.each([
    ['another subject', { ...claims, sub: 'bob' }],
    ['another issuer', { ...claims, iss: 'https://evil.example' }],
    ['no subject', { iss: claims.iss, groups: ['admins'] }],
    ['no issuer', { sub: claims.sub, groups: ['admins'] }],
    ['a subject that only reads the same', { ...claims, sub: ['ada'] }],
  ])('is nobody when the token that came along has %s', async (_, forged) => {
    expect(await known({ jwt: flattened(claims), authorization: `Bearer ${tokenOf(forged)}` })).toBeUndefined();
  });

  it('is nobody when the token that came along has another id', async () => {
    const forged = `Bearer ${tokenOf({ ...claims, jti: '2' })}`;
    expect(await known({ jwt: flattened({ ...claims, jti: '1' }), authorization: forged })).toBeUndefined();
    expect(await known({ jwt: flattened({ ...claims, jti: '2' }), authorization: forged })).toBeDefined();
    // An issuer that counts its tokens: the gateway has made a text of the number.
    expect(await withClaims({ jti: 7 })).toBeDefined();
  });

  it.each([
    ['is absent', undefined],
    ['is empty', ''],
    ['has two parts', 'Bearer e30.e30'],
    ['has four parts', 'Bearer e30.e30.e30.e30'],
    ['is no JSON', `Bearer e30.${Buffer.from('{').toString('base64url')}.x`],
    ['is no UTF-8', `Bearer e30.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.x`],
    ['is a list', `Bearer e30.${Buffer.from('[]').toString('base64url')}.x`],
    ['is null', `Bearer e30.${Buffer.from('null').toString('base64url')}.x`],
    ['is two', `Bearer ${tokenOf(claims)}, Bearer ${tokenOf({ ...claims, groups: ['admins'] })}`],
    ['is of another scheme', `Basic ${Buffer.from('ada:x').toString('base64')}`],
  ])('has no groups, and is known all the same, when the token in the header %s', async (_, authorization) => {
    const sent = authorization === undefined ? {} : { authorization };
    expect(await known({ jwt: flattened(claims), ...sent })).toEqual(user('ada'));
  });

  it.each<[string, string, Readonly<Record<string, unknown>>, string | undefined]>([
    ['sub', 'sub', {}, 'ada'],
    ['email', 'email', {}, 'ada@example.org'],
    ['email, confirmed', 'email', { email_verified: true }, 'ada@example.org'],
    ['email, not confirmed', 'email', { email_verified: false }, undefined],
    ['a claim that is not there', 'upn', {}, undefined],
    ['a claim that is empty', 'upn', { upn: '' }, undefined],
    ['a claim as long as a book', 'upn', { upn: 'x'.repeat(257) }, undefined],
    ['an inherited field', 'constructor', {}, undefined],
  ])('by %s', async (_, subject, more, expected) => {
    expect((await withClaims(more, { claims: { subject } }))?.subject).toBe(expected);
  });

  it('never becomes a pipeline or an administrator by what it is called', async () => {
    const hostile = {
      sub: 'pipeline:arn:aws:iam::1:role/ci',
      administrator: true,
      groups: ['user:root', 'pipeline:x'],
    };
    const options = { administrators: ['user:root', 'pipeline:x', 'pipeline:arn:aws:iam::1:role/ci'] };
    expect(await withClaims(hostile, options)).toEqual(user(hostile.sub, ...hostile.groups));
    expect(await withClaims({ sub: 'root' }, options)).toEqual({ ...user('root'), administrator: true });
  });
});

describe('by a signature of IAM', () => {
  const path = '/iam/v1/releases';
  it.each([
    ['arn:aws:sts::123456789012:assumed-role/ci/build-7', 'arn:aws:iam::123456789012:role/ci'],
    ['arn:aws:iam::123456789012:user/teams/bot', 'arn:aws:iam::123456789012:user/teams/bot'],
    ['arn:aws:iam::123456789012:root', 'arn:aws:iam::123456789012:root'],
  ])('%s is %s', async (arn, subject) => {
    expect(await known({ path, iam: iamOf(arn) })).toEqual({ subject, kind: 'pipeline', groups: [] });
  });

  it.each([
    ['of another account than its ARN', iamOf('arn:aws:iam::210987654321:user/bot')],
    ['without an ARN', iamOf('')],
    ['that is no principal', iamOf('arn:aws:s3:::bucket')],
    ['with a star', iamOf('arn:aws:iam::123456789012:user/*')],
    ['without fields', {}],
  ])('is nobody %s', async (_, iam) => {
    expect(await known({ path, iam })).toBeUndefined();
  });

  it('takes no groups from a token beside it', async () => {
    const authorization = `Bearer ${tokenOf({ sub: 'ada', groups: ['admins'] })}`;
    const iam = iamOf('arn:aws:iam::123456789012:user/bot');
    expect((await known({ path, iam, authorization }))?.groups).toEqual([]);
  });

  it('is an administrator where the configuration names its role', async () => {
    const options = { administrators: ['pipeline:arn:aws:iam::123456789012:role/teams/ci'] };
    const iam = iamOf('arn:aws:sts::123456789012:assumed-role/ci/build-7');
    expect((await known({ path, iam }, options))?.administrator).toBe(true);
  });
});

it('a request that came through no gateway is nobody', async () => {
  const authenticate = gatewayAuthenticator({ administrators: [], claims: { subject: 'sub' } });
  for (const platform of [undefined, {}, { event: {} }, { event: { requestContext: { authorizer: { jwt: {} } } } }]) {
    expect(await authenticate(request('Bearer x'), platform)).toBeUndefined();
    expect(await authenticate(request('Bearer x', '/iam/v1/x'), platform)).toBeUndefined();
  }
});
