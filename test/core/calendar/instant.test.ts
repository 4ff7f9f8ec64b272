import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { checkedInstant, Instant, instantOf } from '../../../core/calendar/instant.ts';

const iso = (text: string) => {
  const { ms } = instantOf(text);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

test.each([
  ['2026-10-12T22:00:00+02:00', '2026-10-12T20:00:00.000Z'],
  ['2026-10-12T22:00+02:00', '2026-10-12T20:00:00.000Z'],
  ['2026-10-12T22:00Z', '2026-10-12T22:00:00.000Z'],
  ['2026-10-12T22:00:00.5Z', '2026-10-12T22:00:00.500Z'],
  ['2026-10-12T22:00:00.123999999Z', '2026-10-12T22:00:00.123Z'],
  ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
  ['2028-02-29T00:00:00+05:45', '2028-02-28T18:15:00.000Z'],
  ['2026-01-01T00:00:00+14:00', '2025-12-31T10:00:00.000Z'],
  ['2026-01-01T00:00:00-12:00', '2026-01-01T12:00:00.000Z'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
])('%s is %s', (text, instant) => {
  expect(iso(text)).toBe(instant);
  expect(new Date(checkedInstant(text)).toISOString()).toBe(instant);
});

test.each([
  '2026-02-30T10:00:00Z',
  '2026-02-29T10:00:00Z',
  '2026-13-01T10:00:00Z',
  '2026-00-10T10:00:00Z',
  '2026-10-12T24:00:00Z',
  '2026-10-12T25:00:00Z',
  '2026-10-12T10:60:00Z',
  '2026-10-12T10:00:60Z',
  '2026-10-12T10:00:00+15:00',
  '2026-10-12T10:00:00+14:01',
  '2026-10-12T10:00:00-12:30',
  '2026-10-12T10:00:00+02:60',
  '2026-10-12T10:00:00+0200',
  '2026-10-12T10:00:00+02',
  '2026-10-12T10:00:00 +02:00',
  '2026-10-12 10:00:00Z',
  '2026-10-12t10:00:00z',
  '2026-10-12T10Z',
  '2026-10-12T10:00:00.Z',
  '2026-10-12T10:00:00Z\n',
  '2026-10-12T10:00:00+02:00[Europe/Rome]',
  '0026-10-12T10:00:00Z',
  '+002026-10-12T10:00:00Z',
  '1760220000',
  'tomorrow',
  '',
])('%j is no instant', (text) => {
  expect(instantOf(text).problem).toMatchObject({
    code: 'invalid-instant',
    message: expect.stringContaining(JSON.stringify(text)),
  });
});

test.each([
  ['2026-10-25T02:30:00', '2026-10-25T02:30:00+02:00'],
  ['2026-10-25 02:30', '2026-10-25T02:30+02:00'],
  ['2026-10-25', '2026-10-25T00:00+02:00'],
])('%s says no offset, and is told how to', (text, written) => {
  const { problem } = instantOf(text);
  expect(problem).toMatchObject({ code: 'instant-without-offset', message: expect.stringContaining(`"${text}"`) });
  expect(problem?.hint).toContain(written);
  expect(instantOf(written).problem).toBeUndefined();
});

describe('B91: what a text says does not depend on where it is read', () => {
  const module = pathToFileURL(resolve('core/calendar/instant.ts')).href;
  const program = `
    const { instantOf } = await import(${JSON.stringify(module)});
    const texts = ['2026-10-25T02:30:00', '2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00'];
    const answers = texts.map((text) => instantOf(text)).map(({ ms, problem }) => problem?.code ?? ms);
    console.log(JSON.stringify([new Date(0).getTimezoneOffset(), ...answers]));`;

  it.each([
    ['Asia/Tokyo', -540],
    ['UTC', 0],
    ['America/New_York', 300],
  ])('under TZ=%s', (zone, offset) => {
    const run = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      env: { ...process.env, TZ: zone },
      encoding: 'utf8',
    });
    expect(JSON.parse(run)).toEqual([
      offset,
      'instant-without-offset',
      Date.UTC(2026, 9, 25, 0, 30),
      Date.UTC(2026, 9, 25, 1, 30),
    ]);
  });
});

test('an instant stays text in a document, and its pattern refuses what it refuses at sight', () => {
  expect(Instant.parse('2026-10-12T22:00:00+02:00')).toBe('2026-10-12T22:00:00+02:00');
  const { pattern, examples } = z.toJSONSchema(Instant) as { pattern: string; examples: string[] };
  for (const example of examples) expect(example).toMatch(new RegExp(pattern));
  expect('2026-10-25T02:30:00').not.toMatch(new RegExp(pattern));
});
