/** Lists, newest first, paged by an opaque cursor; read from indexes, then strongly from the table. */
import * as z from 'zod';
import { INDEXES, type IndexName, type Key } from './schema.ts';
import { type Setting, type SettingsDocument, settingOf } from './settings.ts';
import type { Item, Table } from './table.ts';

/** No key of a table is longer, in bytes; ours are far shorter, and ASCII. */
const KeyText = z.string().min(1).max(1024);

export interface Page {
  /** Ids, newest first. */
  readonly ids: readonly string[];
  /** Where the next page starts; absent on the last. */
  readonly cursor?: string;
}

export class Lists {
  constructor(private readonly table: Table) {}

  /** One page of ids; undefined when the cursor is not one of ours. */
  async page(index: IndexName, partition: string, limit: number, cursor?: string): Promise<Page | undefined> {
    const from = cursor === undefined ? undefined : decode(index, partition, cursor);
    if (cursor !== undefined && from === undefined) return undefined;
    const { items, next } = await this.table.page({ index, partition, limit, newestFirst: true, from });
    return { ids: items.map(idOf), ...(next !== undefined && { cursor: encode(next) }) };
  }

  /** Ids of what the sweep must look at now. */
  async due(kind: 'deploy' | 'release' | 'schedule', now: number, limit: number): Promise<string[]> {
    const { items } = await this.table.page({ index: 'open', partition: kind, upTo: now, limit, newestFirst: false });
    return items.map(idOf);
  }

  /** Keys of documents that were written or taken away, and of which not all that follows is known to be done. */
  async unsettled(now: number, limit: number): Promise<Key[]> {
    const { items } = await this.table.page({
      index: 'open',
      partition: 'setting',
      upTo: now,
      limit,
      newestFirst: false,
    });
    return items.map(({ pk, sk }) => ({ pk, sk }));
  }

  /** One page of keys, newest first; undefined when the cursor is not one of ours. */
  async keys(
    partition: string,
    limit: number,
    cursor?: string,
  ): Promise<{ readonly keys: readonly Key[]; readonly cursor?: string } | undefined> {
    const from = cursor === undefined ? undefined : decode('byTime', partition, cursor);
    if (cursor !== undefined && from === undefined) return undefined;
    const { items, next } = await this.table.page({ index: 'byTime', partition, limit, newestFirst: true, from });
    return { keys: items.map(({ pk, sk }) => ({ pk, sk })), ...(next !== undefined && { cursor: encode(next) }) };
  }

  /** One page of the documents of a kind, in the order of their names. */
  async settings(
    kind: SettingsDocument['kind'],
    limit: number,
    cursor?: string,
  ): Promise<{ readonly items: readonly Setting[]; readonly cursor?: string } | undefined> {
    const partition = `setting#${kind}`;
    const from = cursor === undefined ? undefined : decode('byTime', partition, cursor);
    if (cursor !== undefined && from === undefined) return undefined;
    const { items, next } = await this.table.page({ index: 'byTime', partition, limit, newestFirst: false, from });
    const full = await this.table.getMany(items.map(({ pk, sk }) => ({ pk, sk })));
    full.sort((one, other) => (String(one.listAt) < String(other.listAt) ? -1 : 1));
    const standing = full.filter(({ document }) => document !== undefined).map(settingOf);
    return { items: standing, ...(next !== undefined && { cursor: encode(next) }) };
  }

  /** Places that have anything current. */
  async places(limit: number, cursor?: string): Promise<{ items: Item[]; cursor?: string } | undefined> {
    const from = cursor === undefined ? undefined : decode('byTime', 'inventory', cursor);
    if (cursor !== undefined && from === undefined) return undefined;
    const { items, next } = await this.table.page({
      index: 'byTime',
      partition: 'inventory',
      limit,
      newestFirst: false,
      from,
    });
    const full = await this.table.getMany(items.map(({ pk, sk }) => ({ pk, sk })));
    const order = new Map(items.map((item, index) => [item.pk, index]));
    full.sort((a, b) => (order.get(a.pk) ?? 0) - (order.get(b.pk) ?? 0));
    return { items: full, ...(next !== undefined && { cursor: encode(next) }) };
  }
}

function idOf(item: Item): string {
  return item.pk.slice(item.pk.indexOf('#') + 1);
}

function encode(key: Record<string, unknown>): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** A place in one partition of one index; undefined for anything else, which DynamoDB would refuse or read as it likes. */
function decode(index: IndexName, partition: string, cursor: string): Record<string, unknown> | undefined {
  const { partition: name, sort, sortType } = INDEXES[index];
  const Place = z.strictObject({
    pk: KeyText,
    sk: KeyText,
    [name]: z.literal(partition),
    [sort]: sortType === 'N' ? z.number() : KeyText,
  });
  try {
    return Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    // Whatever was wrong with it, the answer to the caller is the same: not one of our cursors.
    return undefined;
  }
}
