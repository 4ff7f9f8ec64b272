/** Requests as API Gateway hands them to a Lambda, payload format 2.0, and tokens as issuers write them. */
import type { handle } from 'hono/aws-lambda';

export type Event = Parameters<ReturnType<typeof handle>>[0];

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly authorization?: string;
  /** What the route's authorizer has verified. */
  readonly jwt?: Readonly<Record<string, string>>;
  readonly iam?: Readonly<Record<string, unknown>>;
}

export function gatewayEvent({ method = 'GET', path, body, authorization, jwt, iam }: Sent): Event {
  const routeKey = path.startsWith('/iam/') ? 'ANY /iam/v1/{proxy+}' : 'ANY /v1/{proxy+}';
  const authorizer = { ...(jwt !== undefined && { jwt: { claims: jwt, scopes: null } }), ...(iam && { iam }) };
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: '',
    headers: {
      host: 'api.example',
      'content-type': 'application/json',
      ...(authorization !== undefined && { authorization }),
    },
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      domainName: 'api.example',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: 'r',
      routeKey,
      stage: '$default',
      time: '',
      timeEpoch: 0,
      ...((jwt !== undefined || iam !== undefined) && { authorizer }),
    },
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)).toString('base64') }),
    isBase64Encoded: body !== undefined,
  } as unknown as Event;
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The signature is none: the authorizer would have checked it before. */
export function tokenOf(claims: Readonly<Record<string, unknown>>): string {
  return `${encoded({ alg: 'RS256', kid: 'k' })}.${encoded(claims)}.c2lnbmF0dXJl`;
}

/** Claims as the gateway hands them on: everything is text, and what a list held can't be told any more. */
export function flattened(claims: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      Array.isArray(value) ? `[${value.join(' ')}]` : String(value),
    ]),
  );
}

/** What an authorizer of type AWS_IAM says of a session of a role. */
export function iamOf(userArn: string, accountId = '123456789012') {
  return {
    accessKey: 'ASIAXXXXXXXXXXXXXXXX',
    accountId,
    callerId: 'AROAXXXXXXXXXXXXXXXXX:build-7',
    cognitoIdentity: null,
    principalOrgId: 'o-example',
    userArn,
    userId: 'AROAXXXXXXXXXXXXXXXXX:build-7',
  };
}
