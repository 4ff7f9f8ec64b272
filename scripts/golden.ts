/**
 * The machine of every example, compiled and written for reading, under `test/golden/`. `npm run golden` writes them;
 * what changed in them is then read and committed, or it is a mistake.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { planRelease } from '../core/plan/plan.ts';
import { readRelease } from '../files/read-release.ts';
import { LOCAL_FUNCTIONS } from '../local/engine.ts';
import { compile } from '../statemachines/compile.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
export const GOLDEN = path.join(repository, 'test', 'golden');

/** Release files of the examples, relative to the repository. An include (`asia.yml`) is no release of its own, nor an event. */
export async function exampleReleases(): Promise<string[]> {
  const files = await readdir(path.join(repository, 'examples'), { recursive: true });
  return files
    .filter((file) => /^(?!events\/)[^/]+\/release[^/]*\.(yml|json)$/.test(file))
    .sort()
    .map((file) => path.join('examples', file));
}

/** Name of a golden file → what it has to hold, byte for byte. */
export async function goldenMachines(): Promise<Map<string, string>> {
  const machines = new Map<string, string>();
  for (const file of await exampleReleases()) {
    const { release, problems } = await readRelease(path.join(repository, file));
    if (problems !== undefined) throw new Error(`${file}: ${problems.map(({ message }) => message).join('; ')}`);
    const { definition } = compile(planRelease(release), release.onFailure, LOCAL_FUNCTIONS);
    const name = `${path.basename(path.dirname(file))}-${path.parse(file).name}.asl.json`;
    machines.set(name, `${JSON.stringify(JSON.parse(definition), null, 2)}\n`);
  }
  return machines;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const machines = await goldenMachines();
  await rm(GOLDEN, { recursive: true, force: true });
  await mkdir(GOLDEN, { recursive: true });
  for (const [name, text] of machines) await writeFile(path.join(GOLDEN, name), text);
}
