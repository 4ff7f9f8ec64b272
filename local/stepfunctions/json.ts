/** JSON as it travels through a state machine. Values are never changed once they are made, so they may be shared. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Bytes of a payload (a state's input or output, a task's result), AWS's quota. */
export const PAYLOAD_BYTES = 256 * 1024;

/** Values are shared between branches, so each is written out once. */
const texts = new WeakMap<object, string>();

export function textOf(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/** Parses JSON text that is known to be JSON; its written form is remembered as AWS writes it, without spaces. */
export function parseJson(text: string): Json {
  return JSON.parse(text) as Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

export function isTooLarge(value: Json): boolean {
  const text = textOf(value);
  // UTF-8 takes one to three bytes for each UTF-16 unit: count only where it could decide.
  if (text.length > PAYLOAD_BYTES) return true;
  if (text.length * 3 <= PAYLOAD_BYTES) return false;
  return Buffer.byteLength(text) > PAYLOAD_BYTES;
}

/** JSON's own name for the kind of a value, as AWS says it in messages. */
export function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
