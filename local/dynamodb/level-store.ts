import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import type { Change, Entry, KeyRange, OrderedStore } from './ordered-store.ts';

/** The folder of the durable store can't be used. Nothing in it was changed. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  constructor(
    readonly reason: 'in-use' | 'read-only' | 'unreadable',
    readonly path: string,
    cause: unknown,
  ) {
    const why = {
      'in-use': 'another process has it open; stop that one or choose another folder',
      'read-only': 'it can not be written; correct its permissions or choose another folder',
      unreadable: 'it holds something other than an intact database; move it away or choose another folder',
    }[reason];
    super(`The data folder ${path} can not be used: ${why}.`, { cause });
  }
}

/** How many entries are read from disk at a time. */
const CHUNK = 256;

/**
 * LevelDB on disk. A write is in the operating system's hands when it answers: it outlasts a killed process, and after a
 * power failure the newest writes may be missing, whole batches at a time.
 */
export class LevelStore implements OrderedStore {
  readonly #level: ClassicLevel<string, string>;

  private constructor(level: ClassicLevel<string, string>) {
    this.#level = level;
  }

  /** @throws StorageUnavailable */
  static async open(path: string): Promise<LevelStore> {
    await refuseForeignFolder(path);
    const level = new ClassicLevel<string, string>(path, { keyEncoding: 'utf8', valueEncoding: 'utf8' });
    try {
      await level.open();
    } catch (error) {
      throw storageFault(path, error);
    }
    return new LevelStore(level);
  }

  get(space: string, key: string): string | undefined {
    return this.#level.getSync(`${space}~${key}`);
  }

  async write(changes: readonly Change[]): Promise<void> {
    await this.#level.batch(
      changes.map(({ space, key, value }) =>
        value === undefined
          ? { type: 'del' as const, key: `${space}~${key}` }
          : { type: 'put' as const, key: `${space}~${key}`, value },
      ),
    );
  }

  async *scan(space: string, { gt, gte, lt, lte, reverse, limit }: KeyRange): AsyncIterable<readonly Entry[]> {
    const prefix = `${space}~`;
    const iterator = this.#level.iterator({
      ...(gt !== undefined ? { gt: prefix + gt } : { gte: prefix + (gte ?? '') }),
      ...(lte !== undefined ? { lte: prefix + lte } : { lt: lt !== undefined ? prefix + lt : `${prefix}\xff` }),
      reverse: reverse ?? false,
      limit: limit ?? -1,
    });
    try {
      for (;;) {
        const entries = await iterator.nextv(CHUNK);
        if (entries.length === 0) return;
        yield entries.map(([key, value]): Entry => [key.slice(prefix.length), value]);
      }
    } finally {
      await iterator.close();
    }
  }

  async close(): Promise<void> {
    await this.#level.close();
  }
}

/** LevelDB would turn any writable folder into a database; only an empty or absent one, or its own, is accepted. */
async function refuseForeignFolder(path: string): Promise<void> {
  let names: string[];
  try {
    names = await readdir(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw new StorageUnavailable('unreadable', path, error);
  }
  if (names.length > 0 && !names.includes('CURRENT')) {
    const onlyLevelFiles = names.every(
      (name) => name === 'LOCK' || name.startsWith('LOG') || name.startsWith('MANIFEST'),
    );
    if (!onlyLevelFiles) throw new StorageUnavailable('unreadable', path, undefined);
  }
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    throw new StorageUnavailable('read-only', path, error);
  }
}

/** What LevelDB's failure to open a folder means to whoever chose that folder. */
export function storageFault(path: string, error: unknown): StorageUnavailable {
  return new StorageUnavailable(reasonOf(error), path, error);
}

function reasonOf(error: unknown): StorageUnavailable['reason'] {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (codeOf(cause) === 'LEVEL_LOCKED') return 'in-use';
  const text = cause instanceof Error ? cause.message : String(cause);
  return /read-only|permission denied|EACCES|EROFS|EPERM/i.test(`${text} ${codeOf(cause)}`)
    ? 'read-only'
    : 'unreadable';
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
