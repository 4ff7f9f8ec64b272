import { RE2JS, RE2JSException } from 're2js';
import { LIMITS } from '../documents/limits.ts';

/** Compiled patterns, oldest forgotten first; bounded, since patterns come from documents. */
const compiled = new Map<string, RE2JS>();
const REMEMBERED = 500;

/** Whether the whole value matches, line breaks included. Linear in the value: RE2 never backtracks. */
export function matchesWhole(pattern: string, value: string): boolean {
  return compile(pattern).matches(value);
}

/** Why a pattern is refused; undefined when it compiles, by itself, to a machine of bearable size. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > LIMITS.patternLength)
    return `it has ${pattern.length} characters; the limit is ${LIMITS.patternLength}`;
  try {
    const size = compile(pattern).programSize();
    return size > LIMITS.patternSize
      ? `it compiles to ${size} instructions; the limit is ${LIMITS.patternSize}`
      : undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const fresh = RE2JS.compile(pattern);
  const oldest = compiled.keys().next();
  if (compiled.size >= REMEMBERED && oldest.done !== true) compiled.delete(oldest.value);
  compiled.set(pattern, fresh);
  return fresh;
}
