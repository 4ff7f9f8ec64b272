/** Documents and configurations: compressed, in chunks, keyed by content hash, so that one body is written once. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { canonicalJson, contentHash } from '../core/documents/content.ts';
import { keys } from './schema.ts';
import type { Item, Table } from './table.ts';

/** DynamoDB ends an item at 400 KB; the rest is room for keys. */
const CHUNK_BYTES = 350 * 1024;

/** Characters of texts that are kept: what the deploys that run at one time read several times each. */
const KEPT_LENGTH = 16 * 1024 * 1024;

export class Bodies {
  /** Texts by hash, least recently used first. A body never changes under its hash, so what is kept is never stale. */
  readonly #kept = new Map<string, string>();
  #keptLength = 0;

  constructor(private readonly table: Table) {}

  /** Stores each value; answers their hashes, in order. Storing the same value again changes nothing. */
  async put(...values: readonly unknown[]): Promise<string[]> {
    const hashes = values.map(contentHash);
    const texts = new Map(values.map((value, at) => [hashes[at] ?? '', canonicalJson(value)]));
    await this.table.writeMany([...texts].flatMap(([hash, text]) => chunksOf(hash, text)));
    for (const [hash, text] of texts) this.#keep(hash, text);
    return hashes;
  }

  /** The value of a hash, as parsed JSON; throws when it was never stored, since a body is written before its reference. */
  async get(hash: string): Promise<unknown> {
    const text = this.#kept.get(hash) ?? (await this.#read(hash));
    this.#keep(hash, text);
    return JSON.parse(text);
  }

  async #read(hash: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const item of this.table.partition(keys.body(hash, 0).pk)) chunks.push(item.bytes as Uint8Array);
    if (chunks.length === 0) throw new Error(`no body is stored for ${hash}`);
    try {
      return gunzipSync(Buffer.concat(chunks)).toString('utf8');
    } catch (error) {
      throw new Error(`the body stored for ${hash} is damaged or a part of it is missing`, { cause: error });
    }
  }

  #keep(hash: string, text: string): void {
    if (this.#kept.delete(hash)) this.#keptLength -= text.length;
    this.#kept.set(hash, text);
    this.#keptLength += text.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptLength <= KEPT_LENGTH) break;
      this.#kept.delete(oldest);
      this.#keptLength -= length;
    }
  }
}

function chunksOf(hash: string, text: string): Item[] {
  const bytes = gzipSync(text, { level: 1 });
  const items: Item[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    items.push({ ...keys.body(hash, items.length), type: 'body', bytes: bytes.subarray(start, start + CHUNK_BYTES) });
  }
  return items;
}
