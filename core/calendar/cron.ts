/**
 * Five-field cron expressions in a named zone. A run belongs to a local minute that the expression names, and comes
 * when the zone's clock first shows that minute or has jumped over it. From this one rule follows what clock changes
 * do, for every expression alike:
 *
 * - A minute that is skipped runs at the first instant after the gap, and all that one gap skips run there together,
 *   once.
 * - A repeated minute runs once, the first time. That holds for wildcards too: `* * * * *` runs once for each local
 *   minute, not once for each that passes, so it rests while an hour is repeated. Other crons tell expressions with
 *   wildcards from those without; then `0 * * * *` and `0 0-23 * * *` differ, and nobody can see why.
 */
import { shown } from '../documents/shown.ts';
import { type CronFields, cronFieldsOf } from './cron-fields.ts';
import { type Flaw, flawless } from './flaw.ts';
import { firstReached, latestShown } from './local-time.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** A given weekday is 29 February once in 28 years, and in 40 when a century without one lies between. */
const FURTHEST_DAYS = 41 * 366;

export interface Cron extends CronFields {
  /** Minutes of a day, ascending. */
  readonly times: readonly number[];
}

/** Reads an expression; one that no day ever matches (30 February) is refused too, as `never-due`. */
export function parseCron(text: string): { cron: Cron; problem?: never } | { problem: Flaw; cron?: never } {
  const { fields, problem } = cronFieldsOf(text);
  if (fields === undefined) return { problem };
  const times = fields.hours.flatMap((hour) => fields.minutes.map((minute) => hour * 60 + minute));
  if (!fields.either && !fields.months.some((month) => fields.days.some((day) => day <= longest(month)))) {
    return {
      problem: {
        code: 'never-due',
        message: `${shown(text)} never comes: none of its months has a day ${fields.days.join(' or ')}`,
        hint: 'write a day that the month has; "28-31" is the last days of any month',
      },
    };
  }
  return { cron: { ...fields, times } };
}

/** The expression of a text that was checked when its document was read. */
export function checkedCron(text: string): Cron {
  const { cron, problem } = parseCron(text);
  if (cron === undefined) throw new Error(problem.message);
  return cron;
}

/** A cron expression in a document. */
export const CronExpression = flawless((text) => parseCron(text).problem).meta({
  pattern: '^\\s*\\S+(\\s+\\S+){4}\\s*$',
  examples: ['0 3 * * 1', '30 22 * * MON-FRI'],
});

/** The first run strictly after an instant; undefined when none comes within 40 years. */
export function nextAfter(cron: Cron, zone: string, instant: number): number | undefined {
  const latest = latestShown(zone, instant);
  const minute = Math.floor(latest / MINUTE);
  const local = neighbour(cron, minute, 1);
  return local === undefined ? undefined : firstReached(zone, local * MINUTE);
}

/**
 * The latest run up to an instant, that instant included, and not before another: what is left of the runs that were
 * missed while nothing ran.
 */
export function latestUpTo(cron: Cron, zone: string, instant: number, notBefore: number): number | undefined {
  const latest = latestShown(zone, instant);
  const local = neighbour(cron, Math.floor(latest / MINUTE) + 1, -1);
  if (local === undefined) return undefined;
  const run = firstReached(zone, local * MINUTE);
  return run < notBefore ? undefined : run;
}

/** The nearest local minute that the expression names, strictly after `minute` or strictly before it. */
function neighbour(cron: Cron, minute: number, direction: 1 | -1): number | undefined {
  const today = Math.floor(minute / 1440);
  const time = minute - today * 1440;
  if (named(cron, today)) {
    const found = direction === 1 ? cron.times.find((at) => at > time) : cron.times.findLast((at) => at < time);
    if (found !== undefined) return today * 1440 + found;
  }
  const other = direction === 1 ? cron.times[0] : cron.times.at(-1);
  for (let apart = 1; apart <= FURTHEST_DAYS; apart += 1) {
    const day = today + direction * apart;
    if (named(cron, day)) return day * 1440 + (other ?? 0);
  }
  return undefined;
}

/** Whether the expression names a day, counted from 1970-01-01. */
function named(cron: Cron, day: number): boolean {
  const date = new Date(day * DAY);
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false;
  const [inMonth, inWeek] = [cron.days.includes(date.getUTCDate()), cron.weekdays.includes(date.getUTCDay())];
  return cron.either ? inMonth || inWeek : inMonth && inWeek;
}

/** Days of a month in the year where it has most. */
function longest(month: number): number {
  return new Date(Date.UTC(2000, month, 0)).getUTCDate();
}
