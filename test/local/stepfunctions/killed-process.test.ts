import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../../local/clock.ts';
import { diskJournal } from '../../../local/stepfunctions/index.ts';
import { returns, Stage } from './stage.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renga-kill-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Runs the process until it has had so many executions accepted, then kills it; answers those that it told of. */
async function accepted(journal: string, effects: string, count: number): Promise<string[]> {
  const script = path.join(import.meta.dirname, 'killed-process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, journal, effects], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const told: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(line);
    if (told.length === count) child.kill('SIGKILL');
  }
  await exited;
  return told;
}

test.each([1, 7, 60])(
  'a process killed after %i answers loses none of them, and repeats at most what was in flight',
  async (count) => {
    const journal = path.join(directory, 'journal');
    const effects = path.join(directory, 'effects');
    const told = await accepted(journal, effects, count);
    expect(told.length).toBeGreaterThanOrEqual(count);

    const repeated: string[] = [];
    const stage = new Stage(
      (payload: { run: string; step: number }) => {
        repeated.push(`${payload.run} ${payload.step}`);
        return returns(payload);
      },
      await diskJournal(journal),
      new VirtualClock(Date.now()),
    );
    await stage.service.resume();
    await stage.settle();
    const arn = (name: string) => `arn:aws:states:eu-south-1:123456789012:execution:chain:${name}`;
    const outcomes = await Promise.all(told.map((name) => stage.outcome(arn(name))));
    expect(outcomes).toEqual(told.map((run) => ({ status: 'SUCCEEDED', output: { run, step: 4 } })));

    // In flight was at most one step of each execution: its last one that left an effect.
    const before = (await readFile(effects, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    const last = new Map(before.map((line) => line.split(' ') as [string, string]));
    const twice = repeated.filter((line) => before.includes(line));
    expect(twice.filter((line) => !line.endsWith(` ${last.get(line.split(' ')[0] ?? '')}`))).toEqual([]);
    expect(new Set(repeated).size).toBe(repeated.length);
    await stage.service.close();
  },
);
