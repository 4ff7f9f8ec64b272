/** `--ci`: telling a CI system how what was submitted ended, and what it exports. */
import { type CiFormat, type CiTarget, ciTarget } from '../files/ci-outcome.ts';
import type { Session } from './session.ts';

export interface CiOptions {
  readonly ci?: CiFormat | undefined;
  readonly ciFile?: string | undefined;
}

/** Where the outcome goes; found out before anything is submitted, and undefined without `--ci`. */
export function ciOf(
  { surroundings }: Session,
  { ci, ciFile }: CiOptions,
  exports: readonly string[],
): CiTarget | undefined {
  return ci === undefined ? undefined : ciTarget(ci, surroundings.env, ciFile, exports);
}
