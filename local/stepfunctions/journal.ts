/**
 * Where the embedded Step Functions keep what must outlive the process: text by key, written in order. A batch is
 * written as a whole or not at all, and a batch is never kept without the ones before it.
 */
export interface Journal {
  /** Resolves once the batch is durable. Batches become durable in the order of the calls. */
  write(changes: readonly Change[]): Promise<void>;
  /** The text under one key. */
  get(key: string): Promise<string | undefined>;
  /** Every entry whose key starts with `prefix`, by key in the order of their bytes. */
  read(prefix: string): Promise<readonly (readonly [key: string, text: string])[]>;
  /** The keys alone of what {@link read} gives. */
  keys(prefix: string): Promise<readonly string[]>;
  /** Waits for what was written, and gives the storage back. */
  close(): Promise<void>;
}

export type Change =
  | { readonly put: string; readonly text: string }
  /** Removes every entry whose key starts with `drop`. */
  | { readonly drop: string };

/** A journal that lives as long as this process: it survives a killed instance, not the process. */
export function memoryJournal(): Journal {
  const entries = new Map<string, string>();
  return {
    async write(changes) {
      for (const change of changes) {
        if ('put' in change) entries.set(change.put, change.text);
        else for (const key of entries.keys()) if (key.startsWith(change.drop)) entries.delete(key);
      }
    },
    async get(key) {
      return entries.get(key);
    },
    async read(prefix) {
      return [...entries].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    },
    async keys(prefix) {
      return [...entries.keys()].filter((key) => key.startsWith(prefix)).sort();
    },
    async close() {},
  };
}
