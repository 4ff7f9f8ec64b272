const OFFSET_DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds of an ISO-8601 date and time with an offset, up to nanoseconds; undefined when it is none. */
export function instantOf(text: string): number | undefined {
  const parts = OFFSET_DATE_TIME.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, time, fraction = '', offset] = parts;
  const instant = Date.parse(`${year}-${month}-${day}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`);
  // The engine's parser takes 30 February for 1 March.
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number.isNaN(instant) || Number(day) > last ? undefined : instant;
}
