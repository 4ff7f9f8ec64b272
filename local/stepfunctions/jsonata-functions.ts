import { createHash } from 'node:crypto';
import jsonata from 'jsonata';

/** What an expression may use from outside. */
export interface EvaluationSource {
  /** Milliseconds since the epoch; one instant for a whole evaluation. */
  readonly now: number;
  /** The next number of the execution's own sequence, 0 ≤ n < 1. */
  random(): number;
}

const formatted = jsonata('$fromMillis($millis, $picture, $timezone)');

/** The functions that AWS adds to JSONata, and those that it makes repeatable, by name. */
export function functionsOver(source: EvaluationSource): Record<string, unknown> {
  return {
    now: (picture?: unknown, timezone?: unknown) =>
      picture === undefined
        ? new Date(source.now).toISOString()
        : formatted.evaluate(undefined, { millis: source.now, picture, timezone }),
    millis: () => source.now,
    random: (seed?: unknown) => (typeof seed === 'number' ? sequence(String(seed))() : source.random()),
    uuid: () => uuidFrom(source),
    partition,
    range,
    hash,
    parse: (text: unknown) => (text === undefined ? undefined : JSON.parse(textArgument('parse', text))),
    eval: () => {
      throw new Error('$eval is not supported');
    },
  };
}

/** A repeatable sequence of numbers, 0 ≤ n < 1 (mulberry32 over a hash of the seed). */
export function sequence(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function uuidFrom(source: EvaluationSource): string {
  const bytes = Buffer.alloc(16);
  for (let index = 0; index < 16; index++) bytes[index] = Math.floor(source.random() * 256);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function partition(array: unknown, size: unknown): unknown {
  if (array === undefined) return undefined;
  if (!Array.isArray(array)) throw new Error('the first argument of $partition must be an array');
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1) {
    throw new Error('the second argument of $partition must be a positive integer');
  }
  const parts: unknown[][] = [];
  for (let start = 0; start < array.length; start += size) parts.push(array.slice(start, start + size));
  return parts;
}

const RANGE_ITEMS = 100_000;

function range(first: unknown, last: unknown, step: unknown): unknown {
  if (typeof first !== 'number' || typeof last !== 'number' || typeof step !== 'number') {
    throw new Error('the arguments of $range must be numbers');
  }
  if (step === 0) throw new Error('the third argument of $range must not be 0');
  const length = Math.max(0, Math.floor((last - first) / step) + 1);
  if (length > RANGE_ITEMS) throw new Error(`$range would give more than ${RANGE_ITEMS} items`);
  return Array.from({ length }, (_, index) => first + index * step);
}

const ALGORITHMS: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

function hash(data: unknown, algorithm: unknown): unknown {
  if (data === undefined) return undefined;
  const name = ALGORITHMS[textArgument('hash', algorithm)];
  if (name === undefined)
    throw new Error(`the algorithm of $hash must be one of ${Object.keys(ALGORITHMS).join(', ')}`);
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return createHash(name).update(text).digest('hex');
}

function textArgument(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new Error(`an argument of $${name} must be a string`);
  return value;
}
