/**
 * Who asks, behind API Gateway: a user by a JWT under `/v1`, a pipeline by its IAM credentials under `/iam/v1`. The
 * authorizer of the route has verified either; what it says is taken from under that route's prefix alone.
 */
import * as z from 'zod';
import type { Actor } from '../../core/access/actor.ts';
import { withAdministrators } from '../../core/access/administrators.ts';
import { principalOf } from '../../core/access/principal.ts';
import { type Authenticate, prefixOf } from '../identity.ts';
import { type ClaimNames, userOfClaims } from './claims.ts';

export interface GatewayOptions {
  /** Subjects, as bindings write them. */
  readonly administrators: readonly string[];
  readonly claims: ClaimNames;
}

const event = <Authorizer extends z.ZodType>(authorizer: Authorizer) =>
  z.object({ event: z.object({ requestContext: z.object({ authorizer }) }) });

const JwtEvent = event(z.object({ jwt: z.object({ claims: z.record(z.string(), z.unknown()) }) }));

const PRINCIPAL = /^arn:[a-z0-9-]+:(?:iam|sts)::(\d{12}):[^\s*]+$/;
const IamEvent = event(
  z.object({ iam: z.object({ userArn: z.string().regex(PRINCIPAL).max(2048), accountId: z.string() }) }),
);

export function gatewayAuthenticator({ administrators, claims }: GatewayOptions): Authenticate {
  return async (request, platform) => {
    const actor =
      prefixOf(request) === '/iam'
        ? pipelineOf(platform)
        : userOf(platform, claims, request.headers.get('authorization'));
    return actor === undefined ? undefined : withAdministrators(administrators, actor);
  };
}

function userOf(platform: unknown, names: ClaimNames, authorization: string | null): Actor | undefined {
  const read = JwtEvent.safeParse(platform);
  if (!read.success) return undefined;
  return userOfClaims(read.data.event.requestContext.authorizer.jwt.claims, authorization, names);
}

/**
 * All sessions of a role are one pipeline: whoever may assume the role may also name the session, so two of them are no two
 * people who could approve each other's deploys.
 */
function pipelineOf(platform: unknown): Actor | undefined {
  const read = IamEvent.safeParse(platform);
  if (!read.success) return undefined;
  const { userArn, accountId } = read.data.event.requestContext.authorizer.iam;
  if (PRINCIPAL.exec(userArn)?.[1] !== accountId) return undefined;
  return { subject: principalOf(userArn), kind: 'pipeline', groups: [] };
}
