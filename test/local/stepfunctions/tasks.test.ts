import { describe, expect, test } from 'vitest';
import { machine, raises, returns, START, Stage, task, waiting } from './stage.ts';

/** A function that keeps its invocations until the test answers them. */
function held() {
  const answers: ((value: unknown) => void)[] = [];
  const stage = new Stage(() => new Promise<unknown>((resolve) => answers.push(resolve)).then(returns));
  return { stage, answers };
}

/** A machine of one task that waits for a token; the tokens that it gave out. */
function tokens(): { stage: Stage; given: string[] } {
  const given: string[] = [];
  const stage = new Stage((payload: { token: string }) => {
    given.push(payload.token);
    return returns({});
  });
  return { stage, given };
}

const seconds = (clock: number) => (clock - START) / 1000;

describe('a task that fails', () => {
  const schedules = [
    { says: 'doubles its interval by default, three times', rule: {}, at: [0, 1, 3, 7] },
    {
      says: 'keeps to the longest delay',
      rule: { IntervalSeconds: 10, BackoffRate: 3, MaxDelaySeconds: 40, MaxAttempts: 4 },
      at: [0, 10, 40, 80, 120],
    },
    { says: 'is not tried again with no attempts', rule: { MaxAttempts: 0 }, at: [0] },
  ];
  test.each(schedules)('$says', async ({ rule, at }) => {
    const tried: number[] = [];
    const stage: Stage = new Stage(() => {
      tried.push(seconds(stage.clock.now()));
      return raises('Flaky');
    });
    const outcome = await stage.run(machine({ a: task({ Retry: [{ ErrorEquals: ['Flaky'], ...rule }] }) }));
    expect(outcome).toMatchObject({ status: 'FAILED', error: 'Flaky' });
    expect(tried).toEqual(at);
  });

  test('waits any part of the delay with full jitter', async () => {
    const tried: number[] = [];
    const stage: Stage = new Stage(() => {
      tried.push(seconds(stage.clock.now()));
      return raises('Flaky');
    });
    const rule = { ErrorEquals: ['Flaky'], IntervalSeconds: 100, MaxAttempts: 1, JitterStrategy: 'FULL' };
    await stage.run(machine({ a: task({ Retry: [rule] }) }));
    expect(tried[1]).toBeGreaterThanOrEqual(0);
    expect(tried[1]).toBeLessThan(100);
  });

  test('counts its attempts for each retrier alone, and tells the count', async () => {
    const counts: number[] = [];
    const stage = new Stage((payload: { count: number }) => {
      counts.push(payload.count);
      return counts.length === 4 ? returns('done') : raises(counts.length % 2 === 0 ? 'A' : 'B');
    });
    const outcome = await stage.run(
      machine({
        a: task({
          Arguments: { count: '{% $states.context.State.RetryCount %}' },
          Retry: [
            { ErrorEquals: ['A'], MaxAttempts: 1 },
            { ErrorEquals: ['B'], MaxAttempts: 2 },
          ],
        }),
      }),
    );
    expect(outcome).toEqual({ status: 'SUCCEEDED', output: 'done' });
    expect(counts).toEqual([0, 1, 2, 3]);
    expect(stage.service.counters).toEqual({ transitions: 4, invocations: 4, executions: 1 });
  });

  test('is written down with every attempt', async () => {
    let tries = 0;
    const stage = new Stage(() => (++tries === 1 ? raises('Flaky') : returns(1)));
    const executionArn = await stage.start(machine({ a: task({ Retry: [{ ErrorEquals: ['States.ALL'] }] }) }));
    await stage.settle();
    expect(await stage.types(executionArn)).toEqual([
      ...['ExecutionStarted', 'TaskStateEntered'],
      ...['LambdaFunctionScheduled', 'LambdaFunctionStarted', 'LambdaFunctionFailed'],
      ...['LambdaFunctionScheduled', 'LambdaFunctionStarted', 'LambdaFunctionSucceeded'],
      ...['TaskStateExited', 'ExecutionSucceeded'],
    ]);
  });
});

describe('a task that takes too long', () => {
  test('ends in States.Timeout, and its late result changes nothing', async () => {
    const { stage, answers } = held();
    const executionArn = await stage.start(machine({ a: task({ TimeoutSeconds: '{% 5 + 5 %}' }) }));
    await Promise.resolve();
    while (answers.length === 0) await new Promise(setImmediate);
    stage.clock.step();
    answers[0]?.('late');
    await stage.settle();
    expect(seconds(stage.clock.now())).toBe(10);
    expect(await stage.outcome(executionArn)).toEqual({ status: 'FAILED', error: 'States.Timeout' });
    expect((await stage.types(executionArn)).slice(-2)).toEqual(['LambdaFunctionTimedOut', 'ExecutionFailed']);
  });

  test('can be caught as States.Timeout, also for a heartbeat', async () => {
    const { stage } = tokens();
    const outcome = await stage.run(
      machine({
        a: waiting({ HeartbeatSeconds: 5, Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'b' }] }),
        b: { Type: 'Pass' },
      }),
    );
    expect(outcome).toEqual({ status: 'SUCCEEDED', output: { Error: 'States.HeartbeatTimeout' } });
  });

  test('lives on as long as it beats, but not over its timeout', async () => {
    const { stage, given } = tokens();
    const executionArn = await stage.start(machine({ a: waiting({ HeartbeatSeconds: 10, TimeoutSeconds: 25 }) }));
    for (const at of [9, 18]) {
      await stage.activity.idle();
      stage.clock.at(START + at * 1000, () => void stage.call('SendTaskHeartbeat', { taskToken: given[0] }));
      stage.clock.step();
    }
    await stage.settle();
    expect(seconds(stage.clock.now())).toBe(25);
    expect(await stage.outcome(executionArn)).toEqual({ status: 'FAILED', error: 'States.Timeout' });
  });

  test('keeps its timeout when it beats without being asked to', async () => {
    const { stage, given } = tokens();
    const executionArn = await stage.start(machine({ a: waiting({ TimeoutSeconds: 25 }) }));
    await stage.activity.idle();
    await stage.call('SendTaskHeartbeat', { taskToken: given[0] });
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'FAILED', error: 'States.Timeout' });
  });

  test('ends the whole execution when that has a limit', async () => {
    const { stage } = tokens();
    const outcome = await stage.run({ ...machine({ a: waiting() }), TimeoutSeconds: 100 });
    expect(outcome).toEqual({ status: 'TIMED_OUT' });
    expect(seconds(stage.clock.now())).toBe(100);
  });
});

describe('a task token', () => {
  test('carries a result in, through the events that AWS writes', async () => {
    const { stage, given } = tokens();
    const executionArn = await stage.start(machine({ a: waiting() }));
    await stage.activity.idle();
    await stage.call('SendTaskSuccess', { taskToken: given[0], output: '{"n":1}' });
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'SUCCEEDED', output: { n: 1 } });
    expect(await stage.types(executionArn)).toEqual([
      ...['ExecutionStarted', 'TaskStateEntered', 'TaskScheduled', 'TaskStarted', 'TaskSubmitted', 'TaskSucceeded'],
      ...['TaskStateExited', 'ExecutionSucceeded'],
    ]);
  });

  test('may be answered while its function still runs', async () => {
    const stage: Stage = new Stage(async (payload: { token: string }) => {
      await stage.call('SendTaskSuccess', { taskToken: payload.token, output: '"early"' });
      return raises('TooLate');
    });
    expect(await stage.run(machine({ a: waiting() }))).toEqual({ status: 'SUCCEEDED', output: 'early' });
  });

  test('is worth nothing when its function fails', async () => {
    const given: string[] = [];
    const stage = new Stage((payload: { token: string }) => {
      given.push(payload.token);
      return raises('Broken');
    });
    expect(await stage.run(machine({ a: waiting() }))).toMatchObject({ status: 'FAILED', error: 'Broken' });
    const answer = stage.call('SendTaskSuccess', { taskToken: given[0], output: '1' });
    await expect(answer).rejects.toMatchObject({ code: 'TaskTimedOut' });
  });

  test('carries a failure in, with nothing else needed', async () => {
    const { stage, given } = tokens();
    const executionArn = await stage.start(machine({ a: waiting() }));
    await stage.activity.idle();
    await stage.call('SendTaskFailure', { taskToken: given[0], error: 'E', cause: 'why' });
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'FAILED', error: 'E', cause: 'why' });
  });

  test('is new at every retry, and the old one is stale', async () => {
    const { stage, given } = tokens();
    const Retry = [{ ErrorEquals: ['Again'], MaxAttempts: 1 }];
    const executionArn = await stage.start(machine({ a: waiting({ Retry }) }));
    await stage.activity.idle();
    await stage.call('SendTaskFailure', { taskToken: given[0], error: 'Again' });
    await stage.settle();
    expect(new Set(given).size).toBe(2);
    for (const operation of ['SendTaskSuccess', 'SendTaskFailure', 'SendTaskHeartbeat']) {
      const stale = stage.call(operation, { taskToken: given[0], output: '1' });
      await expect(stale).rejects.toMatchObject({ code: 'TaskTimedOut' });
    }
    await stage.call('SendTaskSuccess', { taskToken: given[1], output: '2' });
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'SUCCEEDED', output: 2 });
  });

  test('is taken by one answer only, when two come at once', async () => {
    const { stage, given } = tokens();
    await stage.start(machine({ a: waiting() }));
    await stage.activity.idle();
    const both = [1, 2].map((n) => stage.call('SendTaskSuccess', { taskToken: given[0], output: `${n}` }));
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('cannot be made by anyone else', async () => {
    const { stage, given } = tokens();
    await stage.start(machine({ a: waiting() }));
    await stage.activity.idle();
    const [key = '', id = '', mac = ''] = (given[0] ?? '').split('.');
    const forged = `${key}.${id}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
    const expected = [
      [forged, 'InvalidToken'],
      ['nonsense', 'InvalidToken'],
      [`999999999999.${id}.${mac}`, 'TaskDoesNotExist'],
    ];
    for (const [taskToken, code] of expected) {
      await expect(stage.call('SendTaskSuccess', { taskToken, output: '1' })).rejects.toMatchObject({ code });
    }
  });

  test.each([
    ['no JSON', '{', 'InvalidOutput'],
    ['more than 256 KiB', JSON.stringify('x'.repeat(256 * 1024)), 'ValidationException'],
  ])('refuses an output that is %s', async (_, output, code) => {
    const { stage, given } = tokens();
    await stage.start(machine({ a: waiting() }));
    await stage.activity.idle();
    await expect(stage.call('SendTaskSuccess', { taskToken: given[0], output })).rejects.toMatchObject({ code });
  });
});

test('a function that changes its payload changes nothing else', async () => {
  const stage = new Stage((payload: { list: number[] }) => {
    payload.list.push(4);
    return returns('done');
  });
  const outcome = await stage.run(machine({ a: task({ Output: '{% $states.input %}' }) }), { list: [1] });
  expect(outcome).toEqual({ status: 'SUCCEEDED', output: { list: [1] } });
});

describe('a branch that fails', () => {
  const branches = (fields: object) => ({
    Type: 'Parallel',
    Branches: [
      machine({ waits: waiting() }),
      machine({ nested: { Type: 'Parallel', Branches: [machine({ sleeps: { Type: 'Wait', Seconds: 1000 } })] } }),
      machine({ pause: { Type: 'Wait', Seconds: 1 }, fails: { Type: 'Fail', Error: 'Bad', Cause: 'why' } }),
    ],
    ...fields,
  });

  test('aborts its siblings, whose tokens are stale and whose timers are gone', async () => {
    const { stage, given } = tokens();
    const executionArn = await stage.start(machine({ all: branches({}) }));
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'FAILED', error: 'Bad', cause: 'why' });
    expect(seconds(stage.clock.now())).toBe(1);
    const answer = stage.call('SendTaskSuccess', { taskToken: given[0], output: '1' });
    await expect(answer).rejects.toMatchObject({ code: 'TaskTimedOut' });
    expect((await stage.types(executionArn)).slice(-6)).toEqual([
      ...['FailStateEntered', 'TaskStateAborted', 'WaitStateAborted', 'ParallelStateAborted'],
      ...['ParallelStateFailed', 'ExecutionFailed'],
    ]);
  });

  test('lets the Parallel be tried again as a whole', async () => {
    const { stage, given } = tokens();
    const Retry = [{ ErrorEquals: ['Bad'], MaxAttempts: 1, IntervalSeconds: 10 }];
    const outcome = await stage.run(machine({ all: branches({ Retry }) }));
    expect(outcome).toMatchObject({ status: 'FAILED', error: 'Bad' });
    expect(given).toHaveLength(2);
    expect(seconds(stage.clock.now())).toBe(12);
  });

  test('fails a Map with its iteration, and aborts the others', async () => {
    const stage = new Stage();
    const executionArn = await stage.start(
      machine({
        all: {
          Type: 'Map',
          ItemProcessor: {
            StartAt: 'pick',
            States: {
              pick: {
                Type: 'Choice',
                Choices: [{ Condition: '{% $states.input = 2 %}', Next: 'bad' }],
                Default: 'wait',
              },
              bad: { Type: 'Fail', Error: 'Bad' },
              wait: { Type: 'Wait', Seconds: 5, End: true },
            },
          },
        },
      }),
      [1, 2],
    );
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'FAILED', error: 'Bad' });
    expect((await stage.types(executionArn)).slice(-5)).toEqual([
      ...['MapIterationFailed', 'WaitStateAborted', 'MapIterationAborted', 'MapStateFailed', 'ExecutionFailed'],
    ]);
  });
});

test('a Map keeps to its concurrency, in the order of its items', async () => {
  let running = 0;
  const most: number[] = [];
  const order: number[] = [];
  const stage = new Stage(async (payload: number) => {
    running++;
    most.push(running);
    order.push(payload);
    await Promise.resolve();
    running--;
    return returns(payload);
  });
  const items = Array.from({ length: 20 }, (_, index) => index);
  const processor = machine({ one: task() });
  const outcome = await stage.run(
    machine({ all: { Type: 'Map', ItemProcessor: processor, MaxConcurrency: 3 } }),
    items,
  );
  expect(outcome).toEqual({ status: 'SUCCEEDED', output: items });
  expect(Math.max(...most)).toBeLessThanOrEqual(3);
  expect(order).toEqual(items);
});
