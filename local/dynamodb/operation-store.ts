import { Stream } from 'node:stream';
import dynalite from 'dynalite/db/index.js';
import { type Item, sizeOf, writeUnits } from './consumed-units.ts';
import { type IndexedTable, indexKeyProblem } from './index-keys.ts';
import type { KeyLocks } from './key-locks.ts';
import type { Change, KeyRange, OrderedStore } from './ordered-store.ts';
import { refusal } from './refusal.ts';
import { clear } from './unfinished-tables.ts';

type Done<T = unknown> = (error: unknown, value?: T) => void;

export interface Storage {
  readonly store: OrderedStore;
  readonly locks: KeyLocks;
  readonly account: string;
  readonly region: string;
  /** Tables as operations on items last read them, with the text that they were read from. */
  readonly tables: Map<string, { readonly text: string; readonly table: IndexedTable }>;
}

const LARGEST_ITEM = 400 * 1024;

/**
 * What one operation sees of the storage, in the shape that dynalite's actions expect.
 *
 * - An item and its index entries are written in one batch: a crash never leaves an item missing from an index.
 * - Index entries are kept under their item's whole key, so that two items with equal index keys never share an entry.
 * - A lock that the operation took is held until it ends, however it ends.
 */
export class OperationStore {
  readonly options = { createTableMs: 0, updateTableMs: 0, deleteTableMs: 0, maxItemSize: LARGEST_ITEM };
  readonly tableDb;
  readonly #storage: Storage;
  readonly #fail: (error: unknown) => void;
  readonly #startKey: Item | undefined;
  readonly #held: string[] = [];
  readonly #indexChanges: Change[] = [];
  #table: IndexedTable | undefined;
  #itemKey = '';
  #tableWrites = 0;
  #settled: () => void = () => {};

  /** The item as it was when the operation took its lock. */
  previous: Item | undefined;
  /** Bytes of each item that was read, in order. */
  readonly readSizes: number[] = [];
  writeUnits = 0;
  /** Resolves once a table that is created, updated or deleted has become what it was to be. */
  readonly settled = new Promise<void>((resolve) => {
    this.#settled = resolve;
  });

  /** `fail` is told what an action threw out of a callback, where dynalite itself would bring the process down. */
  constructor(storage: Storage, startKey: Item | undefined, fail: (error: unknown) => void) {
    this.#storage = storage;
    this.#startKey = startKey;
    this.#fail = fail;
    this.tableDb = { ...this.#space('table'), awsAccountId: storage.account, awsRegion: storage.region };
  }

  getTable(name: string, checkStatus: boolean | Done<IndexedTable>, done?: Done<IndexedTable>): void {
    const answer = typeof checkStatus === 'function' ? checkStatus : done;
    const text = this.#storage.store.get('table', name);
    // Operations on items only look at the table; those on tables change what they get, and answer with it.
    const table = answer === checkStatus ? this.#known(name, text) : (parsed(text) as IndexedTable | undefined);
    const usable = table !== undefined && !(checkStatus && /CREATING|DELETING/.test(table.TableStatus));
    this.#table = table;
    const detail = checkStatus ? '' : `: Table: ${name} not found`;
    this.#later(() =>
      usable
        ? answer?.(null, table)
        : answer?.(refusal('ResourceNotFoundException', `Requested resource not found${detail}`)),
    );
  }

  #known(name: string, text: string | undefined): IndexedTable | undefined {
    if (text === undefined) return undefined;
    const known = this.#storage.tables.get(name);
    if (known?.text === text) return known.table;
    const table = JSON.parse(text) as IndexedTable;
    this.#storage.tables.set(name, { text, table });
    return table;
  }

  getItemDb(table: string) {
    const space = `item-${table}`;
    return {
      ...this.#space(space),
      get: (key: string, done: Done) => {
        const item = this.#read(space, key) as Item | undefined;
        if (key === this.#itemKey) this.previous = item;
        this.readSizes.push(sizeOf(item));
        this.#later(() => done(null, item));
      },
      put: (key: string, item: Item, done: Done) => {
        const problem = this.#table && indexKeyProblem(item, this.#table);
        if (problem !== undefined) return this.#later(() => done(refusal('ValidationException', problem)));
        this.#writeItem({ space, key, value: JSON.stringify(item) }, item, done);
      },
      del: (key: string, done: Done) => this.#writeItem({ space, key, value: undefined }, undefined, done),
    };
  }

  getIndexDb(type: string, table: string, index: string) {
    const space = `index-${type.toLowerCase()}~${table}~${index}`;
    const note = (key: string, value: string | undefined, done: Done) => {
      this.#indexChanges.push({ space, key: `${key}/${this.#itemKey}`, value });
      this.#later(() => done(null));
    };
    return {
      put: (key: string, item: Item, done: Done) => note(key, JSON.stringify(item), done),
      del: (key: string, done: Done) => note(key, undefined, done),
      createValueStream: (range: KeyRange) => this.#values(space, this.#afterStartKey(range)),
    };
  }

  getTagDb(table: string) {
    return this.#space(`tag-${table}`);
  }

  deleteItemDb(table: string, done: Done): void {
    this.#clear(`item-${table}`, done);
  }

  deleteIndexDb(type: string, table: string, index: string, done: Done): void {
    this.#clear(`index-${type.toLowerCase()}~${table}~${index}`, done);
  }

  deleteTagDb(table: string, done: Done): void {
    this.#clear(`tag-${table}`, done);
  }

  /** Gives back every lock; called when the operation has ended. */
  end(): void {
    for (const key of this.#held.splice(0)) this.#storage.locks.release(key);
  }

  #space(space: string) {
    return {
      lock: (key: string, held: (release: (done: Done) => Done) => void) => {
        const name = `${space}~${key}`;
        this.#storage.locks.acquire(name, () => {
          this.#held.push(name);
          this.#itemKey = key;
          this.#guard(() => held((done) => done));
        });
      },
      get: (key: string, done: Done) => {
        const value = this.#read(space, key);
        this.#later(() => done(null, value));
      },
      put: (key: string, value: unknown, done: Done) =>
        this.#write([{ space, key, value: JSON.stringify(value) }], (error) => {
          if (space === 'table' && ++this.#tableWrites === 2) this.#settled();
          done(error);
        }),
      del: (key: string, done: Done) =>
        this.#write([{ space, key, value: undefined }], (error) => {
          if (space === 'table') this.#settled();
          done(error);
        }),
      batch: (changes: readonly { type: 'put' | 'del'; key: string; value?: unknown }[], done: Done) =>
        this.#write(
          changes.map(({ type, key, value }) => ({
            space,
            key,
            value: type === 'put' ? JSON.stringify(value) : undefined,
          })),
          done,
        ),
      createValueStream: (range: KeyRange = {}) => this.#values(space, range),
      createKeyStream: (range: KeyRange = {}) => this.#stream(space, range, ([key]) => key),
    };
  }

  #read(space: string, key: string): unknown {
    const text = this.#storage.store.get(space, key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  #writeItem(change: Change, item: Item | undefined, done: Done): void {
    const entries = withoutRepeats(this.#indexChanges.splice(0), this.#storage.store);
    this.writeUnits += writeUnits(this.previous, item);
    for (const { before, after } of entries) this.writeUnits += writeUnits(parsed(before), parsed(after));
    this.#write([...entries.map((entry) => entry.change), change], done);
  }

  #write(changes: readonly Change[], done: Done): void {
    this.#storage.store.write(changes).then(
      () => this.#guard(() => done(null)),
      (error) => this.#fail(error),
    );
  }

  #clear(space: string, done: Done): void {
    clear(this.#storage.store, space).then(
      () => this.#guard(() => done(null)),
      (error) => this.#fail(error),
    );
  }

  #values(space: string, range: KeyRange): Stream {
    return this.#stream(space, range, ([, text]) => {
      const item = JSON.parse(text) as Item;
      this.readSizes.push(sizeOf(item));
      return item;
    });
  }

  #stream(space: string, range: KeyRange, pick: (entry: readonly [string, string]) => unknown): Stream {
    let stopped = false;
    // A Stream, because dynalite listens twice to an emitter that is none.
    const stream = Object.assign(new Stream(), {
      destroy: () => {
        stopped = true;
      },
    });
    const read = async () => {
      for await (const entries of this.#storage.store.scan(space, range)) {
        for (const entry of entries) {
          if (stopped) return;
          stream.emit('data', pick(entry));
        }
      }
      stream.emit('end');
    };
    read().catch((error) => this.#fail(error));
    return stream;
  }

  /** dynalite pages by the short index key; ours goes on with the item's own key. */
  #afterStartKey(range: KeyRange): KeyRange {
    if (this.#startKey === undefined || this.#table === undefined) return range;
    const suffix = `/${dynalite.createKey(this.#startKey, this.#table)}`;
    if (range.reverse) return range.lt === undefined ? range : { ...range, lt: range.lt + suffix };
    return range.gt === undefined ? range : { ...range, gt: range.gt + suffix };
  }

  /** Answers in a turn of its own, as an asynchronous database does, so that callbacks never nest. */
  #later(task: () => void): void {
    queueMicrotask(() => this.#guard(task));
  }

  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#fail(error);
    }
  }
}

interface EntryChange {
  readonly change: Change;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** An index entry that stays as it is, is neither written nor billed. */
function withoutRepeats(changes: readonly Change[], store: OrderedStore): EntryChange[] {
  return changes
    .map((change) => ({ change, before: store.get(change.space, change.key), after: change.value }))
    .filter(({ before, after }) => before !== after);
}

function parsed(text: string | undefined): object | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}
