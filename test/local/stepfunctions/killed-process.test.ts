import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
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
async function accepted(journal: string, effects: string, prefix: string, count: number): Promise<string[]> {
  const script = path.join(import.meta.dirname, 'killed-process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, journal, effects, prefix], {
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

test('a process that is killed again and again loses no execution, and repeats only what was in flight', async () => {
  const journal = path.join(directory, 'journal');
  const effects = path.join(directory, 'effects');
  const kills = [1, 7, 60, 2];
  const told: string[] = [];
  for (const [round, count] of kills.entries()) told.push(...(await accepted(journal, effects, `run${round}`, count)));
  expect(told.length).toBeGreaterThanOrEqual(70);

  const stage = new Stage(
    (payload: { run: string; step: number }) => {
      appendFileSync(effects, `${payload.run} ${payload.step}\n`);
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

  const steps = new Map<string, number[]>();
  for (const line of (await readFile(effects, 'utf8')).split('\n').slice(0, -1)) {
    const [run = '', step] = line.split(' ');
    steps.set(run, [...(steps.get(run) ?? []), Number(step)]);
  }
  for (const run of told) {
    const done = steps.get(run) ?? [];
    // In order, and a step again only as the one that a kill caught in flight.
    expect(done.toSorted(), run).toEqual(done);
    expect([...new Set(done)], run).toEqual([0, 1, 2, 3, 4]);
    expect(done.length - 5, run).toBeLessThanOrEqual(kills.length);
  }
  await stage.service.close();
});
