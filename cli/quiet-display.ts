import type { Display } from './follow.ts';

/** For `--json`, whose only output is the document at the end. */
export const QUIET: Display<unknown> = { show: () => {}, away: () => {}, end: () => {} };
