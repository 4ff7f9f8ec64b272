/** Documents and configurations: compressed, in chunks, keyed by content hash, so that one body is written once. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { canonicalJson, contentHash } from '../core/documents/content.ts';
import { keys } from './schema.ts';
import type { Item, Table } from './table.ts';

/** DynamoDB ends an item at 400 KB; the rest is room for keys. */
const CHUNK_BYTES = 350 * 1024;

export class Bodies {
  constructor(private readonly table: Table) {}

  /** Stores each value; answers their hashes, in order. Storing the same value again changes nothing. */
  async put(...values: readonly unknown[]): Promise<string[]> {
    const items = new Map<string, Item[]>();
    const hashes = values.map((value) => {
      const hash = contentHash(value);
      if (!items.has(hash)) items.set(hash, chunksOf(hash, value));
      return hash;
    });
    await this.table.writeMany([...items.values()].flat());
    return hashes;
  }

  /** The value of a hash, as parsed JSON; throws when it was never stored, since a body is written before its reference. */
  async get(hash: string): Promise<unknown> {
    const chunks: Uint8Array[] = [];
    for await (const item of this.table.partition(keys.body(hash, 0).pk)) chunks.push(item.bytes as Uint8Array);
    if (chunks.length === 0) throw new Error(`no body is stored for ${hash}`);
    try {
      return JSON.parse(gunzipSync(Buffer.concat(chunks)).toString('utf8'));
    } catch (error) {
      throw new Error(`the body stored for ${hash} is damaged or a part of it is missing`, { cause: error });
    }
  }
}

function chunksOf(hash: string, value: unknown): Item[] {
  const bytes = gzipSync(canonicalJson(value), { level: 1 });
  const items: Item[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    items.push({ ...keys.body(hash, items.length), type: 'body', bytes: bytes.subarray(start, start + CHUNK_BYTES) });
  }
  return items;
}
