/**
 * Between instants and the local clock of a zone. Local times are milliseconds too: those of the instant at which UTC's
 * clock shows the same, so that `Date`'s UTC fields read them.
 *
 * A local clock only ever runs on, jumps forward (a gap: times that never show) or jumps back (an overlap: times that
 * show twice). One question answers both: when does the clock first show a time or a later one? For a time in a gap
 * that is the instant after the gap, for a repeated one the first of the two, for any other the instant itself.
 *
 * Taken for granted: no zone changes its clock twice within four days. The nearest two changes since 1980 are a week
 * apart (Brazil, 2000).
 */

const SECOND = 1_000;
/** More than any offset (14 h) and any change (24 h: Samoa left out a day in 2011) together. */
const AROUND = 48 * 3_600_000;

const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;
/** Formatters are slow to make and never change; there are no more of them than zones. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** How far the zone's clock is ahead of UTC at an instant, in milliseconds. */
function offsetAt(zone: string, instant: number): number {
  let formatter = formatters.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formatters.set(zone, formatter);
  }
  const [, sign, hours, minutes, seconds = 0] = OFFSET.exec(formatter.format(instant)) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * SECOND;
}

/** The first instant at which the zone's clock shows `local`, or a later time because it jumped over it. */
export function firstReached(zone: string, local: number): number {
  const [before, after] = [offsetAt(zone, local - AROUND), offsetAt(zone, local + AROUND)];
  if (before === after) return local - before;
  const change = changeBetween(zone, local - AROUND, local + AROUND, before);
  if (local - before < change) return local - before;
  return Math.max(local - after, change);
}

/** The latest local time that the zone's clock has shown up to an instant; later than what it shows in an overlap. */
export function latestShown(zone: string, instant: number): number {
  const [before, after] = [offsetAt(zone, instant - AROUND), offsetAt(zone, instant)];
  const shown = instant + after;
  if (before <= after) return shown;
  return Math.max(shown, changeBetween(zone, instant - AROUND, instant, before) - 1 + before);
}

/** The first instant with another offset than `before`, the one at `from`. Clocks change on whole seconds. */
function changeBetween(zone: string, from: number, to: number, before: number): number {
  let [same, other] = [Math.floor(from / SECOND), Math.ceil(to / SECOND)];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(zone, middle * SECOND) === before) same = middle;
    else other = middle;
  }
  return other * SECOND;
}
