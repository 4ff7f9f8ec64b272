/**
 * The files of one service: `<target>/<version>-<mark>/`, and a link `<target>/current` to the ones in use.
 *
 * A version is written beside the others and becomes current by one rename, so whoever looks finds the old files or
 * the new ones, whole. The mark is the deploy's, so a deploy that is run again finds what it had done.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

const CURRENT = 'current';

/** Puts a version in place, with its configuration as `config.json`, and says where it is. */
export async function install({ target, source, version, token }, config) {
  const name = `${version}-${createHash('sha256').update(token).digest('hex').slice(0, 8)}`;
  const place = path.join(target, name);
  await mkdir(target, { recursive: true });
  if (!existsSync(place)) {
    const draft = `${place}.draft`;
    await rm(draft, { recursive: true, force: true });
    await cp(source, draft, { recursive: true });
    await writeFile(path.join(draft, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
    await rename(draft, place);
  }
  const link = path.join(target, `${name}.link`);
  await rm(link, { force: true });
  await symlink(name, link);
  await rename(link, path.join(target, CURRENT));
  for (const other of await versionsIn(target)) {
    if (other !== name) await rm(path.join(target, other), { recursive: true, force: true });
  }
  return place;
}

export async function removeAll(target) {
  await rm(path.join(target, CURRENT), { force: true });
  for (const name of await versionsIn(target)) await rm(path.join(target, name), { recursive: true, force: true });
}

/** Writes a file so that it is the old one or the new one at every instant. */
export async function replaceFile(file, text) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.draft`, text);
  await rename(`${file}.draft`, file);
}

async function versionsIn(target) {
  if (!existsSync(target)) return [];
  return (await readdir(target)).filter((name) => name !== CURRENT && /^\d/.test(name));
}
