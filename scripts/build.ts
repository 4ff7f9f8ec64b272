/** Builds `dist/`: the command as one program, its parts loaded when they are needed, and the supervisor of jobs. */
import { chmod, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { SUPERVISOR_BUNDLE } from '../local/supervisor/program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist`;

await rm(dist, { recursive: true, force: true });
await build({
  entryPoints: { renga: `${root}cli/main.ts` },
  outdir: dist,
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
  banner: {
    // Bundled CommonJS asks for Node's own modules with `require`, which ESM does not have.
    js: "#!/usr/bin/env node\nimport { createRequire as rengaRequire } from 'node:module'; const require = rengaRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
await build({ ...SUPERVISOR_BUNDLE, outfile: `${dist}/supervisor.cjs` });
await chmod(`${dist}/renga.js`, 0o755);
