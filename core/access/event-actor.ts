/** Who an event on the bus is from. */
import * as z from 'zod';
import type { Actor } from './actor.ts';

export interface EventOrigin {
  readonly account: string;
  readonly source: string;
}

/** `123456789012/com.example.ci`, separated by commas, or a list of such. */
export const PinnedSources = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .or(z.array(z.string()))
  .pipe(
    z.array(
      z
        .string()
        .regex(/^\d{12}\/[\w./-]{1,256}$/, 'must be <account>/<source>, as in 123456789012/com.example.ci')
        .transform((text): EventOrigin => {
          const slash = text.indexOf('/');
          return { account: text.slice(0, slash), source: text.slice(slash + 1) };
        }),
    ),
  );

/**
 * EventBridge writes the account, so it holds. The source is free text of whoever may put events: it tells who it was only
 * where the bus's policy lets no others of that account use it, which is what `pinned` lists.
 */
export function eventActor({ account, source }: EventOrigin, pinned: readonly EventOrigin[]): Actor {
  const holds = pinned.some((pair) => pair.account === account && pair.source === source);
  return { subject: holds ? `${account}/${source}` : account, kind: 'pipeline', groups: [] };
}
