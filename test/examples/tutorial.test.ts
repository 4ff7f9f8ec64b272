/** The tutorial, run as it is printed: every `$` line of its page in a shell, and what it answers held against the page. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';
import { REPOSITORY } from '../../scripts/demo/build.ts';

interface Step {
  readonly command: string;
  readonly exit: number;
  readonly expected: readonly string[];
}

const page = readFileSync(path.join(REPOSITORY, 'docs/tutorial.md'), 'utf8');
const steps = [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => stepsOf(block));

function stepsOf(block: string): Step[] {
  return block
    .split(/^\$ /m)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [command = '', ...expected] = part.trimEnd().split('\n');
      return { command, exit: Number(/# exits with (\d)/.exec(command)?.[1] ?? 0), expected };
    });
}

/** A line of the page, in which `…` stands for anything and the number of spaces does not count. */
function like(line: string): RegExp {
  const parts = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*').replace(/ +/g, ' +')}\\s*$`);
}

let folder = '';
let server: ChildProcess | undefined;
let url = '';

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'renga-tutorial-'));
  // Not the repository's dist: another test builds that at the same time.
  await bundle(path.join(folder, 'dist'));
  for (const name of ['examples', 'package.json']) {
    cpSync(path.join(REPOSITORY, name), path.join(folder, name), { recursive: true });
  }
  symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
  const started = spawn(process.execPath, ['dist/renga.js', 'start', '--port', '0', '--no-color'], { cwd: folder });
  server = started;
  let said = '';
  started.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  url = await vi.waitUntil(() => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0], { timeout: 60_000 });
}, 300_000);

afterAll(() => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('the page has commands to run', () => {
  expect(steps.length).toBeGreaterThan(8);
});

test('the tutorial works exactly as printed', () => {
  for (const { command, exit, expected } of steps) {
    const script = `renga() { node "$PWD/dist/renga.js" "$@"; }\n${command}`;
    const env = { ...process.env, RENGA_URL: url, NO_COLOR: '1' };
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
    expect(status, `${command}\n${stdout}${stderr}`).toBe(exit);
    const lines = stdout.split('\n');
    let from = 0;
    for (const line of expected) {
      const found = lines.slice(from).findIndex((each) => like(line).test(each));
      expect(found, `${command}\nanswers no line like «${line}» from line ${from} on:\n${stdout}`).not.toBe(-1);
      from += found + 1;
    }
  }
}, 300_000);
