/** Instants as the API writes them, and as a sentence says them. */
export function iso(instant: number): string {
  return new Date(instant).toISOString();
}

/** `2026-10-12 20:00:05 UTC` */
export function clockTime(instant: number): string {
  return `${iso(instant).slice(0, 19).replace('T', ' ')} UTC`;
}

/** `since 2026-10-12 20:00:05 UTC, for 3 min` */
export function sinceWords(instant: number, now: number): string {
  return `since ${clockTime(instant)}, for ${lasting(now - instant)}`;
}

/** A length of time in its two largest units: `42 s`, `3 min 5 s`, `2 h 10 min`, `4 d 1 h`. */
export function lasting(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const parts: string[] = [];
  let left = seconds;
  for (const [size, unit] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.join(' ') || '0 s';
}

/** `a`, `a and b`, `a, b and c`; more than `most` are counted: `a, b and 7 more`. */
export function listed(items: readonly string[], most = 5): string {
  const shown = items.length > most ? [...items.slice(0, most - 1), `${items.length - most + 1} more`] : items;
  const [last = '', ...rest] = [...shown].reverse();
  return rest.length === 0 ? last : `${rest.reverse().join(', ')} and ${last}`;
}
