/** Bearer tokens, each with who it stands for. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Actor } from '../../core/access/actor.ts';
import type { Authenticate } from '../identity.ts';

type Tokens = ReadonlyMap<string, Actor>;

interface Known {
  readonly tokens: Tokens;
  readonly entries: readonly { readonly digest: Buffer; readonly actor: Actor }[];
}

/** `tokens` may change from one request to the next: a function is asked each time. */
export function tokenAuthenticator(tokens: Tokens | (() => Promise<Tokens>)): Authenticate {
  let known: Known = { tokens: new Map(), entries: [] };
  return async (request) => {
    const current = typeof tokens === 'function' ? await tokens() : tokens;
    if (known.tokens !== current) known = digested(current);
    const [, token] = /^Bearer +([^\s]+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    if (token === undefined) return undefined;
    const digest = digestOf(token);
    // Every token is compared, in constant time: how long it takes says nothing about which one was nearly right.
    return known.entries.filter((entry) => timingSafeEqual(entry.digest, digest))[0]?.actor;
  };
}

function digested(tokens: Tokens): Known {
  return { tokens, entries: [...tokens].map(([token, actor]) => ({ digest: digestOf(token), actor })) };
}

/** Digests have one length whatever the tokens', which comparing in constant time needs. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
