import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { CronExpression, checkedCron, parseCron } from '../../../core/calendar/cron.ts';

const every = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

describe('a field', () => {
  it.each([
    [
      '* * * * *',
      { minutes: every(0, 59), hours: every(0, 23), days: every(1, 31), months: every(1, 12), weekdays: every(0, 6) },
    ],
    ['5 3 1 2 4', { minutes: [5], hours: [3], days: [1], months: [2], weekdays: [4] }],
    ['*/15 * * * *', { minutes: [0, 15, 30, 45] }],
    ['5-59/15 * * * *', { minutes: [5, 20, 35, 50] }],
    ['0,30,15,30 * * * *', { minutes: [0, 15, 30] }],
    ['00 03 01 * *', { minutes: [0], hours: [3], days: [1] }],
    ['0-5,55-59/2 * * * *', { minutes: [0, 1, 2, 3, 4, 5, 55, 57, 59] }],
    ['0 0 * JAN,mar-Apr *', { months: [1, 3, 4] }],
    ['0 0 * * MON-FRI', { weekdays: [1, 2, 3, 4, 5] }],
    ['0 0 * * 0', { weekdays: [0] }],
    ['0 0 * * 7', { weekdays: [0] }],
    ['0 0 * * SUN', { weekdays: [0] }],
    ['0 0 * * 5-7', { weekdays: [0, 5, 6] }],
    ['0 0 * * FRI-SUN', { weekdays: [0, 5, 6] }],
    ['0 0 * * SUN-TUE', { weekdays: [0, 1, 2] }],
    ['0 0 * * 0-7', { weekdays: every(0, 6) }],
    ['0 0 * * */2', { weekdays: [0, 2, 4, 6] }],
    ['  0\t3  * * 1 ', { minutes: [0], hours: [3], weekdays: [1] }],
  ])('%j', (text, fields) => {
    expect(checkedCron(text)).toMatchObject(fields);
  });
});

test.each([
  ['0 0 13 * 5', true],
  ['0 0 1-31 * 5', true],
  ['0 0 13 * *', false],
  ['0 0 * * 5', false],
  ['0 0 */2 * 5', false],
  ['0 0 13 * */2', false],
])('of the days in %s one field is enough: %s', (text, either) => {
  expect(checkedCron(text).either).toBe(either);
});

describe('refused, with the field and the value', () => {
  it.each([
    ['60 * * * *', 'minute "60"', undefined],
    ['0 24 * * *', 'hour "24"', undefined],
    ['0 0 0 * *', 'day-of-month "0"', undefined],
    ['0 0 32 * *', 'day-of-month "32"', undefined],
    ['0 0 * 13 *', 'month "13"', undefined],
    ['0 0 * * 8', 'day-of-week "8"', undefined],
    ['0 0 * JANUARY *', 'month "JANUARY"', undefined],
    ['0 0 * JNA *', 'month "JNA"', 'did you mean "JAN"?'],
    ['0 0 * * MO', 'day-of-week "MO"', 'did you mean "MON"?'],
    ['0 0 * * constructor', 'day-of-week "constructor"', undefined],
    ['MON 0 * * *', 'minute "MON"', undefined],
    ['-5 * * * *', 'minute "-5"', undefined],
    ['1- * * * *', 'minute "1-"', undefined],
    ['1-2-3 * * * *', 'minute "1-2-3"', undefined],
    ['1,,2 * * * *', 'minute "1,,2"', 'write values with one comma between them'],
    [', * * * *', 'minute ","', undefined],
    ['007 * * * *', 'minute "007"', undefined],
    ['1.5 * * * *', 'minute "1.5"', undefined],
    ['0x1 * * * *', 'minute "0x1"', undefined],
    ['** * * * *', 'minute "**"', undefined],
    ['*-5 * * * *', 'minute "*-5"', undefined],
    ['30-10 * * * *', 'minute "30-10"', 'write 30-59,0-10'],
    ['0 22-4 * * *', 'hour "22-4"', 'write 22-23,0-4'],
    ['0 0 * * FRI-MON', 'day-of-week "FRI-MON"', 'write FRI-6,0-MON'],
    ['*/0 * * * *', 'minute "*/0"', undefined],
    ['*/ * * * *', 'minute "*/"', undefined],
    ['*/-1 * * * *', 'minute "*/-1"', undefined],
    ['*/90 * * * *', 'minute "*/90"', undefined],
    ['0 */24 * * *', 'hour "*/24"', undefined],
    ['*/2/3 * * * *', 'minute "*/2/3"', undefined],
    ['5/15 * * * *', 'minute "5/15"', 'write 5-59/15, or */15'],
    ['0 0 L * *', 'day-of-month "L"', 'L, W, # and ? are not read'],
    ['0 0 15W * *', 'day-of-month "15W"', 'L, W, # and ? are not read'],
    ['0 0 * * 5#2', 'day-of-week "5#2"', 'L, W, # and ? are not read'],
    ['0 0 * * 5L', 'day-of-week "5L"', 'L, W, # and ? are not read'],
    ['0 0 ? * 1', 'day-of-month "?"', 'L, W, # and ? are not read'],
    ['@daily', '"@daily" is a nickname', 'write "0 0 * * *"'],
    ['@HOURLY', '"@HOURLY" is a nickname', 'write "0 * * * *"'],
    ['@reboot', '"@reboot" is a nickname', undefined],
    ['0 0 3 * * 1', 'has 6 fields, not five (there are none for seconds', undefined],
    ['0 3 * *', 'has 4 fields, not five', undefined],
    ['', 'has 0 fields', undefined],
    ['   ', 'has 0 fields', undefined],
    ['0\n3 * * 1', 'has 4 fields', undefined],
    [`${'0,'.repeat(200)}0 * * * *`, 'more than 256 characters', undefined],
  ])('%j', (text, named, hint) => {
    const { problem } = parseCron(text);
    expect(problem).toMatchObject({ code: 'invalid-cron', message: expect.stringContaining(named) });
    if (hint !== undefined) expect(problem?.hint).toBe(hint);
  });
});

test.each([
  ['0 0 30 2 *', true],
  ['0 0 30,31 FEB *', true],
  ['0 0 31 4,6,9,11 *', true],
  ['0 0 30 2 */2', true],
  ['0 0 29 2 *', false],
  ['0 0 31 4,5 *', false],
  ['0 0 30 2 MON', false],
])('%s never comes: %s', (text, never) => {
  expect(parseCron(text).problem?.code).toBe(never ? 'never-due' : undefined);
});

test('an expression stays text in a document; its pattern knows how many fields there are', () => {
  expect(CronExpression.parse('0 3 * * 1')).toBe('0 3 * * 1');
  const { pattern, examples } = z.toJSONSchema(CronExpression) as { pattern: string; examples: string[] };
  for (const example of examples) expect(example).toMatch(new RegExp(pattern));
  for (const text of ['@daily', '0 0 3 * * 1']) expect(text).not.toMatch(new RegExp(pattern));
});
