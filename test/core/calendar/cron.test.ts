import { describe, expect, it, test } from 'vitest';
import { checkedCron, latestUpTo, nextAfter } from '../../../core/calendar/cron.ts';

const at = (text: string) => Date.parse(`${text}Z`);

/** Runs after an instant, in UTC to the minute. */
function runs(text: string, zone: string, after: string, count: number): string[] {
  const cron = checkedCron(text);
  const found: string[] = [];
  for (let instant: number | undefined = at(after); found.length < count; ) {
    instant = nextAfter(cron, zone, instant);
    if (instant === undefined) break;
    found.push(new Date(instant).toISOString().slice(0, 16));
  }
  return found;
}

describe.each<[string, [string, string, string, string[]][]]>([
  [
    'Europe/Rome',
    [
      ['a skipped time runs after the gap', '30 2 * * *', '2026-03-28T02:00', ['2026-03-29T01:00', '2026-03-30T00:30']],
      ['what one gap skips runs once', '15,45 2 * * *', '2026-03-28T02:00', ['2026-03-29T01:00', '2026-03-30T00:15']],
      [
        'the gap and what follows it run once',
        '0 2,3 29 3 *',
        '2026-03-28T02:00',
        ['2026-03-29T01:00', '2027-03-29T00:00'],
      ],
      [
        'every hour, around the gap',
        '30 * * * *',
        '2026-03-28T23:45',
        ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
      ],
      [
        'every minute, around the gap',
        '* * * * *',
        '2026-03-29T00:58',
        ['2026-03-29T00:59', '2026-03-29T01:00', '2026-03-29T01:01'],
      ],
      ['the minute before the gap', '59 1 29 3 *', '2026-03-28T02:00', ['2026-03-29T00:59']],
      [
        'a repeated time runs the first time',
        '30 2 * * *',
        '2026-10-24T02:00',
        ['2026-10-25T00:30', '2026-10-26T01:30'],
      ],
      [
        'every hour, once each',
        '0 * * * *',
        '2026-10-24T23:30',
        ['2026-10-25T00:00', '2026-10-25T02:00', '2026-10-25T03:00'],
      ],
      [
        'every minute, once each',
        '* * * * *',
        '2026-10-25T00:58',
        ['2026-10-25T00:59', '2026-10-25T02:00', '2026-10-25T02:01'],
      ],
      ['asked within the repeated hour', '*/30 * * * *', '2026-10-25T01:10', ['2026-10-25T02:00', '2026-10-25T02:30']],
      ['the end of the overlap', '0 3 25 10 *', '2026-10-24T12:00', ['2026-10-25T02:00']],
    ],
  ],
  [
    'America/New_York',
    [
      ['spring', '30 2 * * *', '2026-03-08T00:00', ['2026-03-08T07:00', '2026-03-09T06:30']],
      ['autumn', '30 1 * * *', '2026-11-01T00:00', ['2026-11-01T05:30', '2026-11-02T06:30']],
      ['a weekday at night is still the day before in UTC', '30 22 * * FRI', '2026-11-01T00:00', ['2026-11-07T03:30']],
    ],
  ],
  [
    'Australia/Lord_Howe',
    [
      ['half an hour is skipped', '15 2 * * *', '2026-10-03T00:00', ['2026-10-03T15:30', '2026-10-04T15:15']],
      ['the other half is not', '45 2 * * *', '2026-10-03T00:00', ['2026-10-03T15:45', '2026-10-04T15:45']],
      ['half an hour is repeated', '45 1 * * *', '2026-04-04T00:00', ['2026-04-04T14:45', '2026-04-05T15:15']],
      [
        'quarters of the repeated half',
        '*/15 * * * *',
        '2026-04-04T14:20',
        ['2026-04-04T14:30', '2026-04-04T14:45', '2026-04-04T15:30'],
      ],
    ],
  ],
  [
    'Asia/Kathmandu',
    [['an offset of 5:45', '0 0 * * *', '2026-06-01T00:00', ['2026-06-01T18:15', '2026-06-02T18:15']]],
  ],
  [
    'Pacific/Apia',
    [
      [
        'a day that never was runs when the next begins',
        '0 12 30 12 *',
        '2011-01-01T00:00',
        ['2011-12-30T10:00', '2012-12-29T22:00'],
      ],
      [
        'each day, and the skipped one',
        '0 12 * * *',
        '2011-12-29T00:00',
        ['2011-12-29T22:00', '2011-12-30T10:00', '2011-12-30T22:00'],
      ],
      ['a Friday that never was', '0 12 * * FRI', '2011-12-29T00:00', ['2011-12-30T10:00', '2012-01-05T22:00']],
    ],
  ],
  [
    'Africa/Cairo',
    [['midnight is skipped', '0 0 * * *', '2026-04-22T23:00', ['2026-04-23T22:00', '2026-04-24T21:00']]],
  ],
  [
    'America/Havana',
    [['midnight is repeated', '0 0 * * *', '2026-10-31T05:00', ['2026-11-01T04:00', '2026-11-02T05:00']]],
  ],
  [
    'UTC',
    [
      ['nothing ever changes', '30 2 * * *', '2026-03-28T12:00', ['2026-03-29T02:30', '2026-03-30T02:30']],
      [
        'both days restricted: either',
        '0 0 13 * 5',
        '2026-02-01T00:00',
        ['2026-02-06T00:00', '2026-02-13T00:00', '2026-02-20T00:00'],
      ],
      [
        'one begins with a star: both',
        '0 0 */2 * 5',
        '2026-02-01T00:00',
        ['2026-02-13T00:00', '2026-02-27T00:00', '2026-03-13T00:00'],
      ],
      ['29 February', '0 0 29 2 *', '2026-01-01T00:00', ['2028-02-29T00:00', '2032-02-29T00:00']],
      ['over a century without one', '0 0 29 2 *', '2096-03-01T00:00', ['2104-02-29T00:00']],
      ['29 February at a weekend, over it', '0 0 29 2 */6', '2088-03-01T00:00', ['2116-02-29T00:00']],
      ['the last day of a year', '59 23 31 12 *', '2026-12-31T23:59', ['2027-12-31T23:59']],
    ],
  ],
])('%s', (zone, rows) => {
  it.each(rows)('%s: %s', (_, cron, after, expected) => {
    expect(runs(cron, zone, after, expected.length)).toEqual(expected);
  });
});

test('the next run is strictly later, to the millisecond', () => {
  const cron = checkedCron('30 2 * * *');
  const run = at('2026-03-29T01:00');
  expect(nextAfter(cron, 'Europe/Rome', run - 1)).toBe(run);
  expect(nextAfter(cron, 'Europe/Rome', run)).toBe(at('2026-03-30T00:30'));
  const repeated = at('2026-10-25T00:30');
  expect(nextAfter(cron, 'Europe/Rome', repeated - 1)).toBe(repeated);
  expect(nextAfter(cron, 'Europe/Rome', repeated + 3_600_000 - 1)).toBe(at('2026-10-26T01:30'));
});

describe('of the runs missed while nothing ran', () => {
  it.each([
    ['only the latest is left', '0 3 * * *', '2026-06-10T12:00', '2026-06-01T00:00', '2026-06-10T01:00'],
    ['the instant itself counts', '0 3 * * *', '2026-06-10T01:00', '2026-06-01T00:00', '2026-06-10T01:00'],
    ['the bound itself counts', '0 3 * * *', '2026-06-10T12:00', '2026-06-10T01:00', '2026-06-10T01:00'],
    ['none after the bound is left', '0 3 * * *', '2026-06-10T12:00', '2026-06-10T01:01', undefined],
    ['one in a gap is there after it', '30 2 * * *', '2026-03-29T01:00', '2026-03-29T00:00', '2026-03-29T01:00'],
    ['one in a gap is not there before it', '30 2 * * *', '2026-03-29T00:59', '2026-03-28T12:00', undefined],
    [
      'a repeated time is the first of the two',
      '30 2 * * *',
      '2026-10-25T01:45',
      '2026-10-25T00:00',
      '2026-10-25T00:30',
    ],
    [
      'in the repeated hour nothing is due again',
      '* * * * *',
      '2026-10-25T01:20',
      '2026-10-25T00:00',
      '2026-10-25T00:59',
    ],
    ['years may have passed', '0 0 29 2 *', '2027-12-01T00:00', '2020-01-01T00:00', '2024-02-28T23:00'],
  ])('%s', (_, cron, upTo, notBefore, expected) => {
    const latest = latestUpTo(checkedCron(cron), 'Europe/Rome', at(upTo), at(notBefore));
    expect(latest).toBe(expected === undefined ? undefined : at(expected));
  });
});

test('a rare expression is found in well under 10 ms', () => {
  const cron = checkedCron('0 0 29 2 *');
  // The quickest of several: what else the machine does is not measured.
  const took = Array.from({ length: 10 }, (_, year) => {
    const started = performance.now();
    expect(nextAfter(cron, 'Europe/Rome', Date.UTC(2096 + year, 2, 1))).toBeDefined();
    return performance.now() - started;
  });
  expect(Math.min(...took)).toBeLessThan(10);
});

test('an unknown zone is no silent UTC', () => {
  expect(() => nextAfter(checkedCron('0 0 * * *'), 'Mars/Olympus', 0)).toThrow(RangeError);
});
