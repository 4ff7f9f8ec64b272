/** Where the embedded DynamoDB keeps its data: named spaces of text, in the order of their keys. */
export interface OrderedStore {
  get(space: string, key: string): string | undefined;
  /** Applies all changes or none, in one step that no crash divides. */
  write(changes: readonly Change[]): Promise<void>;
  /** Entries of a space in key order, in chunks, as they were when the scan began. */
  scan(space: string, range: KeyRange): AsyncIterable<readonly Entry[]>;
  close(): Promise<void>;
}

/** A put, or a removal when `value` is undefined. */
export interface Change {
  readonly space: string;
  readonly key: string;
  readonly value: string | undefined;
}

export type Entry = readonly [key: string, value: string];

/** Bounds of a scan; `limit` below zero means none. */
export interface KeyRange {
  readonly gt?: string;
  readonly gte?: string;
  readonly lt?: string;
  readonly lte?: string;
  readonly reverse?: boolean;
  readonly limit?: number;
}
