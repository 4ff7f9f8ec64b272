/**
 * The files of one service: directories `<version>-<mark>` in its target, a link `current` to the one in use, and a link
 * `previous` to what was in use before the last deploy began.
 *
 * A version is written beside the others and becomes current by one rename, so whoever looks finds the old files or
 * the new ones, whole. The mark is the deploy's: one that is run again, after a crash, finds what it had done.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

const CURRENT = 'current';
const PREVIOUS = 'previous';

/** Puts a version in place, with its configuration as `config.json`. What was there before stays beside it. */
export async function install({ target, source, version, token }, config) {
  const name = `${version}-${createHash('sha256').update(token).digest('hex').slice(0, 8)}`;
  const place = path.join(target, name);
  await mkdir(target, { recursive: true });
  const before = await linked(target, CURRENT);
  if (before !== undefined && before !== name) await link(target, PREVIOUS, before);
  if (!existsSync(place)) {
    const draft = `${place}.draft`;
    await rm(draft, { recursive: true, force: true });
    await cp(source, draft, { recursive: true });
    await writeFile(path.join(draft, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
    await rename(draft, place);
  }
  await link(target, CURRENT, name);
  await removeOthers(target);
}

/** Puts the files of an earlier version back as they were; from its artifact only when they are no longer here. */
export async function putBack(job, config) {
  const { target, version } = job;
  const before = await linked(target, PREVIOUS);
  const current = await linked(target, CURRENT);
  const kept = [before, current].find((name) => name !== undefined && versionOf(name) === version);
  if (kept === undefined) return install(job, config);
  await link(target, CURRENT, kept);
  await rm(path.join(target, PREVIOUS), { force: true });
  await removeOthers(target);
}

export async function removeAll(target) {
  for (const name of [CURRENT, PREVIOUS]) await rm(path.join(target, name), { force: true });
  await removeOthers(target);
}

/** Writes a file so that it is the old one or the new one at every instant. */
export async function replaceFile(file, text) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.draft`, text);
  await rename(`${file}.draft`, file);
}

async function linked(target, name) {
  const link = path.join(target, name);
  return existsSync(link) ? readlink(link) : undefined;
}

async function link(target, name, to) {
  const draft = path.join(target, `${name}.draft`);
  await rm(draft, { force: true });
  await symlink(to, draft);
  await rename(draft, path.join(target, name));
}

async function removeOthers(target) {
  if (!existsSync(target)) return;
  const stay = [await linked(target, CURRENT), await linked(target, PREVIOUS)];
  for (const entry of await readdir(target, { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isDirectory() && !stay.includes(name))
      await rm(path.join(target, name), { recursive: true, force: true });
  }
}

function versionOf(name) {
  return name.slice(0, name.lastIndexOf('-'));
}
