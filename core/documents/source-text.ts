import type { Problem } from '../errors.ts';
import { LIMITS } from './limits.ts';

export type Position = NonNullable<Problem['position']>;

/** Longer lines are shown as an excerpt around the column. */
const SHOWN_LINE = 200;

/** C0 control characters that no text file has: all but tab, line feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** A file's text, able to tell where an offset stands. */
export class SourceText {
  readonly #lineStarts: number[] = [0];
  readonly #lines = new Map<number, Line>();

  constructor(
    readonly text: string,
    readonly file: string,
  ) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1);
  }

  /** Line and column count from 1; columns are characters, not UTF-16 units. */
  position(offset: number): Position {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const { start, text, pairs } = this.#line(low);
    const before = Math.min(offset - start, text.length);
    const column = before - countBelow(pairs, before) + 1;
    return { file: this.file, line: low + 1, column, source: excerpt(text, before) };
  }

  /** Taken apart once: a long line may have very many problems. */
  #line(index: number): Line {
    const known = this.#lines.get(index);
    if (known !== undefined) return known;
    const start = this.#lineStarts[index] ?? 0;
    const end = (this.#lineStarts[index + 1] ?? this.text.length + 1) - 1;
    const whole = this.text.slice(start, end);
    const text = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    const line = {
      start,
      text,
      pairs: [...text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)].map(({ index }) => index),
    };
    this.#lines.set(index, line);
    return line;
  }
}

interface Line {
  readonly start: number;
  readonly text: string;
  /** Where characters of two UTF-16 units stand, ascending. */
  readonly pairs: readonly number[];
}

function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function excerpt(line: string, column: number): string {
  if (line.length <= SHOWN_LINE) return line;
  const from = Math.max(0, Math.min(column - SHOWN_LINE / 2, line.length - SHOWN_LINE));
  const to = from + SHOWN_LINE;
  return `${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`;
}

/** UTF-8 bytes of a text. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The problem with a body or file of that many bytes, if it is over the limit. */
export function sizeProblem(bytes: number, what: string): Problem | undefined {
  if (bytes <= LIMITS.requestBytes) return undefined;
  return {
    code: 'too-large',
    path: '',
    message: `${what} has ${bytes} bytes; the limit is ${LIMITS.requestBytes}`,
    hint: 'split it, with `includes` or several releases',
  };
}

/** The text of a file's bytes: UTF-8, with or without a byte order mark, and nothing that is not text. */
export function decode(bytes: Uint8Array, file: string): { text: string } | { problem: Problem } {
  const large = sizeProblem(bytes.length, file);
  if (large !== undefined) return { problem: large };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    // The decoder's only failure is bytes that are no UTF-8.
    return {
      problem: {
        code: 'not-text',
        path: '',
        message: `${file} is not text: its bytes are no UTF-8`,
        hint: 'save it as UTF-8',
      },
    };
  }
}

/** The first character that makes this no text, if there is one. */
export function notText(source: SourceText): Problem | undefined {
  const at = source.text.search(CONTROL);
  if (at === -1) return undefined;
  const code = source.text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return {
    code: 'not-text',
    path: '',
    message: `${source.file} is not text: it has the control character U+${code}`,
    position: { ...source.position(at), source: '' },
  };
}
