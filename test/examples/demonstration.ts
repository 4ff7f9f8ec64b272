/** Runs a demonstration as anybody starts it, and looks at what it leaves. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { REPOSITORY } from '../../scripts/demo/build.ts';

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  /** The folder that it wrote to. */
  readonly folder: string;
}

/** Runs an npm script; `interrupt` says at which output it is told to end. */
export async function demonstrate(script: string, interrupt?: RegExp): Promise<Ended> {
  const temporary = mkdtempSync(path.join(tmpdir(), 'renga-demo-test-'));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const { scripts } = JSON.parse(readFileSync(path.join(REPOSITORY, 'package.json'), 'utf8'));
  const [tool, ...args] = String(scripts[script]).split(' ');
  expect(tool).toBe('tsx');
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], {
    cwd: REPOSITORY,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let told = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      if (told || interrupt?.test(output) !== true) return;
      told = true;
      child.kill('SIGTERM');
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const [name = ''] = readdirSync(temporary).filter((entry) => entry.startsWith('renga-demo-'));
  return { code, output, folder: path.join(temporary, name) };
}

/** Processes whose working directory is in a folder; undefined where the system does not say. */
export function processesIn(folder: string): string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        return false;
      }
    });
}

/** The version of a service that is in place. */
export function versionOf({ folder }: Ended, service: string): string {
  const config = path.join(folder, 'examples', 'shop', 'deployed', service, 'current', 'config.json');
  return JSON.parse(readFileSync(config, 'utf8')).version;
}
