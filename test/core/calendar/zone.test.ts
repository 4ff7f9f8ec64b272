import { expect, test } from 'vitest';
import * as z from 'zod';
import { TimeZone, zoneFlaw } from '../../../core/calendar/zone.ts';

test.each([
  'Europe/Rome',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Europe/Kyiv',
  'Pacific/Apia',
  'America/Argentina/Buenos_Aires',
  'America/Port-au-Prince',
  'Etc/UTC',
  'UTC',
])('%s is a time zone', (name) => {
  expect(zoneFlaw(name)).toBeUndefined();
});

test('every zone that the runtime lists is one', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((name) => zoneFlaw(name) !== undefined)).toEqual([]);
});

test.each([
  ['Europe/Rom', 'Europe/Rome'],
  ['Europe/Roma', 'Europe/Rome'],
  ['europe/rome', 'Europe/Rome'],
  ['EUROPE/ROME', 'Europe/Rome'],
  ['America/New York', 'America/New_York'],
  ['Asia/Kolkatta', 'Asia/Kolkata'],
  ['asia/kolkata', 'Asia/Kolkata'],
  ['Rome', 'Europe/Rome'],
  ['Italy/Rome', 'Europe/Rome'],
  ['Cuba', 'America/Havana'],
  ['utc', 'UTC'],
])('%s is none, and %s is offered', (name, meant) => {
  const flaw = zoneFlaw(name);
  expect(flaw).toMatchObject({ code: 'invalid-timezone', hint: `did you mean "${meant}"?` });
  expect(flaw?.message).toContain(`"${name}"`);
  expect(zoneFlaw(meant)).toBeUndefined();
});

test.each(['+02:00', '-0500', '+2', 'UTC+2', 'GMT-1', 'gmt+1'])('the offset %s is refused as one', (name) => {
  expect(zoneFlaw(name)).toMatchObject({ code: 'invalid-timezone', message: expect.stringContaining('is an offset') });
  expect(zoneFlaw(name)?.hint).toContain('Europe/Rome');
});

// This runtime takes most of them for zones.
test.each(['CEST', 'CET', 'EST', 'PST', 'GMT', 'Z', 'EST5EDT', 'IST'])('the abbreviation %s is refused', (name) => {
  expect(zoneFlaw(name)).toMatchObject({ code: 'invalid-timezone', message: expect.stringContaining('abbreviation') });
  expect(zoneFlaw(name)?.hint).toContain('Europe/Rome');
});

test.each(['', ' ', 'Mars/Olympus', '../etc/passwd', 'Europe/Rome\n', 'x'.repeat(10_000), '__proto__'])(
  '%j is refused',
  (name) => {
    expect(zoneFlaw(name)).toMatchObject({ code: 'invalid-timezone' });
  },
);

test('a zone stays text in a document, and its pattern refuses what it refuses at sight', () => {
  expect(TimeZone.parse('Europe/Rome')).toBe('Europe/Rome');
  const { pattern } = z.toJSONSchema(TimeZone) as { pattern: string };
  for (const name of ['UTC', ...Intl.supportedValuesOf('timeZone')]) expect(name).toMatch(new RegExp(pattern));
  for (const name of ['+02:00', 'Rome/']) expect(name).not.toMatch(new RegExp(pattern));
});
