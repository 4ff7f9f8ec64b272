/** The app as API Gateway calls it: an event with the authorizer's claims in, Lambda's answer out. */
import { handle } from 'hono/aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../api/app.ts';
import { ProblemDetails, ReleaseView } from '../../api/contract.ts';
import { gatewayAuthenticator } from '../../api/identity.ts';
import { openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

type Event = Parameters<ReturnType<typeof handle>>[0];

/** Payload format 2.0, as the HTTP API's Lambda integration sends it. */
function event(
  method: string,
  path: string,
  body: unknown,
  claims: Readonly<Record<string, string>> | undefined,
): Event {
  return {
    version: '2.0',
    routeKey: 'ANY /v1/{proxy+}',
    rawPath: path,
    rawQueryString: '',
    headers: { host: 'api.example', 'content-type': 'application/json' },
    requestContext: {
      accountId: '000000000000',
      apiId: 'api',
      domainName: 'api.example',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: 'r',
      routeKey: 'ANY /v1/{proxy+}',
      stage: '$default',
      time: '',
      timeEpoch: 0,
      ...(claims !== undefined && { authorizer: { jwt: { claims, scopes: [] } } }),
    },
    body: Buffer.from(JSON.stringify(body)).toString('base64'),
    isBase64Encoded: true,
  } as unknown as Event;
}

describe('behind the gateway', () => {
  const answer = (sent: Event) => handle(createApp(service.ports, { authenticate: gatewayAuthenticator }))(sent);

  it('submits under the subject of the token', async () => {
    const shop = release('shop', '1', { db: {} });
    const accepted = await answer(
      event('POST', '/v1/releases', shop, { sub: 'ci@shop', iss: 'https://issuer.example' }),
    );
    expect(accepted.statusCode).toBe(202);
    expect(ReleaseView.parse(JSON.parse(accepted.body))).toMatchObject({ id: 'shop', submittedBy: 'ci@shop' });
    await service.settle();
  });

  it('knows nobody without claims, whatever the request says of itself', async () => {
    const refused = await answer(event('POST', '/v1/releases', {}, undefined));
    expect([refused.statusCode, ProblemDetails.parse(JSON.parse(refused.body)).code]).toEqual([401, 'unauthenticated']);
  });
});
