/** Who asks. Locally a token from a file says so; on AWS the gateway has verified a JWT, or a signature, before we are called. */
import type { Actor } from '../core/access/actor.ts';

/**
 * Tells who sent a request; undefined when nobody known did. `platform` is what the host hands on beside the request:
 * Lambda's event and context on AWS.
 */
export type Authenticate = (request: Request, platform: unknown) => Promise<Actor | undefined>;

/**
 * A route of a gateway has one authorizer, so the API is there twice: under `/v1` for tokens, and under `/iam/v1` for
 * requests that are signed with credentials of AWS.
 */
const IAM_PREFIX = '/iam';
export const PREFIXES = ['', IAM_PREFIX] as const;
export type Prefix = (typeof PREFIXES)[number];

/** Under which of the two a request asks; answers name paths under the same. */
export function prefixOf(request: Request): Prefix {
  return new URL(request.url).pathname.startsWith(`${IAM_PREFIX}/`) ? IAM_PREFIX : '';
}
