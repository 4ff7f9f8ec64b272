/** Who asks. Locally a token from a file says so; on AWS the gateway has verified a JWT before we are called. */
import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';

export interface Identity {
  /** Stands in the audit behind every decision of theirs. */
  readonly subject: string;
}

/**
 * Tells who sent a request; undefined when nobody known did. `platform` is what the host hands on beside the request:
 * Lambda's event and context on AWS.
 */
export type Authenticate = (request: Request, platform: unknown) => Promise<Identity | undefined>;

/** Bearer tokens, each with the subject that it stands for. */
export function tokenFileAuthenticator(tokens: ReadonlyMap<string, Identity>): Authenticate {
  const known = [...tokens].map(([token, identity]) => ({ digest: digestOf(token), identity }));
  return async (request) => {
    const [, token] = /^Bearer +([^\s]+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    if (token === undefined) return undefined;
    const digest = digestOf(token);
    // Every token is compared, in constant time: how long it takes says nothing about which one was nearly right.
    return known.filter((entry) => timingSafeEqual(entry.digest, digest))[0]?.identity;
  };
}

/** Digests have one length whatever the tokens', which comparing in constant time needs. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const GatewayEvent = z.object({
  event: z.object({
    requestContext: z.object({
      authorizer: z.object({ jwt: z.object({ claims: z.object({ sub: z.string().min(1) }) }) }),
    }),
  }),
});

/** API Gateway's JWT authorizer has checked signature, issuer, audience and expiry; what is left is to read the claims. */
export const gatewayAuthenticator: Authenticate = async (_, platform) => {
  const read = GatewayEvent.safeParse(platform);
  return read.success ? { subject: read.data.event.requestContext.authorizer.jwt.claims.sub } : undefined;
};
