/** What is really there: the services of the shop as they are on disk. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

const SERVICES = ['db', 'api', 'worker', 'web'] as const;
const Config = z.looseObject({ version: z.string() });

export interface OnDisk {
  readonly service: string;
  readonly version: string;
  readonly files: number;
  /** SHA-256 over the names and contents of the service's files, and of its data. */
  readonly fingerprint: string;
}

export const DEPLOYED = path.join('examples', 'shop', 'deployed');

export function onDisk(folder: string): OnDisk[] {
  return SERVICES.map((service) => {
    const home = path.join(folder, DEPLOYED, service);
    const current = path.join(home, 'current');
    const { version } = Config.parse(JSON.parse(readFileSync(path.join(current, 'config.json'), 'utf8')));
    const files = [...filesIn(current), ...filesIn(home, false)];
    const hash = createHash('sha256');
    for (const [name, bytes] of files) hash.update(`${name}\0${bytes.length}\0`).update(bytes);
    return { service, version, files: files.length, fingerprint: hash.digest('hex') };
  });
}

function filesIn(directory: string, recursive = true): [name: string, bytes: Buffer][] {
  return readdirSync(directory, { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [path.relative(directory, file), readFileSync(file)]);
}
