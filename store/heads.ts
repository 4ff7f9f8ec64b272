/**
 * What the heads of deploys and releases share: a record under `seq`, its place in the lists, and its place in the sparse
 * index of what the sweep must look at.
 */
import type { Change } from './table.ts';

/** First look after a change, in milliseconds; then doubling to the last. */
const FIRST_SWEEP = 5_000;
const LAST_SWEEP = 5 * 60_000;

/** When the sweep looks again, after it has looked `sweeps` times in vain. */
export function nextSweep(now: number, sweeps: number): number {
  return now + Math.min(FIRST_SWEEP * 2 ** Math.min(sweeps, 10), LAST_SWEEP);
}

/** Position in a list by time: sorts by instant, then by id. */
export function listPosition(createdAt: number, id: string): string {
  return `${new Date(createdAt).toISOString()}#${id}`;
}

/** Puts the head under the sweep's eyes: something about it is not done. */
export function opened(kind: 'deploy' | 'release' | 'schedule', now: number): Record<string, unknown> {
  return { open: kind, sweepAt: nextSweep(now, 0), sweeps: 0 };
}

/** Takes the head out of the sweep's index: it has ended, and everyone who must know has been told. */
export const CLOSED: Change = { remove: ['open', 'sweepAt', 'sweeps'] };
