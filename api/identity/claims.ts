/**
 * A user from the claims of a JWT. The gateway's authorizer has checked its signature, issuer, audience and expiry, and
 * hands its claims on as texts; lists are flattened (`[a b c]`), where a group called `a b` could be two. So lists are read from the
 * token itself, which is still in the request, once it is known to be the one that was verified.
 */
import type { Actor } from '../../core/access/actor.ts';

export interface ClaimNames {
  /** Of who it is. */
  readonly subject: string;
  /** Of the groups they are in; when absent, the names that are common. */
  readonly groups?: string | undefined;
}

type Claims = Readonly<Record<string, unknown>>;

const COMMON_GROUPS = ['groups', 'cognito:groups'];
/** Longer than any provider's; what is stored under somebody's name must stay small. */
const LONGEST_SUBJECT = 256;

/** Undefined when the claims name nobody, or the request carries another token than the one that was verified. */
export function userOfClaims(verified: Claims, authorization: string | null, names: ClaimNames): Actor | undefined {
  const subject = own(verified, names.subject);
  if (typeof subject !== 'string' || subject === '' || subject.length > LONGEST_SUBJECT) return undefined;
  // An address that nobody has confirmed may be anybody's: some providers let people write in what they like.
  if (names.subject === 'email' && String(own(verified, 'email_verified') ?? true) !== 'true') return undefined;
  const token = payloadOf(authorization);
  if (token !== undefined && !isSame(token, verified)) return undefined;
  const groups = (names.groups === undefined ? COMMON_GROUPS : [names.groups]).flatMap((claim) =>
    textsOf(own(token ?? {}, claim)),
  );
  return { subject, kind: 'user', groups: [...new Set(groups)] };
}

/** Not every token has an id; where both show one, it has to be the same. */
function isSame(token: Claims, verified: Claims): boolean {
  const [id, verifiedId] = [own(token, 'jti'), own(verified, 'jti')];
  if (typeof id === 'string' && typeof verifiedId === 'string' && id !== verifiedId) return false;
  return ['iss', 'sub'].every((claim) => own(token, claim) === own(verified, claim));
}

/** What the token in the header says, unverified; undefined when it can't be read, which then tells of no groups. */
function payloadOf(authorization: string | null): Claims | undefined {
  const [, payload] = /^(?:Bearer +)?[\w-]+\.([\w-]+)\.[\w-]+ *$/i.exec(authorization ?? '') ?? [];
  if (payload === undefined) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(payload, 'base64url'));
    const claims: unknown = JSON.parse(text);
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? (claims as Claims) : undefined;
  } catch {
    // No UTF-8 or no JSON: there is nothing to recover, and who it is the authorizer has said already.
    return undefined;
  }
}

function own(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}

/** One text is one group: whether a comma or a space in it separates, no standard says. */
function textsOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((each): each is string => typeof each === 'string' && each !== '');
}
