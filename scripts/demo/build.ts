/** The command as `dist/renga.js`, built when there is none or its sources have changed since. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
export const RENGA = path.join(REPOSITORY, 'dist', 'renga.js');
const NOT_SOURCES = new Set(['node_modules', 'dist', 'test', 'cdk.out']);

export function build(): void {
  if (lastChange() < (changedAt(RENGA) ?? 0)) return;
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: Buffer; stderr?: Buffer };
    throw new Error(`npm run build failed; was npm ci run?\n${stdout}${stderr}`, { cause: error });
  }
}

function lastChange(): number {
  const sources = readdirSync(REPOSITORY, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NOT_SOURCES.has(entry.name))
    .flatMap(({ name }) =>
      readdirSync(path.join(REPOSITORY, name), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(name, file),
      ),
    )
    .filter((file) => file.endsWith('.ts'));
  return Math.max(...[...sources, 'package.json'].map((file) => changedAt(path.join(REPOSITORY, file)) ?? 0));
}

function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
