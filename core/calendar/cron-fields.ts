/** The five fields of a cron expression, read strictly: what another cron would read otherwise is refused, by field. */
import { shown } from '../documents/shown.ts';
import { suggestion } from '../documents/spelling.ts';
import type { Flaw } from './flaw.ts';

export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Days of the month. */
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Days of the week from 0, which is Sunday. */
  readonly weekdays: readonly number[];
  /**
   * Whether a day of the month or a day of the week is enough: when both fields restrict. One that begins with `*`
   * does not, as in Vixie cron, and then a day must be in both.
   */
  readonly either: boolean;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names?: Readonly<Record<string, number>>;
}

const MINUTE: Field = { name: 'minute', least: 0, most: 59 };
const HOUR: Field = { name: 'hour', least: 0, most: 23 };
const DAY: Field = { name: 'day-of-month', least: 1, most: 31 };
const MONTH: Field = {
  name: 'month',
  least: 1,
  most: 12,
  names: numbered(['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'], 1),
};
const WEEKDAY: Field = {
  name: 'day-of-week',
  least: 0,
  most: 7,
  names: numbered(['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'], 0),
};

const LONGEST = 256;
const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Leaves the reading at the first thing that is wrong; it never leaves this file. */
class Refused extends Error {
  constructor(readonly flaw: Flaw) {
    super(flaw.message);
  }
}

export function cronFieldsOf(
  text: string,
): { fields: CronFields; problem?: never } | { problem: Flaw; fields?: never } {
  try {
    return { fields: read(text) };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.flaw };
    throw error;
  }
}

function read(text: string): CronFields {
  const words = text.length > LONGEST ? [] : text.trim().split(/[ \t]+/);
  const [minute, hour, day, month, weekday, ...more] = words;
  const nickname = words.length === 1 ? words[0]?.toLowerCase() : undefined;
  if (nickname?.startsWith('@')) {
    const meaning = Object.hasOwn(NICKNAMES, nickname) ? `write "${NICKNAMES[nickname]}"` : FIVE;
    throw refused(`${shown(text)} is a nickname, and the five fields are what is read`, meaning);
  }
  if (text.length > LONGEST) throw refused(`${shown(text)} has more than ${LONGEST} characters`, FIVE);
  if (weekday === undefined || more.length > 0) {
    const count = text.trim() === '' ? 0 : words.length;
    const seconds = count === 6 || count === 7 ? ' (there are none for seconds or years)' : '';
    throw refused(`${shown(text)} has ${count} ${count === 1 ? 'field' : 'fields'}, not five${seconds}`, FIVE);
  }
  const weekdays = valuesOf(weekday, WEEKDAY).map((value) => value % 7);
  return {
    minutes: valuesOf(minute, MINUTE),
    hours: valuesOf(hour, HOUR),
    days: valuesOf(day, DAY),
    months: valuesOf(month, MONTH),
    weekdays: [...new Set(weekdays)].sort(ascending),
    either: !day?.startsWith('*') && !weekday.startsWith('*'),
  };
}

const FIVE = 'write minute, hour, day-of-month, month and day-of-week, such as "0 3 * * 1"';

function valuesOf(word = '', field: Field): readonly number[] {
  const values = word.split(',').flatMap((item) => itemOf(item, field, word));
  return [...new Set(values)].sort(ascending);
}

/** `*`, a value, a range, and a step over `*` or a range. */
function itemOf(item: string, field: Field, word: string): number[] {
  const [range = '', step, ...steps] = item.split('/');
  const [from = '', to, ...others] = range.split('-');
  if (item === '') throw wrong(field, word, 'an item is empty', 'write values with one comma between them');
  if (steps.length > 0 || others.length > 0) throw wrong(field, word, `${shown(item)} has too many parts`);
  if (range === '*') return stepped(field.least, field === WEEKDAY ? 6 : field.most, step, field, word);
  const first = singleOf(from, field, word);
  if (to === undefined) {
    if (step !== undefined) {
      const hint = `write ${from}-${field === WEEKDAY ? 6 : field.most}/${step}, or */${step}`;
      throw wrong(field, word, `${shown(item)} has a step and no range, and crons differ on it`, hint);
    }
    return [first];
  }
  const end = singleOf(to, field, word);
  // A week may end on Sunday: FRI-SUN.
  const last = field === WEEKDAY && end === 0 && first > 0 ? 7 : end;
  if (last < first) {
    const ranges = `${from}-${field === WEEKDAY ? 6 : field.most},${field.least}-${to}`;
    throw wrong(field, word, `the range ${shown(range)} goes backwards`, `write ${ranges}`);
  }
  return stepped(first, last, step, field, word);
}

function stepped(first: number, last: number, step: string | undefined, field: Field, word: string): number[] {
  const every = step === undefined ? 1 : /^\d{1,2}$/.test(step) ? Number(step) : 0;
  const most = field.most - field.least;
  if (every < 1 || every > most) {
    throw wrong(field, word, `the step ${shown(step)} is no number from 1 to ${most}`, 'a step begins anew each time');
  }
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, index) => first + index * every);
}

function singleOf(text: string, field: Field, word: string): number {
  const { names = {}, least, most } = field;
  const name = text.toUpperCase();
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Object.hasOwn(names, name) ? names[name] : undefined;
  if (value !== undefined && value >= least && value <= most) return value;
  const kinds =
    field.names === undefined ? `${least} to ${most}` : `${least} to ${most}, ${Object.keys(names).join(' ')}`;
  const hint = /[LW#?]/i.test(text) && !/^[A-Z]{3,}$/i.test(text) ? 'L, W, # and ? are not read' : undefined;
  const why = `${text === '' ? 'a value is missing' : `${shown(text)} is not one of its values`}, ${kinds}`;
  throw wrong(field, word, why, hint ?? (/^[A-Z]+$/i.test(text) ? suggestion(text, Object.keys(names)) : undefined));
}

function wrong(field: Field, word: string, why: string, hint?: string): Refused {
  return refused(`the ${field.name} ${shown(word)} of the cron expression is refused: ${why}`, hint);
}

function refused(message: string, hint: string | undefined): Refused {
  return new Refused({ code: 'invalid-cron', message, hint });
}

function numbered(names: readonly string[], first: number): Record<string, number> {
  return Object.fromEntries(names.map((name, index) => [name, first + index]));
}

function ascending(one: number, other: number): number {
  return one - other;
}
