import { shown } from '../documents/shown.ts';
import { type Flaw, flawless } from './flaw.ts';

const SPELLING = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:(Z)|([+-])(\d\d):(\d\d))$/;
const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?$/;

const MINUTE = 60_000;
/** No clock on earth has been further from UTC since there are time zones in whole minutes. */
const [WEST, EAST] = [-12 * 60, 14 * 60];

/**
 * The instant that a text names: ISO 8601, extended, with an offset or `Z`; seconds and their fraction may be left out,
 * and what is finer than a millisecond is cut off. Without an offset a text names a different instant on every machine,
 * and twice a year two of them, so it is refused, never completed.
 */
export function instantOf(text: string): { ms: number; problem?: never } | { problem: Flaw; ms?: never } {
  const parts = SPELLING.exec(text);
  if (parts === null) return { problem: WITHOUT_OFFSET.test(text) ? withoutOffset(text) : misspelt(text) };
  const part = (index: number) => Number(parts[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const local = Date.UTC(
    year,
    month - 1,
    day,
    hour,
    minute,
    second,
    Number((parts[7] ?? '0').padEnd(3, '0').slice(0, 3)),
  );
  // Date carries what is too much over to the next field; then the text does not read back.
  const written = `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6] ?? '00'}`;
  if (!new Date(local).toISOString().startsWith(written)) {
    return { problem: impossible(text, 'there is no such day or time of day') };
  }
  const offset = (parts[9] === '-' ? -1 : 1) * (part(10) * 60 + part(11));
  if (part(11) > 59 || offset < WEST || offset > EAST) {
    return { problem: impossible(text, 'no clock has this offset; they go from -12:00 to +14:00') };
  }
  return { ms: local - offset * MINUTE };
}

/** The instant of a text that was checked when its document was read. */
export function checkedInstant(text: string): number {
  const { ms, problem } = instantOf(text);
  if (ms === undefined) throw new Error(problem.message);
  return ms;
}

/** An instant in a document. */
export const Instant = flawless((text) => instantOf(text).problem).meta({
  pattern: SPELLING.source,
  examples: ['2026-10-12T22:00:00+02:00', '2026-10-12T20:00:00Z'],
});

function withoutOffset(text: string): Flaw {
  const [date = '', time = '00:00'] = text.split(/[Tt ]/);
  return {
    code: 'instant-without-offset',
    message: `${shown(text)} names no instant: it does not say how far its clock is from UTC`,
    hint: `write the offset after it, ${date}T${time.replace(',', '.')}+02:00, or Z if it is UTC`,
  };
}

function misspelt(text: string): Flaw {
  return impossible(text, 'write date, time and offset like 2026-10-12T22:00:00+02:00 or 2026-10-12T20:00:00Z');
}

function impossible(text: string, why: string): Flaw {
  return { code: 'invalid-instant', message: `${shown(text)} is no instant: ${why}` };
}
