import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DataDirectory, DataDirectoryUnusable, openDataDirectory } from '../../local/data-directory.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'renga-data-'));
  path = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function once(use: (data: DataDirectory) => void = () => {}): Promise<void> {
  const data = await openDataDirectory(path);
  use(data);
  await data.close();
}

const refused = () => expect(openDataDirectory(path)).rejects;
const permissions = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe('a data directory', () => {
  it('is made where there is none, for its owner alone', async () => {
    path = join(folder, 'deep', 'er', 'data');
    await once();
    expect(permissions(path)).toBe('700');
    expect(permissions(join(path, 'token'))).toBe('600');
  });

  it('keeps its token over restarts, and takes it back from others', async () => {
    let token = '';
    await once((data) => {
      token = data.token;
    });
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    chmodSync(join(path, 'token'), 0o644);
    await once((data) => expect(data.token).toBe(token));
    expect(permissions(join(path, 'token'))).toBe('600');
  });

  it.each(['', '\n', 'short'])(
    'whose token has become %j says so, and gets a new one when it is deleted',
    async (text) => {
      await once();
      const token = join(path, 'token');
      writeFileSync(token, text);
      await refused().toThrow(/holds no token: delete it/);
      expect(readFileSync(token, 'utf8')).toBe(text);
      rmSync(token);
      await once((data) => expect(data.token).toMatch(/^[0-9a-f]{64}$/));
    },
  );

  it.each(['2', '0', 'x'])('of the format %s is left alone', async (format) => {
    await once();
    writeFileSync(join(path, 'format'), `${format}\n`);
    const before = readdirSync(path, { recursive: true });
    await refused().toThrow(DataDirectoryUnusable);
    await refused().toThrow(/another version of renga.*--data/);
    expect(readdirSync(path, { recursive: true })).toEqual(before);
  });

  it('that a kill left before its format was written is begun again', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'format'), '');
    await once();
    expect(readFileSync(join(path, 'format'), 'utf8')).toBe('1\n');
  });

  it("is no folder that holds somebody else's files", async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'thesis.txt'), 'words');
    await refused().toThrow(/is not empty and not renga's/);
    expect(readdirSync(path)).toEqual(['thesis.txt']);
  });

  it('is refused where no folder can be made, and nothing hangs', async () => {
    path = '/proc/renga-can-not-be-here';
    await refused().toThrow(DataDirectoryUnusable);
    await refused().toThrow(/--data/);
  });

  it('is no file, and is not below one', async () => {
    writeFileSync(path, 'words');
    await refused().toThrow(/is not a folder/);
    path = join(path, 'below');
    await refused().toThrow(/is not a folder/);
  });

  it('whose table is something else is left alone', async () => {
    await once();
    rmSync(join(path, 'table'), { recursive: true });
    mkdirSync(join(path, 'table'));
    writeFileSync(join(path, 'table', 'notes'), 'words');
    await refused().toThrow(DataDirectoryUnusable);
    expect(readdirSync(join(path, 'table'))).toEqual(['notes']);
  });

  it('is open once at a time, and whole again after it was refused', async () => {
    const data = await openDataDirectory(path);
    await refused().toThrow(/open in this process already/);
    await data.close();
    await once();
  });

  // A system user may write whatever the permissions say, and only there do files that nobody may write exist.
  const unwritable = process.getuid?.() === 0 ? '/sys/renga-data' : undefined;
  if (process.getuid?.() === 0) {
    console.log(
      'A data directory without permission to write is not tried: root may write everywhere. /sys is, instead.',
    );
  }
  it.runIf(unwritable !== undefined && existsSync('/sys'))('that can not be made says so', async () => {
    path = unwritable ?? path;
    await refused().toThrow(DataDirectoryUnusable);
  });
  it.runIf(unwritable === undefined)('that can not be written says so, and is left alone', async () => {
    await once();
    chmodSync(path, 0o500);
    await refused().toThrow(/can't be written/);
    chmodSync(path, 0o700);
    await once();
  });
});
