/** Where the supervisor's program is: beside this file when renga is bundled, otherwise compiled from its source. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const BUNDLED = 'supervisor.cjs';

/** How the supervisor is bundled; the build of the CLI uses the same, with `outfile: dist/supervisor.cjs`. */
export const SUPERVISOR_BUNDLE = {
  entryPoints: [fileURLToPath(new URL('./main.ts', import.meta.url))],
  bundle: true,
  platform: 'node',
  // CommonJS starts 7 ms sooner than ESM (Node 20).
  format: 'cjs',
  target: 'node20',
  minifySyntax: true,
  legalComments: 'none',
} satisfies BuildOptions;

/** Path of a program for `node`, to be given to the `command` plugin. */
export async function supervisorProgram(): Promise<string> {
  const bundled = fileURLToPath(new URL(`./${BUNDLED}`, import.meta.url));
  if (existsSync(bundled)) return bundled;
  const { build } = await import('esbuild');
  const { outputFiles } = await build({ ...SUPERVISOR_BUNDLE, write: false });
  const program = outputFiles[0]?.contents;
  if (program === undefined) throw new Error('esbuild compiled the supervisor to nothing');
  // Named by its content: whoever runs an older one keeps it, and two who compile at once write the same.
  const cache = fileURLToPath(new URL('../../node_modules/.cache/renga/', import.meta.url));
  const path = join(cache, `supervisor-${createHash('sha256').update(program).digest('hex').slice(0, 16)}.cjs`);
  if (!existsSync(path)) {
    mkdirSync(cache, { recursive: true });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, program);
    renameSync(draft, path);
  }
  return path;
}
