import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../local/clock.ts';
import { type Change, diskJournal, type Journal, memoryJournal } from '../../../local/stepfunctions/index.ts';
import { FUNCTION, machine, type Outcome, raises, returns, START, Stage, task, waiting } from './stage.ts';

/** A journal that breaks the instance off at one write: just before it is kept, or just after. */
class Breaking implements Journal {
  writes = 0;
  onBreak: () => void = () => {};

  constructor(
    private readonly journal: Journal,
    private readonly at: number,
    private readonly kept: boolean,
  ) {}

  async write(changes: readonly Change[]): Promise<void> {
    this.writes++;
    if (this.writes !== this.at) return this.journal.write(changes);
    if (this.kept) await this.journal.write(changes);
    this.onBreak();
  }

  get(key: string) {
    return this.journal.get(key);
  }

  read(prefix: string) {
    return this.journal.read(prefix);
  }

  keys(prefix: string) {
    return this.journal.keys(prefix);
  }

  async close() {}
}

/** A branch by token, one by timer, one by retry; then random values, a Map and a last task. */
const scenario = machine({
  first: task({ Arguments: { work: 'first' }, Assign: { id: '{% $uuid() %}', dice: '{% $random() %}' } }),
  all: {
    Type: 'Parallel',
    Branches: [
      machine({ token: waiting({ TimeoutSeconds: 3600 }) }),
      machine({ timer: { Type: 'Wait', Seconds: 40 * 86_400 } }),
      machine({
        retried: task({
          Arguments: { work: 'retried', retry: '{% $states.context.State.RetryCount %}' },
          Retry: [{ ErrorEquals: ['Flaky'], IntervalSeconds: 10, MaxAttempts: 3, JitterStrategy: 'FULL' }],
        }),
      }),
    ],
    Output: { branches: '{% $states.result[[0, 2]] %}', id: '{% $id %}', again: '{% $uuid() %}', dice: '{% $dice %}' },
  },
  last: task({ Arguments: { work: 'last', of: '{% $states.input.branches %}' } }),
});

const EXECUTION = 'arn:aws:states:eu-south-1:123456789012:execution:machine:run';

interface World {
  readonly journal: Journal;
  readonly clock: VirtualClock;
  readonly invoked: string[];
  readonly tokens: string[];
}

function world(journal: Journal): World {
  return { journal, clock: new VirtualClock(START), invoked: [], tokens: [] };
}

function instance({ clock, invoked, tokens }: World, journal: Journal): Stage {
  const handler = (payload: { work?: string; retry?: number; token?: string }) => {
    invoked.push(payload.work === 'retried' ? `retried ${payload.retry}` : (payload.work ?? 'token'));
    if (payload.token !== undefined) tokens.push(payload.token);
    return payload.work === 'retried' && payload.retry !== 2 ? raises('Flaky') : returns(payload);
  };
  return new Stage(handler, journal, clock);
}

/** What someone outside does: starts it until that is answered, and answers the token until that is accepted. */
async function drive(stage: Stage, { tokens }: World): Promise<Outcome> {
  await stage.start(scenario).catch((error: { code?: string }) => {
    // It ended in the instance that was killed.
    if (error.code !== 'ExecutionAlreadyExists') throw error;
  });
  await stage.activity.idle();
  for (;;) {
    const token = tokens.at(-1);
    if (token !== undefined) {
      const output = JSON.stringify({ answered: true });
      await stage.call('SendTaskSuccess', { taskToken: token, output }).catch((error: { code?: string }) => {
        if (error.code !== 'TaskTimedOut') throw error;
      });
    }
    await stage.activity.idle();
    if (!stage.clock.step()) break;
    await stage.activity.idle();
  }
  return stage.outcome(EXECUTION);
}

/** Runs the scenario with one kill; what comes before the kill may or may not have been answered. */
async function withKill(journal: Journal, at: number, kept: boolean) {
  const around = world(journal);
  const breaking = new Breaking(journal, at, kept);
  const first = instance(around, breaking);
  breaking.onBreak = () => first.service.kill();
  const broken = await drive(first, around).catch((error: unknown) => String(error));
  const before = [...around.invoked];
  await first.activity.idle();
  const journaled = (await journal.read('happening/')).map(([, text]) => JSON.parse(text) as { kind: string });
  const second = instance(around, journal);
  await second.service.resume();
  const settled = journaled.filter(({ kind }) => kind === 'returned' || kind === 'raised').length;
  const outcome = await drive(second, around);
  const types = await second.types(EXECUTION);
  const published = [...first.published, ...second.published].map(({ status }) => status);
  return { broken, before, settled, outcome, types, published, invoked: around.invoked, writes: breaking.writes };
}

describe('a killed instance', () => {
  let secretless: (outcome: Outcome) => unknown;
  beforeEach(() => {
    // Random values differ between executions, as their secret does; within one they must not.
    secretless = ({ output, ...rest }) => ({ ...rest, output: (output as { work?: string } | undefined)?.work });
  });

  test('is followed by one that goes on, wherever it was killed', async () => {
    const whole = await withKill(memoryJournal(), Number.POSITIVE_INFINITY, true);
    expect(secretless(whole.outcome)).toEqual({ status: 'SUCCEEDED', output: 'last' });
    const plain = ['first', 'token', 'retried 0', 'retried 1', 'retried 2', 'last'].sort();
    expect([...whole.invoked].sort()).toEqual(plain);
    expect(whole.writes).toBeGreaterThan(12);
    for (let at = 1; at <= whole.writes; at++) {
      for (const kept of [false, true]) {
        const killed = await withKill(memoryJournal(), at, kept);
        const where = `killed ${kept ? 'after' : 'before'} write ${at}`;
        expect(killed.outcome, where).toEqual(whole.outcome);
        expect(killed.types.toSorted(), where).toEqual(whole.types.toSorted());
        expect(killed.published, where).toContain('SUCCEEDED');
        // Only what was in flight without a journaled result ran twice.
        const again = killed.invoked.length - plain.length;
        expect(again, where).toBe(killed.before.length - killed.settled);
        expect([...new Set(killed.invoked)].sort(), where).toEqual([...new Set(plain)].sort());
      }
    }
  });

  test('leaves tokens valid, each once', async () => {
    const around = world(memoryJournal());
    const first = instance(around, around.journal);
    const executionArn = await first.start(machine({ a: waiting({ HeartbeatSeconds: 60 }) }));
    await first.activity.idle();
    first.service.kill();
    const second = instance(around, around.journal);
    await second.service.resume();
    await second.activity.idle();
    expect(around.invoked).toEqual(['token']);
    const taskToken = around.tokens[0];
    await second.call('SendTaskHeartbeat', { taskToken });
    await second.call('SendTaskSuccess', { taskToken, output: '"done"' });
    await expect(second.call('SendTaskSuccess', { taskToken, output: '1' })).rejects.toMatchObject({
      code: 'TaskTimedOut',
    });
    await second.settle();
    expect(await second.outcome(executionArn)).toEqual({ status: 'SUCCEEDED', output: 'done' });
  });

  test('has no effect any more: no result is used, no timer fires, nothing is published', async () => {
    let answer: (value: unknown) => void = () => {};
    const held = new Promise((resolve) => {
      answer = resolve;
    });
    const clock = new VirtualClock(START);
    const journal = memoryJournal();
    const stage = new Stage(async () => returns(await held), journal, clock);
    await stage.start(machine({ a: task({ TimeoutSeconds: 10 }) }));
    const before = await journal.read('');
    const told = stage.published.length;
    stage.service.kill();
    answer('late');
    expect(clock.step()).toBe(false);
    await stage.activity.idle();
    expect(await journal.read('')).toEqual(before);
    expect(stage.published).toHaveLength(told);
    await expect(stage.call('ListStateMachines', {})).rejects.toThrow('killed');
  });

  test('comes back after its deadlines: what was due meanwhile is due at once', async () => {
    const around = world(memoryJournal());
    const first = instance(around, around.journal);
    const executionArn = await first.start(
      machine({ a: { Type: 'Wait', Seconds: 60 }, b: { Type: 'Pass', Output: 'on' } }),
    );
    await first.activity.idle();
    first.service.kill();
    const later = { ...around, clock: new VirtualClock(START + 3_600_000) };
    const second = instance(later, around.journal);
    await second.service.resume();
    await second.settle();
    expect(await second.outcome(executionArn)).toEqual({ status: 'SUCCEEDED', output: 'on' });
    expect(later.clock.now()).toBe(START + 3_600_000);
  });

  test('has the same random values after a restart as before', async () => {
    const around = world(memoryJournal());
    const first = instance(around, around.journal);
    const payload = { token: '{% $states.context.Task.Token %}', work: '{% $string([$id, $dice]) %}' };
    const executionArn = await first.start(
      machine({
        a: { Type: 'Pass', Assign: { id: '{% $uuid() %}', dice: '{% $random() %}' } },
        b: waiting({ Arguments: { FunctionName: 'work', Payload: payload } }),
        c: { Type: 'Pass', Output: '{% $string([$id, $dice]) %}' },
      }),
    );
    await first.activity.idle();
    first.service.kill();
    const second = instance(around, around.journal);
    await second.service.resume();
    await second.call('SendTaskSuccess', { taskToken: around.tokens[0], output: '1' });
    await second.settle();
    expect(around.invoked).toHaveLength(1);
    expect(around.invoked[0]).toMatch(/^\["[0-9a-f-]{36}",0\.\d+\]$/);
    expect(await second.outcome(executionArn)).toEqual({ status: 'SUCCEEDED', output: around.invoked[0] });
  });

  test('gives a history that reads the same after a restart', async () => {
    const around = world(memoryJournal());
    const first = instance(around, around.journal);
    await drive(first, around);
    const before = await first.history(EXECUTION);
    const second = instance(around, around.journal);
    await second.service.resume();
    expect(await second.history(EXECUTION)).toEqual(before);
    expect(second.published).toEqual([]);
  });
});

describe('the journal on disk', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'renga-journal-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  test('gives back what was written, by key, after it is opened again', async () => {
    const first = await diskJournal(directory);
    const writes = [first.write([{ put: 'a/2', text: 'two' }]), first.write([{ put: 'a/1', text: 'one' }])];
    await Promise.all(writes);
    await first.write([{ put: 'b/1', text: 'other' }, { put: 'a/3', text: 'three' }, { drop: 'b/' }]);
    await first.close();
    const second = await diskJournal(directory);
    expect(await second.read('a/')).toEqual([
      ['a/1', 'one'],
      ['a/2', 'two'],
      ['a/3', 'three'],
    ]);
    expect(await second.read('b/')).toEqual([]);
    await second.close();
  });

  test('refuses a second user', async () => {
    const first = await diskJournal(directory);
    await expect(diskJournal(directory)).rejects.toThrow();
    await first.close();
  });

  test('carries an execution over a restart', async () => {
    const around = world(await diskJournal(directory));
    const first = instance(around, around.journal);
    const executionArn = await first.start(machine({ a: waiting(), b: task({ Resource: FUNCTION }) }));
    await first.activity.idle();
    first.service.kill();
    await around.journal.close();
    const journal = await diskJournal(directory);
    const second = instance(around, journal);
    await second.service.resume();
    await second.call('SendTaskSuccess', { taskToken: around.tokens[0], output: '{"work":"answered"}' });
    await second.settle();
    expect(await second.outcome(executionArn)).toEqual({ status: 'SUCCEEDED', output: { work: 'answered' } });
    await second.service.close();
  });
});
