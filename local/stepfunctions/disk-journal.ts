import { ClassicLevel } from 'classic-level';
import type { Change, Journal } from './journal.ts';

export interface DiskJournalOptions {
  /**
   * Whether a batch is forced to the disk (`fdatasync`) before it counts as durable; true by default. A killed process
   * loses nothing either way: what was written is in the kernel's hands. Without it, a machine that loses power may
   * lose the last batches, never one before another.
   */
  readonly sync?: boolean;
}

/**
 * A journal in a directory (LevelDB): a batch is one record of its log, checksummed, so a torn last record is dropped as
 * a whole at the next opening. Batches that arrive while one is being written go together in the next write.
 * One process at a time: a second one is refused when it opens the directory.
 */
export async function diskJournal(directory: string, { sync = true }: DiskJournalOptions = {}): Promise<Journal> {
  const database = new ClassicLevel<string, string>(directory, { keyEncoding: 'utf8', valueEncoding: 'utf8' });
  await database.open();
  return new DiskJournal(database, sync);
}

class DiskJournal implements Journal {
  #waiting: Change[] = [];
  /** The write that will carry what is waiting. */
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: ClassicLevel<string, string>,
    private readonly sync: boolean,
  ) {}

  write(changes: readonly Change[]): Promise<void> {
    this.#waiting.push(...changes);
    if (this.#next === undefined) {
      // A failed write fails those after it too: they must not be kept without it.
      this.#next = this.#current.then(() => this.#flush());
      this.#current = this.#next;
    }
    return this.#next;
  }

  async get(key: string): Promise<string | undefined> {
    await this.#current;
    return this.database.get(key);
  }

  async read(prefix: string): Promise<readonly (readonly [string, string])[]> {
    await this.#current;
    return this.database.iterator({ gte: prefix, lt: after(prefix) }).all();
  }

  async keys(prefix: string): Promise<readonly string[]> {
    await this.#current;
    return this.database.keys({ gte: prefix, lt: after(prefix) }).all();
  }

  async close(): Promise<void> {
    await this.#current;
    await this.database.close();
  }

  async #flush(): Promise<void> {
    const changes = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    const batch = this.database.batch();
    for (const change of changes) {
      if ('put' in change) batch.put(change.put, change.text);
      else for (const key of await this.#keys(change.drop, changes)) batch.del(key);
    }
    await batch.write({ sync: this.sync });
  }

  /** Keys under a prefix, those that the same batch puts included. */
  async #keys(prefix: string, changes: readonly Change[]): Promise<readonly string[]> {
    const stored = await this.database.keys({ gte: prefix, lt: after(prefix) }).all();
    const put = changes.flatMap((change) => ('put' in change && change.put.startsWith(prefix) ? [change.put] : []));
    return [...stored, ...put];
  }
}

/** The least key that is greater than every key with this prefix. Keys are ASCII. */
function after(prefix: string): string {
  return `${prefix}\u{7f}`;
}
