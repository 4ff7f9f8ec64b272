/** What is remembered of the jobs of a deploy that have ended: enough to say what happened and to find their logs. */
import { oneLine } from '../failure.ts';
import { jobOfKey } from './job-key.ts';

export interface EndedJob {
  readonly key: string;
  readonly plugin: string;
  /** The plugin's name for it. */
  readonly name: string;
  /** In epoch milliseconds, as is `endedAt`. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: 'success' | 'failed' | 'cancelled';
  /** In one line, cut short. */
  readonly message?: string;
}

/** They stand in the deploy's row, which every decision writes anew. */
const MOST_JOBS = 50;
const MOST_CHARACTERS = 200;

/**
 * The list with one more. Of the probes of a wave the last stands for all, since when the first began: its key says how
 * many there were.
 */
export function withEnded(jobs: readonly EndedJob[], ended: EndedJob): readonly EndedJob[] {
  const last = jobs.at(-1);
  if (last === undefined || !verifiesTheSame(last.key, ended.key)) return [...jobs, ended].slice(-MOST_JOBS);
  return [...jobs.slice(0, -1), { ...ended, startedAt: last.startedAt }];
}

/** Whether both are probes of one wave; by its key a job is also the same as itself. */
export function verifiesTheSame(one: string, other: string): boolean {
  const [first, second] = [jobOfKey(one), jobOfKey(other)];
  return first?.kind === 'verify' && second?.kind === 'verify' && first.wave === second.wave;
}

export function shortMessage(message: string): string {
  const line = oneLine(message);
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line;
}
