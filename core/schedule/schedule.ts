/** A deploy that is submitted again and again. Like a deploy's record, decided under `seq`. */
import * as z from 'zod';
import { Actor } from '../access/actor.ts';
import { checkedCron, latestUpTo, nextAfter } from '../calendar/cron.ts';
import { Decision } from '../deploy/deploy.ts';
import { Failure } from '../failure.ts';

const Instant = z.number().int();

export const Schedule = z.object({
  id: z.string(),
  application: z.string(),
  environment: z.string(),
  tenant: z.string().optional(),
  cron: z.string(),
  timezone: z.string(),
  /** Content hash of the deploy's document, its schedule included. */
  document: z.string(),
  /** Whose rights count, each time anew. */
  submitter: Actor,
  createdAt: Instant,
  state: z.enum(['active', 'paused', 'deleted']),
  /** When it submits next; absent when it does not. */
  nextAt: Instant.optional(),
  /** The latest instant that it has submitted for, and what came of that. */
  last: z.object({ at: Instant, deploy: z.string().optional(), refused: Failure.optional() }).optional(),
  seq: z.number().int(),
  /** Decisions whose audit row is not yet known to be written. */
  pending: z.array(Decision).default([]),
});
export type Schedule = z.infer<typeof Schedule>;

/** Id of the deploy of an instant: `<id>.20261012t220000z`. The id decides that it is submitted once. */
export function runId(id: string, instant: number): string {
  return `${id}.${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').toLowerCase()}z`;
}

/** The first instant after `from`; undefined when none comes any more. */
export function nextRun({ cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>, from: number): number | undefined {
  return nextAfter(checkedCron(cron), timezone, from);
}

/** The instant to submit for now: the latest that is due, whatever was missed before it. */
export function dueRun({ cron, timezone, nextAt }: Schedule, now: number): number | undefined {
  if (nextAt === undefined || nextAt > now) return undefined;
  return latestUpTo(checkedCron(cron), timezone, now, nextAt) ?? nextAt;
}
