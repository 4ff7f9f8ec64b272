/** Arguments and options of the command line, from text to what commands take. */
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { seconds } from '../core/documents/duration.ts';

/** Milliseconds of a duration such as `10m`. */
export function milliseconds(text: string): number {
  const value = seconds(text);
  if (value === undefined) throw new InvalidArgumentError('Write one number and one unit of s m h d, such as 10m.');
  return value * 1000;
}

export function port(text: string): number {
  const value = whole(text);
  if (value > 65_535) throw new InvalidArgumentError('A port is at most 65535.');
  return value;
}

export function count(text: string): number {
  const value = whole(text);
  if (value === 0) throw new InvalidArgumentError('At least 1.');
  return value;
}

function whole(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

/** `a,b`: words with commas between them. */
export function words(text: string): string[] {
  const found = text.split(',').map((word) => word.trim());
  if (found.includes('')) throw new InvalidArgumentError('Write words with commas between them, such as a,b.');
  return found;
}

/** `NAME=ID`, given any number of times. */
export function bindings(
  text: string,
  before: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const [, name, id] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || id === undefined) throw new InvalidArgumentError('Write NAME=ID, such as infra=infra-42.');
  if (before.some(([other]) => other === name)) throw new InvalidArgumentError(`${name} is bound twice.`);
  return [...before, [name, id]];
}

/** A name or an id as documents have it. */
export function named(schema: z.ZodType<string>): (text: string) => string {
  return (text) => {
    const read = schema.safeParse(text);
    if (!read.success) throw new InvalidArgumentError(`${read.error.issues[0]?.message ?? 'This is refused'}.`);
    return text;
  };
}
