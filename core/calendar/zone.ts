import { shown } from '../documents/shown.ts';
import { nearest } from '../documents/spelling.ts';
import { type Flaw, flawless } from './flaw.ts';

/** Names of today that runtimes accept and list by the name of yesterday only (ICU keeps its first names for ever). */
const RENAMED = [
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Argentina/Cordoba',
  'America/Argentina/Mendoza',
  'America/Indiana/Indianapolis',
  'America/Kentucky/Louisville',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
];
const PATTERN = '^(UTC|[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){1,2})$';
const SHAPE = new RegExp(PATTERN);

/**
 * What is wrong with the name of a zone; undefined when this runtime knows its rules. Only names of places, and `UTC`:
 * an offset and an abbreviation (CEST) stand for one half of the year, and abbreviations for several places at once.
 */
export function zoneFlaw(name: string): Flaw | undefined {
  const flaw = (message: string, hint: string): Flaw => ({ code: 'invalid-timezone', message, hint });
  if (/^(?:GMT|UTC)?[+-]?\d/i.test(name)) {
    return flaw(`${shown(name)} is an offset, no time zone: it does not know when clocks change`, PLACE);
  }
  if (name !== 'UTC' && /^[A-Z]{1,5}(?:\d[A-Z]*)?$/.test(name)) {
    return flaw(
      `${shown(name)} is an abbreviation, no time zone: several places use it, and some for half a year`,
      PLACE,
    );
  }
  const known = knownZones();
  const plain = name.toLowerCase();
  const same = known.find((zone) => zone.toLowerCase() === plain);
  if (same === undefined ? SHAPE.test(name) && resolved(name) !== undefined : same === name) return undefined;
  const meant = same ?? resolved(name) ?? nearest(name, known) ?? placeLike(name, known);
  return flaw(
    `${shown(name)} is no time zone that is known here`,
    meant === undefined ? PLACE : `did you mean "${meant}"?`,
  );
}

const PLACE = 'write the name of a place in the IANA database, such as Europe/Rome, or UTC';

/** A named zone in a document. */
export const TimeZone = flawless(zoneFlaw).meta({ pattern: PATTERN, examples: ['Europe/Rome', 'UTC'] });

/** A zone whose place is called like this: `Rome`, `Italy/Rome`. */
function placeLike(name: string, known: readonly string[]): string | undefined {
  const place = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1);
  const like = nearest(place(name), known.map(place));
  return like === undefined ? undefined : known.find((zone) => place(zone) === like);
}

function knownZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone'), ...RENAMED];
}

/** The zone that the runtime takes a name for: Cuba is America/Havana. */
function resolved(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
