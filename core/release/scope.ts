import * as z from 'zod';
import type { ReleaseDocument } from '../documents/release.ts';

/** The applications and environments that a release concerns, each pair once and in one order. */
export const Scope = z.array(z.tuple([z.string(), z.string()]));
export type Scope = z.infer<typeof Scope>;

export function scopeOf(release: ReleaseDocument): Scope {
  const pairs = new Map(
    release.deploys.map(({ descriptor: { application, environment } }) => [
      `${application} ${environment}`,
      [application, environment] as [string, string],
    ]),
  );
  return [...pairs].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, pair]) => pair);
}
