/** The number of letters to insert, delete, replace or swap to make one word of the other. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[line - 1] === to[column - 1];
      const choices = [(row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (row[column - 1] ?? 0) + (same ? 0 : 1)];
      if (from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1]) {
        choices.push((before[column - 2] ?? Number.POSITIVE_INFINITY) + 1);
      }
      next.push(Math.min(...choices));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}

/** A hostile file may know very many names; a person's is among the first. */
const MOST_COMPARED = 1_000;

/**
 * The known name that a person most likely meant by `word`: capitals, `-` and `_` count for nothing, and at most one
 * letter in three may differ. Undefined when none is near; the first of `known` when two are equally near.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, '');
  let best: { name: string; distance: number } | undefined;
  for (const name of known.slice(0, MOST_COMPARED)) {
    const apart = distance(plain(word), plain(name));
    const allowed = Math.max(1, Math.floor(Math.max(word.length, name.length) / 3));
    if (apart <= allowed && apart < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance: apart };
  }
  return best?.name;
}

/** A hint that offers the nearest known name, or lists them all when none is near. */
export function suggestion(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  return known.length === 0 || known.length > 30 ? undefined : `known here: ${known.join(', ')}`;
}
