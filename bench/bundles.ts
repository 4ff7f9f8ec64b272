/** Size of each function's bundle, made as infrastructure makes it, and how long a fresh process takes to load it. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { FUNCTION_NAMES } from '../statemachines/functions.ts';
import type { Table } from './table.ts';
import { median } from './timing.ts';

const RUNS = 5;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOADING =
  'const start = performance.now(); await import(process.argv[1]); process.stdout.write(String(performance.now() - start));';

export async function bundles(): Promise<Table> {
  // Inside the project, so that the SDK, which a bundle leaves to the runtime, is found.
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.bench-'));
  const rows: (string | number)[][] = [];
  try {
    for (const name of FUNCTION_NAMES) {
      const entry = join(ROOT, 'functions', `${name}.ts`);
      if (existsSync(entry)) rows.push([name, ...(await measured(entry, join(folder, `${name}.mjs`)))]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return {
    title: 'Bundles of the functions',
    about: [
      `Each function bundled by esbuild as infrastructure does it (ESM, minified, the AWS SDK left to the runtime): kilobytes (1,000 bytes), and`,
      `milliseconds to import it in a fresh process of Node ${process.version.slice(1)}, the SDK included; median of ${RUNS}. Node's own start is not in it.`,
    ],
    columns: ['function', 'kB', 'kB gzipped', 'import ms'],
    rows,
  };
}

async function measured(entry: string, outfile: string): Promise<number[]> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minify: true,
    keepNames: true,
    external: ['@aws-sdk/*', '@smithy/*'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
    write: false,
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`${entry} came to no bundle`);
  await writeFile(outfile, output.contents);
  const times = Array.from({ length: RUNS }, () =>
    Number(
      execFileSync(process.execPath, ['--input-type=module', '-e', LOADING, pathToFileURL(outfile).href], {
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ),
  );
  return [output.contents.length / 1000, gzipSync(output.contents).length / 1000, median(times)];
}
