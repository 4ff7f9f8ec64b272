/** The command as it is built, in processes of its own: what only those show. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Below the project, whose native modules it loads. */
const BUNDLE = path.join(ROOT, `node_modules/.cache/renga-cli-test-${process.pid}`);
const MAIN = path.join(BUNDLE, 'renga.js');

let directory = '';
beforeAll(async () => {
  await bundle(BUNDLE);
  directory = await mkdtemp(path.join(tmpdir(), 'renga-cli-'));
}, 120_000);
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await rm(BUNDLE, { recursive: true, force: true });
});

function renga(...words: string[]): Promise<{ exit: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...words], { cwd: directory }, (error, stdout, stderr) => {
      resolve({ exit: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** A server on a free port, once it says where it is. */
async function started(...words: string[]) {
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0', '--json', ...words], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const facts = await new Promise<{ url: string; tokenFile: string }>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${errors}`)));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('}\n')) resolve(JSON.parse(text));
    });
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const stop = () =>
    new Promise<number | null>((resolve) => {
      child.removeAllListeners('exit');
      child.once('exit', resolve);
      child.kill('SIGTERM');
    });
  return { ...facts, stop };
}

const RELEASE = `apiVersion: renga/v1
kind: Release
id: one
deploys:
  - name: only
    descriptor:
      apiVersion: renga/v1
      application: app
      environment: prod
      artifact: {type: application, name: app, version: "1"}
      deploy: {plugin: command, params: {COMMAND: [node, -e, 'console.log("carried out")']}}
`;

// Nine processes one after another, on a machine that may be doing other things.
describe('renga start', { timeout: 120_000 }, () => {
  test('serves a release from its submission to its log, and ends at SIGTERM with 0', async () => {
    await writeFile(path.join(directory, 'one.yml'), RELEASE);
    const { url, stop } = await started();
    const submitted = await renga('release', 'submit', '-f', 'one.yml', '--server', url, '--json', '--timeout', '1m');
    expect(submitted.stderr).toBe('');
    expect({ exit: submitted.exit, state: JSON.parse(submitted.stdout).state }).toEqual({ exit: 0, state: 'SUCCESS' });
    expect((await renga('log', 'one.only', '--server', url)).stdout).toBe('carried out\n');

    const refused = await renga('release', 'list', '--server', url, '--token', 'wrong');
    expect(refused.exit).toBe(5);
    expect(refused.stderr).toContain('`token` of its data');

    const busy = await renga('start', '--port', new URL(url).port, '--data', 'other');
    expect(busy.exit).toBe(2);
    expect(busy.stderr).toContain('is in use');
    const taken = await renga('start', '--port', '0');
    expect(taken.exit).toBe(2);
    expect(taken.stderr).toContain('another process has it open');
    expect(await stop()).toBe(0);
  });

  test('refuses a directory that is not its own', async () => {
    const { exit, stderr } = await renga('start', '--port', '0', '--data', '.');
    expect(exit).toBe(2);
    expect(stderr).toContain("not renga's");
  });
});
