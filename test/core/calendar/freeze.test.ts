import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { Freeze, type FrozenPeriod, frozen, nextFreeze } from '../../../core/calendar/freeze.ts';
import { problemsOf } from '../../../core/documents/issues.ts';
import { parseDocuments } from '../../../core/documents/parse.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const once = (from: string, to: string, reason = `${from} to ${to}`): Freeze =>
  Freeze.parse({ from: `2026-10-12T${from}Z`, to: `2026-10-12T${to}Z`, reason });
const each = (cron: string, duration: string, timezone = 'Europe/Rome', reason?: string): Freeze =>
  Freeze.parse({ cron, duration, timezone, ...(reason === undefined ? {} : { reason }) });

/** A period as its hours and reason. */
const told = (period: FrozenPeriod | undefined) =>
  period && {
    from: new Date(period.from).toISOString().slice(0, 16),
    until: new Date(period.until).toISOString().slice(0, 16),
    reason: period.reason,
  };
const today = (from: string, until: string, reason: string) => ({
  from: `2026-10-12T${from}`,
  until: `2026-10-12T${until}`,
  reason,
});

describe('a freeze', () => {
  const freezes = [once('10:00', '12:00', 'audit')];

  it.each([
    ['before it begins', '09:59:59.999', undefined],
    ['at its first instant', '10:00:00', today('10:00', '12:00', 'audit')],
    ['at its last millisecond', '11:59:59.999', today('10:00', '12:00', 'audit')],
    ['at its end, which is not part of it', '12:00:00', undefined],
  ])('%s', (_, now, period) => {
    expect(told(frozen(freezes, at(`2026-10-12T${now}`)))).toEqual(period);
  });

  it('is none where there are none', () => {
    expect(frozen([], 0)).toBeUndefined();
    expect(nextFreeze([], 0)).toBeUndefined();
  });
});

describe('freezes are followed to their common end', () => {
  it.each<[string, Freeze[], string, ReturnType<typeof told>]>([
    [
      'overlapping',
      [once('10:00', '12:00', 'one'), once('11:00', '14:00', 'two')],
      '10:30',
      today('10:00', '14:00', 'one'),
    ],
    [
      'overlapping, written the other way round',
      [once('11:00', '14:00', 'two'), once('10:00', '12:00', 'one')],
      '11:30',
      today('10:00', '14:00', 'one'),
    ],
    [
      'touching',
      [once('10:00', '12:00', 'one'), once('12:00', '14:00', 'two')],
      '10:30',
      today('10:00', '14:00', 'one'),
    ],
    [
      'a touching one that has ended says nothing',
      [once('10:00', '12:00', 'one'), once('12:00', '14:00', 'two')],
      '12:30',
      today('12:00', '14:00', 'two'),
    ],
    [
      'one within another',
      [once('10:00', '16:00', 'one'), once('11:00', '12:00', 'two')],
      '11:30',
      today('10:00', '16:00', 'one'),
    ],
    [
      'three in a row, in no order',
      [once('14:00', '16:00'), once('10:00', '12:00', 'one'), once('12:00', '14:00')],
      '10:00',
      today('10:00', '16:00', 'one'),
    ],
    [
      'a pause ends it',
      [once('10:00', '12:00', 'one'), once('12:01', '14:00', 'two')],
      '10:30',
      today('10:00', '12:00', 'one'),
    ],
    [
      'one and a recurring one',
      [once('10:00', '12:00', 'one'), each('0 12 * * *', '3h', 'UTC', 'lunch')],
      '10:30',
      today('10:00', '15:00', 'one'),
    ],
    [
      'a recurring one that overlaps itself',
      [each('0 10,11,12 * * *', '90m', 'UTC', 'often')],
      '11:15',
      today('10:00', '13:30', 'often'),
    ],
  ])('%s', (_, freezes, now, period) => {
    expect(told(frozen(freezes, at(`2026-10-12T${now}`)))).toEqual(period);
  });

  it('and one that never ends is told to end later each time one asks', () => {
    const freezes = [each('* * * * *', '2m', 'UTC')];
    let now = at('2026-10-12T00:00');
    for (let asked = 0; asked < 3; asked += 1) {
      const until = frozen(freezes, now)?.until ?? now;
      expect(until).toBeGreaterThan(now);
      now = until;
    }
    expect(nextFreeze(freezes, now)).toBeUndefined();
  });
});

describe('a recurring freeze', () => {
  it.each<[string, Freeze, string, ReturnType<typeof told>]>([
    [
      'over the weekend',
      each('0 18 * * FRI', '60h'),
      '2026-10-18T12:00',
      { from: '2026-10-16T16:00', until: '2026-10-19T04:00', reason: '60h from each "0 18 * * FRI" Europe/Rome' },
    ],
    [
      'with a reason of its own',
      each('0 18 * * FRI', '60h', 'Europe/Rome', 'weekend'),
      '2026-10-18T12:00',
      { from: '2026-10-16T16:00', until: '2026-10-19T04:00', reason: 'weekend' },
    ],
    ['is over', each('0 18 * * FRI', '60h'), '2026-10-19T04:00', undefined],
    [
      'lasts elapsed time: after a repeated hour the clock shows one less at its end',
      each('0 18 * * FRI', '60h'),
      '2026-10-25T12:00',
      { from: '2026-10-23T16:00', until: '2026-10-26T04:00', reason: '60h from each "0 18 * * FRI" Europe/Rome' },
    ],
    [
      'begins after the gap',
      each('30 2 * * *', '1h'),
      '2026-03-29T01:00',
      { from: '2026-03-29T01:00', until: '2026-03-29T02:00', reason: '1h from each "30 2 * * *" Europe/Rome' },
    ],
    ['has not begun in front of the gap', each('30 2 * * *', '1h'), '2026-03-29T00:59', undefined],
    [
      'begins in the first of two hours',
      each('30 2 * * *', '30m'),
      '2026-10-25T00:45',
      { from: '2026-10-25T00:30', until: '2026-10-25T01:00', reason: '30m from each "30 2 * * *" Europe/Rome' },
    ],
    ['and not in the second', each('30 2 * * *', '30m'), '2026-10-25T01:45', undefined],
  ])('%s', (_, freeze, now, period) => {
    expect(told(frozen([freeze], at(now)))).toEqual(period);
  });
});

describe('the next freeze', () => {
  const friday = each('0 18 * * FRI', '60h', 'UTC', 'weekend');

  it.each<[string, Freeze[], string, ReturnType<typeof told>]>([
    [
      'is the one that begins first',
      [once('14:00', '16:00', 'late'), once('10:00', '12:00', 'soon')],
      '09:00',
      today('10:00', '12:00', 'soon'),
    ],
    [
      'is told with its common end',
      [once('10:00', '12:00', 'one'), once('12:00', '14:00', 'two')],
      '09:00',
      today('10:00', '14:00', 'one'),
    ],
    [
      'is not the one in force',
      [once('10:00', '12:00', 'one'), once('14:00', '16:00', 'two')],
      '10:00',
      today('14:00', '16:00', 'two'),
    ],
    [
      'is not what is joined to the one in force',
      [once('10:00', '12:00'), once('11:00', '14:00'), once('15:00', '16:00', 'next')],
      '10:30',
      today('15:00', '16:00', 'next'),
    ],
    ['is none when all are over', [once('10:00', '12:00')], '12:00', undefined],
    ['may recur', [friday], '09:00', { from: '2026-10-16T18:00', until: '2026-10-19T06:00', reason: 'weekend' }],
    ['may be one before what recurs', [friday, once('10:00', '12:00', 'one')], '09:00', today('10:00', '12:00', 'one')],
  ])('%s', (_, freezes, now, period) => {
    expect(told(nextFreeze(freezes, at(`2026-10-12T${now}`)))).toEqual(period);
  });
});

describe('refused, each by its field', () => {
  const problems = (value: unknown) => {
    const { error } = z.strictObject({ freezes: z.array(Freeze) }).safeParse({ freezes: [value] });
    return error === undefined
      ? []
      : problemsOf(error, z.strictObject({ freezes: z.array(Freeze) }), { freezes: [value] });
  };
  const from = '2026-10-12T10:00:00Z';
  const to = '2026-10-12T12:00:00Z';
  const recurring = { cron: '0 18 * * 5', duration: '60h', timezone: 'Europe/Rome' };

  it.each<[string, unknown, [string, string][]]>([
    ['no offset', { from: '2026-10-12T10:00:00', to, reason: 'x' }, [['instant-without-offset', 'from']]],
    ['an end that is the begin', { from, to: from, reason: 'x' }, [['invalid-freeze', 'to']]],
    [
      'an end before the begin, in another offset',
      { from, to: '2026-10-12T11:30:00+02:00', reason: 'x' },
      [['invalid-freeze', 'to']],
    ],
    [
      'everything at once',
      { from: 'x', to: '2026-10-12', reason: ' ' },
      [
        ['invalid-instant', 'from'],
        ['instant-without-offset', 'to'],
        ['too-short', 'reason'],
      ],
    ],
    ['no reason', { from, to }, [['missing-field', 'reason']]],
    [
      'a wrong cron, duration and zone',
      { cron: '0 3 * * 8', duration: '60 h', timezone: 'CEST' },
      [
        ['invalid-cron', 'cron'],
        ['invalid-duration', 'duration'],
        ['invalid-timezone', 'timezone'],
      ],
    ],
    ['a day that never comes', { ...recurring, cron: '0 0 30 2 *' }, [['never-due', 'cron']]],
    ['no zone', { cron: '0 3 * * 1', duration: '1h' }, [['missing-field', 'timezone']]],
    ['longer than a quarter of a year', { ...recurring, duration: '91d' }, [['invalid-duration', 'duration']]],
    ['both forms', { from, to, reason: 'x', cron: '0 3 * * 1' }, [['unknown-field', 'cron']]],
    ['a misspelt field', { ...recurring, timezome: 'x' }, [['unknown-field', 'timezome']]],
    ['text', 'always', [['wrong-type', '']]],
    [
      'nothing at all',
      {},
      [
        ['missing-field', 'from'],
        ['missing-field', 'to'],
        ['missing-field', 'reason'],
      ],
    ],
  ])('%s', (_, value, expected) => {
    expect(problems(value).map(({ code, path }) => [code, path])).toEqual(
      expected.map(([code, field]) => [code, field === '' ? 'freezes[0]' : `freezes[0].${field}`]),
    );
  });

  it('with a hint where there is one', () => {
    expect(problems({ from: '2026-10-12T10:00:00', to, reason: 'x' })[0]?.hint).toContain('2026-10-12T10:00:00+02:00');
    expect(problems({ ...recurring, timezone: 'Europe/Rom' })[0]?.hint).toBe('did you mean "Europe/Rome"?');
    expect(problems({ ...recurring, timezome: 'x' })[0]?.hint).toBe('did you mean "timezone"?');
    expect(problems({ from, to, reason: 'x', cron: '0 3 * * 1' })[0]?.hint).toContain('one form');
    expect(problems('always')[0]?.message).toBe('this must be a mapping, not "always"');
  });
});

test('a freeze stays in a document as it was written', () => {
  const freeze = { cron: '0 18 * * FRI', duration: '60h', timezone: 'Europe/Rome' };
  expect(Freeze.parse(freeze)).toEqual(freeze);
});

test('its instants need no quotes in YAML, as little as those of a schedule; other text that looks like one does', () => {
  const codes = (line: string) =>
    parseDocuments(`kind: Environment\n${line}\n`, 'prod.yml').problems.map(({ code }) => code);
  const instant = '2026-10-12T22:00:00+02:00';
  expect(codes(`freezes: [{from: ${instant}, to: ${instant}, reason: x}]`)).not.toContain('must-be-quoted');
  expect(codes(`freezes: [{from: "${instant}", to: "${instant}", reason: ${instant}}]`)).toContain('must-be-quoted');
});
