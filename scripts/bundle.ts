/** How renga is bundled: the command as one program whose parts are read when they are needed, and the supervisor of jobs. */
import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { SUPERVISOR_BUNDLE } from '../local/supervisor/program.ts';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));

/** Makes a directory anew with `renga.js`, which must stay below the node_modules that its native parts are in. */
export async function bundle(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await build({
    entryPoints: { renga: MAIN },
    outdir: directory,
    bundle: true,
    // `start` brings the engine and the SDK; what only asks a server should not have to read them.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // Native code, what loads its own parts by name, and what only a clone uses.
    external: ['classic-level', 'dynalite', 'esbuild', '@dynoxide/*'],
    banner: { js: BANNER },
    logLevel: 'warning',
  });
  await build({ ...SUPERVISOR_BUNDLE, outfile: path.join(directory, 'supervisor.cjs') });
  await chmod(path.join(directory, 'renga.js'), 0o755);
}

/** Bundled CommonJS asks for Node's own modules with `require`, which ESM does not have. */
const BANNER = `#!/usr/bin/env node
import { createRequire as rengaRequire } from 'node:module'; const require = rengaRequire(import.meta.url);`;
