import type { Change, Entry, KeyRange, OrderedStore } from './ordered-store.ts';

/** A space: its values by key, and its keys in order (code units, which for our ASCII keys is byte order). */
interface Space {
  readonly values: Map<string, string>;
  readonly keys: string[];
}

/** Lives as long as the process holds it, so it outlasts an engine that is killed and replaced around it. */
export class MemoryStore implements OrderedStore {
  readonly #spaces = new Map<string, Space>();

  get(space: string, key: string): string | undefined {
    return this.#spaces.get(space)?.values.get(key);
  }

  async write(changes: readonly Change[]): Promise<void> {
    for (const { space, key, value } of changes) {
      const { values, keys } = this.#space(space);
      if (value === undefined) {
        if (values.delete(key)) keys.splice(firstAtOrAfter(keys, key), 1);
      } else {
        if (!values.has(key)) keys.splice(firstAtOrAfter(keys, key), 0, key);
        values.set(key, value);
      }
    }
  }

  async *scan(space: string, range: KeyRange): AsyncIterable<readonly Entry[]> {
    const { values, keys } = this.#space(space);
    const [from, to] = bounds(keys, range);
    const limit = range.limit !== undefined && range.limit >= 0 ? range.limit : to - from;
    const picked = range.reverse
      ? keys.slice(Math.max(from, to - limit), to).reverse()
      : keys.slice(from, Math.min(to, from + limit));
    yield picked.map((key): Entry => [key, values.get(key) ?? '']);
  }

  async close(): Promise<void> {}

  #space(name: string): Space {
    const existing = this.#spaces.get(name);
    if (existing !== undefined) return existing;
    const created: Space = { values: new Map(), keys: [] };
    this.#spaces.set(name, created);
    return created;
  }
}

function bounds(keys: readonly string[], { gt, gte, lt, lte }: KeyRange): [from: number, to: number] {
  let from = 0;
  let to = keys.length;
  if (gte !== undefined) from = firstAtOrAfter(keys, gte);
  if (gt !== undefined) from = Math.max(from, firstAfter(keys, gt));
  if (lt !== undefined) to = firstAtOrAfter(keys, lt);
  if (lte !== undefined) to = Math.min(to, firstAfter(keys, lte));
  return [from, Math.max(from, to)];
}

function firstAtOrAfter(keys: readonly string[], key: string): number {
  return partition(keys, (candidate) => candidate < key);
}

function firstAfter(keys: readonly string[], key: string): number {
  return partition(keys, (candidate) => candidate <= key);
}

/** Number of leading keys for which `isBefore` holds. */
function partition(keys: readonly string[], isBefore: (key: string) => boolean): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const key = keys[middle];
    if (key !== undefined && isBefore(key)) low = middle + 1;
    else high = middle;
  }
  return low;
}
