import * as z from 'zod';
import { Duration, seconds } from '../documents/duration.ts';
import { CronExpression, checkedCron, latestUpTo, nextAfter } from './cron.ts';
import { checkedInstant, Instant, instantOf } from './instant.ts';
import { TimeZone } from './zone.ts';

const Reason = z.string().trim().min(1).max(256);

const OneFreeze = z
  .strictObject({
    from: Instant.describe('The first instant of the freeze, with an offset.'),
    to: Instant.describe('The first instant after it.'),
    reason: Reason.describe('Why nothing is deployed, as people are told.'),
  })
  .superRefine(({ from, to }, context) => {
    const [begin, end] = [instantOf(from).ms, instantOf(to).ms];
    if (begin === undefined || end === undefined || begin < end) return;
    context.addIssue({
      code: 'custom',
      path: ['to'],
      params: { code: 'invalid-freeze', hint: '`to` is the first instant after the freeze' },
      message: `the freeze ends at "${to}", which is not after its begin, "${from}"`,
    });
  });

const RecurringFreeze = z.strictObject({
  cron: CronExpression.describe('When it begins, each time.'),
  duration: Duration('1m', '90d').describe('How long it lasts each time, 1m to 90d.'),
  timezone: TimeZone.describe('Whose clock `cron` is about.'),
  reason: Reason.optional().describe('Why nothing is deployed, as people are told.'),
});

/** A time in which an environment takes no deploys: once, or whenever a cron expression says. */
export const Freeze = z.union([OneFreeze, RecurringFreeze]);
export type Freeze = z.infer<typeof Freeze>;

/** From its first instant up to `until`, which no longer belongs to it. */
export interface FrozenPeriod {
  readonly from: number;
  readonly until: number;
  readonly reason: string;
}

/** A freeze that begins each minute and lasts one would be followed for ever. */
const MOST_JOINED = 200;

/**
 * The freeze that is in force at `now`: of several the one that began first gives its beginning and its reason. `until`
 * is the end of what overlaps or touches it. After 200 periods in a row it is the end of the last of these; whoever
 * waits for `until` asks again then, and finds the next.
 */
export function frozen(freezes: readonly Freeze[], now: number): FrozenPeriod | undefined {
  return inForce(freezes.map(recurrenceOf), now);
}

/**
 * The next freeze that begins after `now`, and after the one that is in force then; undefined when none comes, or when
 * the one in force goes on too long to see behind it.
 */
export function nextFreeze(freezes: readonly Freeze[], now: number): FrozenPeriod | undefined {
  const recurrences = freezes.map(recurrenceOf);
  const current = inForce(recurrences, now);
  const free = current?.until ?? now;
  if (current !== undefined && inForce(recurrences, free) !== undefined) return undefined;
  const begins = recurrences.flatMap(({ beginAfter }) => beginAfter(free) ?? []);
  return begins.length === 0 ? undefined : inForce(recurrences, Math.min(...begins));
}

/** What both kinds of freezes come to: periods, `[from, until)`. */
interface Recurrence {
  readonly reason: string;
  /** Its periods around an instant, joined; undefined when none is in force. */
  readonly around: (instant: number) => { from: number; until: number } | undefined;
  readonly beginAfter: (instant: number) => number | undefined;
}

function recurrenceOf(freeze: Freeze): Recurrence {
  return 'from' in freeze ? once(freeze) : recurring(freeze);
}

function once(freeze: z.infer<typeof OneFreeze>): Recurrence {
  const [from, until] = [checkedInstant(freeze.from), checkedInstant(freeze.to)];
  return {
    reason: freeze.reason,
    around: (instant) => (from <= instant && instant < until ? { from, until } : undefined),
    beginAfter: (instant) => (from > instant ? from : undefined),
  };
}

/** A beginning that falls into a clock change keeps the rules of cron; from there on the duration is elapsed time. */
function recurring({ cron: text, duration, timezone, reason }: z.infer<typeof RecurringFreeze>): Recurrence {
  const cron = checkedCron(text);
  const lasts = (seconds(duration) ?? 0) * 1_000;
  return {
    reason: reason ?? `${duration} from each "${text}" ${timezone}`,
    around: (instant) => {
      const latest = latestUpTo(cron, timezone, instant, instant - lasts + 1);
      if (latest === undefined) return undefined;
      return { from: nextAfter(cron, timezone, instant - lasts) ?? latest, until: latest + lasts };
    },
    beginAfter: (instant) => nextAfter(cron, timezone, instant),
  };
}

function inForce(recurrences: readonly Recurrence[], now: number): FrozenPeriod | undefined {
  let period: FrozenPeriod | undefined;
  for (const { around, reason } of recurrences) {
    const own = around(now);
    if (own === undefined) continue;
    const first = period === undefined || own.from < period.from ? { from: own.from, reason } : period;
    period = { from: first.from, reason: first.reason, until: Math.max(own.until, period?.until ?? own.until) };
  }
  if (period === undefined) return undefined;
  // At the end of a period, what touches it has begun and what overlaps it goes on.
  for (let joined = 0; joined < MOST_JOINED; joined += 1) {
    const until: number = period.until;
    const further = Math.max(...recurrences.map(({ around }) => around(until)?.until ?? until));
    if (further === until) break;
    period = { ...period, until: further };
  }
  return period;
}
