/** What holds for the text of every export, whatever its format. No answer here shows any part of the text (I8). */
import { LIMITS } from '../documents/limits.ts';
import { byteLength } from '../documents/source-text.ts';

/** Why a text is no export: a code, the rest of a sentence that begins with the export, and what to do. */
export interface Flaw {
  readonly code: string;
  readonly what: string;
  readonly hint?: string | undefined;
}

/** All control characters but tab, line feed and carriage return; and halves of characters, which UTF-8 has none of. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const BROKEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Cs}/u;

export function textFlaw(text: string): Flaw | undefined {
  const bytes = byteLength(text);
  if (bytes > LIMITS.exportValueBytes) {
    return { code: 'export-too-large', what: `has ${bytes} bytes; the limit is ${LIMITS.exportValueBytes}` };
  }
  if (text.trim() === '') {
    return { code: 'export-empty', what: 'is empty', hint: 'give it a value, or do not declare it' };
  }
  if (isMasked(text)) return MASKED;
  if (isBroken(text)) {
    return {
      code: 'export-not-text',
      what: `has control characters or broken ones (${bytes} bytes, not shown)`,
      hint: 'only tabs and line breaks may stand in it; colours of a terminal, for one, may not',
    };
  }
  return undefined;
}

export function isBroken(text: string): boolean {
  return BROKEN.test(text);
}

export const MASKED: Flaw = {
  code: 'export-masked',
  what: 'is masked: it has only asterisks, so something hid the value before it came here',
  hint: 'secrets are never exported; export the name of where the secret is kept',
};

/** Asterisks and nothing else: what filters of secrets leave in place of a value. */
export function isMasked(text: string): boolean {
  return /^\*{3,}$/.test(text.trim());
}
