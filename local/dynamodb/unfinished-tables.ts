import type { OrderedStore } from './ordered-store.ts';

/** Brings to their end what a crash left half done: a table being created becomes usable, one being deleted is gone. */
export async function finishTables(store: OrderedStore): Promise<void> {
  for await (const entries of store.scan('table', {})) {
    for (const [name, text] of entries) {
      if (JSON.parse(text).TableStatus === 'DELETING') {
        for (const space of spacesOf(name)) await clear(store, space);
        await store.write([{ space: 'table', key: name, value: undefined }]);
        continue;
      }
      const value = text.replaceAll(/"(TableStatus|IndexStatus)":"(?:CREATING|UPDATING)"/g, '"$1":"ACTIVE"');
      if (value !== text) await store.write([{ space: 'table', key: name, value }]);
    }
  }
}

/** On disk the spaces of a table's indexes, whose names are lost by now, all begin with these. */
function spacesOf(table: string): string[] {
  return [`index-global~${table}`, `index-local~${table}`, `tag-${table}`, `item-${table}`];
}

export async function clear(store: OrderedStore, space: string): Promise<void> {
  for await (const entries of store.scan(space, {})) {
    await store.write(entries.map(([key]) => ({ space, key, value: undefined })));
  }
}
