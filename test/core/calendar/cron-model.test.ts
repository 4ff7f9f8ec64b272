import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkedCron, latestUpTo, nextAfter } from '../../../core/calendar/cron.ts';
import { CHANGES, drawnCron } from './drawn.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The local minute that a zone's clock shows, read off its fields. */
function clock(zone: string): (instant: number) => number {
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (instant) => {
    const fields = Object.fromEntries(formatter.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = fields;
    return Date.UTC(year, month - 1, day, hour, minute);
  };
}

/** What the clock shows in each minute of five days around a change. Reading it off is slow, and done once. */
const shownAround = CHANGES.map(([zone, change]) => {
  const show = clock(zone);
  const from = Date.parse(change) - 48 * HOUR;
  return { zone, from, shown: Array.from({ length: 5 * 24 * 60 }, (_, index) => show(from + index * MINUTE)) };
});

/** Minute by minute: a run for each local minute that is shown for the first time, and one for what a jump left out. */
function runsByTheMinute(
  { from, shown }: { from: number; shown: readonly number[] },
  matches: (local: Date) => boolean,
) {
  const seen = new Set<number>();
  const runs: number[] = [];
  shown.forEach((local, index) => {
    let due = !seen.has(local) && matches(new Date(local));
    seen.add(local);
    const before = shown[index - 1] ?? local;
    for (let skipped = before + MINUTE; skipped < local; skipped += MINUTE) {
      due ||= matches(new Date(skipped));
      seen.add(skipped);
    }
    if (due) runs.push(from + index * MINUTE);
  });
  return runs;
}

/** Minutes of the five days, mostly those close to the change, two days in. */
const askedAt = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 46 * 60, max: 51 * 60 }) },
    fc.integer({ min: 0, max: 5 * 24 * 60 - 1 }),
  ),
  { minLength: 20, maxLength: 20 },
);

test('runs are those that minutes counted one by one give, around every kind of clock change', () => {
  let compared = 0;
  fc.assert(
    fc.property(drawnCron, fc.constantFrom(...shownAround), askedAt, (drawn, around, minutes) => {
      const cron = checkedCron(drawn.text);
      const { zone, from, shown } = around;
      const end = from + shown.length * MINUTE;
      const expected = runsByTheMinute(around, drawn.matches);
      compared += expected.length;

      const runs: number[] = [];
      for (let instant: number | undefined = from - 1; ; ) {
        instant = nextAfter(cron, zone, instant);
        if (instant === undefined || instant >= end) break;
        // A loop that does not get on would never end.
        if (instant <= (runs.at(-1) ?? Number.NEGATIVE_INFINITY)) throw new Error(`not later than ${runs.at(-1)}`);
        runs.push(instant);
      }
      expect(runs).toEqual(expected);

      for (const minute of minutes) {
        const now = from + minute * MINUTE + 17_003;
        expect(latestUpTo(cron, zone, now, from)).toEqual(expected.findLast((run) => run <= now));
        const next = nextAfter(cron, zone, now);
        const later = expected.find((run) => run > now);
        if (later !== undefined) expect(next).toBe(later);
        else if (next !== undefined) expect(next).toBeGreaterThanOrEqual(end);
      }
    }),
    {
      numRuns: Number(process.env.RENGA_CASES ?? 150),
      ...(process.env.RENGA_SEED ? { seed: Number(process.env.RENGA_SEED) } : {}),
    },
  );
  expect(compared).toBeGreaterThan(100);
});

test('the changes that are drawn are changes', () => {
  const still = CHANGES.filter(([zone, change]) => {
    const [show, instant] = [clock(zone), Date.parse(change)];
    return show(instant) - show(instant - MINUTE) === MINUTE;
  });
  expect(still.map(([zone]) => zone)).toEqual(['Asia/Kathmandu', 'UTC']);
});

test('no zone changes its clock twice within four days, which local times rely on', () => {
  // Every zone over four decades takes a minute and a half; the restless ones of these years take none.
  for (const zone of ['Africa/Casablanca', 'Africa/Cairo', 'Asia/Gaza', 'America/Recife', 'Antarctica/Casey']) {
    const show = clock(zone);
    let [before, last] = [show(Date.UTC(2000, 0, 1)) - Date.UTC(2000, 0, 1), 0];
    for (let instant = Date.UTC(2000, 0, 1); instant < Date.UTC(2030, 0, 1); instant += 12 * HOUR) {
      const offset = show(instant) - instant;
      if (offset !== before) {
        expect(instant - last, `${zone} ${new Date(instant).toISOString()}`).toBeGreaterThan(4 * 24 * HOUR);
        last = instant;
      }
      before = offset;
    }
  }
});
