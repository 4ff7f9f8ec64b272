import { createHash } from 'node:crypto';
import { formatPath, type Path } from './path.ts';
import { shown } from './shown.ts';

const MOST_DIFFERENCES = 20;

/** JSON with the fields of every mapping in one order; fields that are undefined are absent, as in JSON. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`);
  return `{${parts.join(',')}}`;
}

/** SHA-256, in hex, of what a checked document says: the order of its fields, comments and spaces don't count. */
export function contentHash(document: unknown): string {
  return createHash('sha256').update(canonicalJson(document)).digest('hex');
}

/**
 * What differs between two documents, in words: `deploys[api].descriptor.artifact.version: "1" → "2"`. Items that have
 * a `name` are compared by it. At most 20 lines, the last of which counts the rest; empty when they say the same.
 */
export function differences(before: unknown, after: unknown): string[] {
  const lines: string[] = [];
  compare(before, after, '', lines);
  const rest = lines.length - MOST_DIFFERENCES;
  return rest <= 0 ? lines : [...lines.slice(0, MOST_DIFFERENCES - 1), `and ${rest + 1} more`];
}

function compare(before: unknown, after: unknown, place: string, lines: string[]): void {
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) return;
  const [one, other] = [parts(before), parts(after)];
  if (one === undefined || other === undefined || one.list !== other.list) {
    lines.push(`${readable(place)}: ${shown(before)} → ${shown(after)}`);
    return;
  }
  const count = lines.length;
  for (const [key, value] of one.values) compare(value, other.values.get(key), place + one.step(key), lines);
  for (const [key, value] of other.values) {
    if (!one.values.has(key)) compare(undefined, value, place + other.step(key), lines);
  }
  // The same items, none changed: only their order can differ.
  if (lines.length === count) lines.push(`${readable(place)}: in another order`);
}

interface Parts {
  readonly list: 'by name' | 'by index' | 'no list';
  readonly values: ReadonlyMap<string, unknown>;
  readonly step: (key: string) => string;
}

function parts(value: unknown): Parts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) {
    const step = (key: string) => dotted([key]);
    return { list: 'no list', values: new Map(Object.entries(value)), step };
  }
  const names = value.map((item: unknown) =>
    typeof item === 'object' && item !== null ? Reflect.get(item, 'name') : 0,
  );
  const named = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  const keys = named ? names.map(String) : names.map((_, index) => String(index));
  const values = new Map(keys.map((key, index) => [key, value[index] as unknown]));
  return { list: named ? 'by name' : 'by index', values, step: (key) => `[${key}]` };
}

function dotted(path: Path): string {
  const text = formatPath(path);
  return text.startsWith('[') ? text : `.${text}`;
}

function readable(place: string): string {
  return place === '' ? 'document' : place.replace(/^\./, '');
}
