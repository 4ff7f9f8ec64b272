/** The app as API Gateway calls it: an event with what the authorizer has verified in, Lambda's answer out. */
import { handle } from 'hono/aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../api/app.ts';
import { ProblemDetails, ReleaseView } from '../../api/contract.ts';
import { gatewayAuthenticator } from '../../api/identity/gateway.ts';
import { gatewayEvent, iamOf, type Sent } from './gateway-event.ts';
import { openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const ROLE = 'arn:aws:iam::123456789012:role/ci';
const session = iamOf('arn:aws:sts::123456789012:assumed-role/ci/build-7');
const claims = { sub: 'ada@shop', iss: 'https://issuer.example' };

describe('behind the gateway', () => {
  const authenticate = gatewayAuthenticator({
    administrators: ['user:ada@shop', `pipeline:${ROLE}`],
    claims: { subject: 'sub' },
  });
  async function answer(sent: Sent) {
    const { statusCode, body, headers } = await handle(createApp(service.ports, { authenticate }))(gatewayEvent(sent));
    return { status: statusCode, headers, body: JSON.parse(body) as unknown };
  }
  const submit = (path: string, sent: Partial<Sent>) =>
    answer({ method: 'POST', path, body: release('shop', '1', { db: {} }), ...sent });

  it('submits under the subject of the token', async () => {
    const { status, body, headers } = await submit('/v1/releases', { jwt: claims });
    expect(status).toBe(202);
    expect(ReleaseView.parse(body)).toMatchObject({ id: 'shop', submittedBy: 'ada@shop' });
    expect(headers?.location).toBe('/v1/releases/shop');
    await service.settle();
  });

  it('submits under the role that signed, and names paths under the prefix that was asked', async () => {
    const { status, body, headers } = await submit('/iam/v1/releases', { iam: session });
    expect(status).toBe(202);
    expect(ReleaseView.parse(body)).toMatchObject({ id: 'shop', submittedBy: ROLE });
    expect(headers?.location).toBe('/iam/v1/releases/shop');
    await service.settle();
    const { status: read } = await answer({ path: '/iam/v1/releases/shop', iam: session });
    expect(read).toBe(200);
  });

  it.each<[string, Sent]>([
    ['nothing was verified', { path: '/v1/releases' }],
    [
      'nothing was verified, whatever the request says of itself',
      { path: '/v1/releases', authorization: 'Bearer x.e30.y' },
    ],
    ['nothing was signed', { path: '/iam/v1/releases' }],
    ['a token came in under /iam', { path: '/iam/v1/releases', jwt: claims }],
    ['a signature came in under /v1', { path: '/v1/releases', iam: session }],
    ['a path climbs out of its prefix', { path: '/v1/../iam/v1/releases', jwt: claims }],
    ['… or into another', { path: '/iam/v1/%2e%2e/%2e%2e/v1/releases', iam: session }],
  ])('knows nobody where %s', async (_, sent) => {
    const { status, body } = await answer(sent);
    expect([status, ProblemDetails.parse(body).code]).toEqual([401, 'unauthenticated']);
  });

  it.each(['', '/iam'])('has every route under "%s", and says which methods a path takes', async (prefix) => {
    const identity = prefix === '' ? { jwt: claims } : { iam: session };
    const { status, headers } = await answer({ method: 'DELETE', path: `${prefix}/v1/releases/shop`, ...identity });
    expect([status, headers?.allow]).toEqual([405, 'GET']);
    expect((await answer({ path: `${prefix}/v1/inventory`, ...identity })).status).toBe(200);
    expect((await answer({ path: `${prefix}/v1/nothing`, ...identity })).status).toBe(404);
    expect((await answer({ path: `/iam${prefix}/iam/v1/inventory`, ...identity })).status).toBe(404);
  });
});
