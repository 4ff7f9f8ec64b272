import type { Leaf } from './event-fields.ts';
import { invalidPattern } from './invalid-pattern.ts';

/** `*` stands for any text, also none; `\*` and `\\` stand for themselves. Two `*` in a row are refused, as by AWS. */
export function wildcard(pattern: string): (value: Leaf) => boolean {
  const pieces = piecesOf(pattern);
  return (value) => typeof value === 'string' && fits(value, pieces);
}

/** The literal texts between the stars. */
function piecesOf(pattern: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  let afterStar = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '*') {
      if (afterStar) throw invalidPattern(`Consecutive wildcard characters at pos ${at - 1}`);
      pieces.push(piece);
      piece = '';
      afterStar = true;
      continue;
    }
    afterStar = false;
    if (character === '\\') {
      const escaped = pattern[++at];
      if (escaped !== '*' && escaped !== '\\') throw invalidPattern(`Invalid escape character at pos ${at - 1}`);
      piece += escaped;
    } else {
      piece += character;
    }
  }
  return [...pieces, piece];
}

/** First and last piece are bound to the ends; those between are taken as early as possible, which never costs a match. */
function fits(value: string, pieces: readonly string[]): boolean {
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return value === first;
  const last = pieces[pieces.length - 1] ?? '';
  if (!value.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = value.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}
