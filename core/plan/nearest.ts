/** A name as long as names may be, compared with another, costs about 4,000 steps; this keeps a hint cheap. */
const MOST_COMPARED = 2_000;

/**
 * The name that `written` was most likely meant to be: the fewest letters to change, at most a third of them and at
 * most three; of several as near, the first. Undefined when none is near.
 */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let distance = Math.min(3, Math.max(1, Math.floor(written.length / 3))) + 1;
  for (const name of names.slice(0, MOST_COMPARED)) {
    if (Math.abs(name.length - written.length) >= distance) continue;
    const found = changes(written, name);
    if (found < distance) [best, distance] = [name, found];
  }
  return best;
}

/** Letters to insert, remove, replace or swap with their neighbour (Damerau and Levenshtein's distance). */
function changes(a: string, b: string): number {
  let [older, old]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (old[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          replaced,
          (old[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          swapped ? (older[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [older, old] = [old, row];
  }
  return old[b.length] ?? 0;
}
