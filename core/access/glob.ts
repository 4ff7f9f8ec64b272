/**
 * Text in which `*` stands for any text, also none, and every other character for itself. Nothing is taken back once it
 * has matched, and no regular expression is made of it: however many stars, the text is read once from left to right.
 */
export function globTest(glob: string): (text: string) => boolean {
  const pieces = glob.split('*');
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return (text) => text === glob;
  const between = pieces.slice(1, -1).filter((piece) => piece !== '');
  return (text) => {
    // Those at the ends are bound to them; those between are taken as early as possible, which never costs a match.
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const piece of between) {
      const found = text.indexOf(piece, at);
      if (found < 0 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}

/** Whether it lets everything through. */
export function isEverything(glob: string): boolean {
  return /^\*+$/.test(glob);
}
