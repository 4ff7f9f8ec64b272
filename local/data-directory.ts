/** The folder that holds everything an embedded renga remembers: table, journal, jobs, and the token for its clients. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { openDynamoDb } from './dynamodb/dynamodb.ts';
import { StorageUnavailable } from './dynamodb/level-store.ts';
import type { Storage } from './engine.ts';
import { diskJournal } from './stepfunctions/index.ts';

/** Grows whenever what is stored can no longer be read by the version before. */
const FORMAT = 1;

/**
 * Open in this process. LevelDB's lock keeps other processes out only: a second try from the same one closes the lock's
 * file, and with it the system takes the lock from the first.
 */
const held = new Set<string>();

/** The data directory can't be used as it is; nothing in it was changed. */
export class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable';
}

export interface DataDirectory {
  readonly path: string;
  readonly storage: Storage;
  readonly jobs: string;
  readonly tokenFile: string;
  readonly token: string;
  /** Tokens for others than the owner; need not be there. */
  readonly tokensFile: string;
  close(): Promise<void>;
}

/**
 * Opens, or makes, a data directory. Throws {@link DataDirectoryUnusable} when it belongs to another version or to
 * something else, is in use by another process, or can't be written.
 */
export async function openDataDirectory(directory: string): Promise<DataDirectory> {
  const path = resolve(directory);
  if (held.has(path)) throw new DataDirectoryUnusable(`${path} is open in this process already`);
  held.add(path);
  try {
    await makeFolder(path);
    await claimFormat(path);
    const dynamodb = await openDynamoDb({ path: join(path, 'table') });
    try {
      const tokenFile = join(path, 'token');
      const token = await tokenIn(tokenFile);
      const journal = await diskJournal(join(path, 'journal'));
      return {
        path,
        storage: { dynamodb, journal },
        jobs: join(path, 'jobs'),
        tokenFile,
        token,
        tokensFile: join(path, 'tokens.yml'),
        async close() {
          await journal.close();
          await dynamodb.close();
          held.delete(path);
        },
      };
    } catch (error) {
      await dynamodb.close();
      throw error;
    }
  } catch (error) {
    held.delete(path);
    throw explained(path, error);
  }
}

/** Makes a folder and what it stands in. Not by Node's own `recursive`, which never ends in file systems such as /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || existsSync(above)) throw error;
    await makeFolder(above);
    await mkdir(path, { mode: 0o700 });
  }
}

async function claimFormat(path: string): Promise<void> {
  const marker = join(path, 'format');
  const found = await readFile(marker, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  // Empty: a kill came between making the marker and writing it, before there was anything else.
  if (found === undefined || found === '') {
    const others = (await readdir(path)).filter((name) => name !== 'format');
    if (others.length > 0) {
      throw new DataDirectoryUnusable(`${path} is not empty and not renga's: choose another folder with --data`);
    }
    await writeFile(marker, `${FORMAT}\n`);
  } else if (found.trim() !== String(FORMAT)) {
    throw new DataDirectoryUnusable(
      `${path} was written by another version of renga (format ${found.trim().slice(0, 20)}; this one reads ${FORMAT}): use that version, or another folder with --data`,
    );
  }
}

async function tokenIn(file: string): Promise<string> {
  try {
    await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  await chmod(file, 0o600);
  const token = (await readFile(file, 'utf8')).trim();
  if (token.length < 32) throw new DataDirectoryUnusable(`${file} holds no token: delete it, and a new one is written`);
  return token;
}

function explained(path: string, error: unknown): unknown {
  if (error instanceof StorageUnavailable) return new DataDirectoryUnusable(error.message, { cause: error });
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return new DataDirectoryUnusable(
      `${path} can't be written (${code}): correct its permissions or choose another folder with --data`,
      { cause: error },
    );
  }
  if (code === 'ENOENT') {
    return new DataDirectoryUnusable(`${path} can't be made there: choose another folder with --data`, {
      cause: error,
    });
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new DataDirectoryUnusable(`${path} is not a folder: choose another one with --data`, { cause: error });
  }
  return error;
}
