/** Times as people read them. */

/** How long something took: `0.4 s`, `12 s`, `3m 05s`, `2h 04m`, `3d 07h`. Milliseconds in. */
export function lasted(milliseconds: number): string {
  const tenths = Math.max(0, milliseconds) / 1000;
  if (tenths < 9.95) return `${tenths.toFixed(1)} s`;
  const seconds = Math.round(tenths);
  if (seconds < 60) return `${seconds} s`;
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
  return `${Math.floor(minutes / 1_440)}d ${two(Math.floor(minutes / 60) % 24)}h`;
}

/** An instant to the second, in UTC: the same wherever it is read. */
export function instant(at: number | string): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
