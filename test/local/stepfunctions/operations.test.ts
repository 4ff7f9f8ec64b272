import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../local/clock.ts';
import { memoryJournal } from '../../../local/stepfunctions/index.ts';
import { FUNCTION, machine, ROLE, raises, returns, START, Stage, task, waiting } from './stage.ts';

const pass = machine({ a: { Type: 'Pass' } });
const text = (definition: object) => JSON.stringify({ QueryLanguage: 'JSONata', ...definition });
const refuses = (answer: Promise<unknown>, code: string) => expect(answer).rejects.toMatchObject({ code });
const DAY = 86_400_000;

describe('CreateStateMachine', () => {
  test('answers the same again for the same machine, whatever its role', async () => {
    const stage = new Stage();
    const first = await stage.call('CreateStateMachine', { name: 'm', definition: text(pass), roleArn: ROLE });
    const request = { name: 'm', definition: text(pass), roleArn: `${ROLE}-other` };
    expect(await stage.call('CreateStateMachine', request)).toEqual(first);
    expect(first).toEqual({
      stateMachineArn: 'arn:aws:states:eu-south-1:123456789012:stateMachine:m',
      creationDate: START / 1000,
    });
  });

  test('refuses another definition or logging under the same name', async () => {
    const stage = new Stage();
    await stage.create(pass);
    await refuses(stage.create(machine({ b: { Type: 'Pass' } })), 'StateMachineAlreadyExists');
    const logging = { level: 'ALL' };
    const request = { name: 'machine', definition: text(pass), roleArn: ROLE, loggingConfiguration: logging };
    await refuses(stage.call('CreateStateMachine', request), 'StateMachineAlreadyExists');
  });

  test.each(['', 'a b', 'a/b', 'a:b', 'a*', 'a{', 'a"', 'a\u0007', 'a'.repeat(81)])(
    'refuses the name %j',
    async (name) => {
      await refuses(new Stage().create(pass, name), 'InvalidName');
    },
  );

  test.each([
    ['type', 'EXPRESS'],
    ['publish', true],
    ['encryptionConfiguration', { type: 'AWS_OWNED_KEY' }],
    ['definition', undefined],
    ['definition', 5],
  ])('refuses %s %j', async (member, value) => {
    const request = { name: 'm', definition: text(pass), roleArn: ROLE, [member]: value };
    await refuses(new Stage().call('CreateStateMachine', request), 'ValidationException');
  });

  test('refuses a role that is no ARN of a role', async () => {
    const request = { name: 'm', definition: text(pass), roleArn: 'role' };
    await refuses(new Stage().call('CreateStateMachine', request), 'InvalidArn');
  });
});

describe('a state machine', () => {
  test('is described, listed in pages and found with its tags', async () => {
    const stage = new Stage();
    const tags = [{ key: 'app', value: 'shop' }];
    const request = { name: 'b', definition: text(pass), roleArn: ROLE, tags };
    const { stateMachineArn } = await stage.call('CreateStateMachine', request);
    await stage.create(pass, 'a');
    await stage.create(pass, 'c');
    expect(await stage.call('DescribeStateMachine', { stateMachineArn })).toMatchObject({
      ...{ name: 'b', status: 'ACTIVE', type: 'STANDARD', definition: text(pass), roleArn: ROLE },
      loggingConfiguration: { level: 'OFF', includeExecutionData: false },
    });
    expect(await stage.call('ListTagsForResource', { resourceArn: stateMachineArn })).toEqual({ tags });
    type Page = { stateMachines: { name: string }[]; nextToken?: string };
    const first = await stage.call<Page>('ListStateMachines', { maxResults: 2 });
    const second = await stage.call<Page>('ListStateMachines', { maxResults: 2, nextToken: first.nextToken });
    const names = [first, second].map(({ stateMachines }) => stateMachines.map(({ name }) => name));
    expect([names, second.nextToken]).toEqual([[['a', 'b'], ['c']], undefined]);
  });

  test('is updated for new executions, while running ones keep their definition', async () => {
    const stage = new Stage();
    const before = machine({ wait: { Type: 'Wait', Seconds: 60 }, old: { Type: 'Pass', Output: 'old' } });
    const executionArn = await stage.start(before);
    await stage.activity.idle();
    const stateMachineArn = 'arn:aws:states:eu-south-1:123456789012:stateMachine:machine';
    const update = { stateMachineArn, definition: text(machine({ b: { Type: 'Pass', Output: 'new' } })) };
    const answer = await stage.call('UpdateStateMachine', update);
    expect(answer).toMatchObject({ updateDate: START / 1000, revisionId: expect.any(String) });
    const next = await stage.call<{ executionArn: string }>('StartExecution', { stateMachineArn, name: 'next' });
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'SUCCEEDED', output: 'old' });
    expect(await stage.outcome(next.executionArn)).toEqual({ status: 'SUCCEEDED', output: 'new' });
    const own = await stage.call('DescribeStateMachineForExecution', { executionArn });
    expect(own).toMatchObject({ stateMachineArn, name: 'machine', definition: text(before) });
    await refuses(stage.call('UpdateStateMachine', { stateMachineArn }), 'MissingRequiredParameter');
    await refuses(stage.call('UpdateStateMachine', { stateMachineArn, definition: '{}' }), 'InvalidDefinition');
  });

  test('is deleted once nothing runs on it; what runs ends at its next transition', async () => {
    const stage = new Stage();
    const executionArn = await stage.start(machine({ a: { Type: 'Wait', Seconds: 60 }, b: { Type: 'Pass' } }));
    await stage.activity.idle();
    const stateMachineArn = 'arn:aws:states:eu-south-1:123456789012:stateMachine:machine';
    await stage.call('DeleteStateMachine', { stateMachineArn });
    expect(await stage.call('DescribeStateMachine', { stateMachineArn })).toMatchObject({ status: 'DELETING' });
    await refuses(stage.call('StartExecution', { stateMachineArn }), 'StateMachineDeleting');
    await refuses(stage.create(pass), 'StateMachineDeleting');
    await stage.settle();
    expect(await stage.outcome(executionArn)).toMatchObject({ status: 'ABORTED' });
    await refuses(stage.call('DescribeStateMachine', { stateMachineArn }), 'StateMachineDoesNotExist');
    expect(await stage.call('DeleteStateMachine', { stateMachineArn })).toEqual({});
  });
});

describe('StartExecution', () => {
  const start = (stage: Stage, request: object = {}) =>
    stage.call('StartExecution', {
      ...{ stateMachineArn: 'arn:aws:states:eu-south-1:123456789012:stateMachine:machine', name: 'run', ...request },
    });

  test('is idempotent while the execution runs: same name, same input', async () => {
    const stage = new Stage();
    await stage.create(machine({ a: { Type: 'Wait', Seconds: 60 } }));
    const both = await Promise.all([start(stage, { input: '{"n":1}' }), start(stage, { input: '{"n":1}' })]);
    expect(both[1]).toEqual(both[0]);
    expect(stage.service.counters.executions).toBe(1);
    await refuses(start(stage, { input: '{"n":2}' }), 'ExecutionAlreadyExists');
    await stage.settle();
    await refuses(start(stage, { input: '{"n":1}' }), 'ExecutionAlreadyExists');
  });

  test('takes a name again ninety days after its execution closed', async () => {
    const stage = new Stage();
    const executionArn = await stage.start(pass, { n: 1 });
    await stage.settle();
    stage.clock.at(START + 90 * DAY, () => {});
    await stage.settle();
    await refuses(start(stage), 'ExecutionAlreadyExists');
    stage.clock.at(START + 90 * DAY + 1, () => {});
    await stage.settle();
    await start(stage, { input: '{"n":2}' });
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'SUCCEEDED', output: { n: 2 } });
  });

  test('forgets what closed more than ninety days ago when it starts again', async () => {
    const journal = memoryJournal();
    const first = new Stage(undefined, journal);
    const executionArn = await first.start(pass);
    await first.settle();
    const stateMachineArn = 'arn:aws:states:eu-south-1:123456789012:stateMachine:machine';
    await first.call('UpdateStateMachine', { stateMachineArn, definition: text(machine({ b: { Type: 'Succeed' } })) });
    expect(await journal.keys('definition/')).toHaveLength(2);
    first.service.kill();
    const second = new Stage(undefined, journal, new VirtualClock(START + 91 * DAY));
    await second.service.resume();
    await refuses(second.outcome(executionArn), 'ExecutionDoesNotExist');
    expect(await journal.keys('definition/')).toHaveLength(1);
    expect(await journal.read('happening/')).toEqual([]);
  });

  test.each([
    ['no JSON', { input: '{' }, 'InvalidExecutionInput'],
    ['too much', { input: JSON.stringify('x'.repeat(256 * 1024 - 1)) }, 'ValidationException'],
    ['a bad name', { name: 'a b' }, 'InvalidName'],
    ['no ARN', { stateMachineArn: 'machine' }, 'InvalidArn'],
    [
      'an unknown machine',
      { stateMachineArn: 'arn:aws:states:eu-south-1:123456789012:stateMachine:none' },
      'StateMachineDoesNotExist',
    ],
  ])('refuses %s', async (_, request, code) => {
    const stage = new Stage();
    await stage.create(pass);
    await refuses(start(stage, request), code);
    const stateMachineArn = 'arn:aws:states:eu-south-1:123456789012:stateMachine:machine';
    expect(await stage.call('ListExecutions', { stateMachineArn })).toEqual({ executions: [] });
  });

  test('takes an input of exactly 256 KiB', async () => {
    const stage = new Stage();
    const stateMachineArn = await stage.create(pass);
    const input = JSON.stringify('x'.repeat(256 * 1024 - 2));
    const { executionArn } = await stage.call<{ executionArn: string }>('StartExecution', { stateMachineArn, input });
    await stage.settle();
    expect(await stage.outcome(executionArn)).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('an execution', () => {
  test('is stopped with an error and a cause, once', async () => {
    const stage = new Stage();
    const executionArn = await stage.start(machine({ a: { Type: 'Wait', Seconds: 60 } }));
    await stage.activity.idle();
    await stage.call('StopExecution', { executionArn, error: 'E', cause: 'because' });
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'ABORTED', error: 'E', cause: 'because' });
    expect(stage.clock.now()).toBe(START);
    await stage.call('StopExecution', { executionArn, error: 'again' });
    await stage.settle();
    expect(await stage.outcome(executionArn)).toEqual({ status: 'ABORTED', error: 'E', cause: 'because' });
    expect((await stage.types(executionArn)).at(-1)).toBe('ExecutionAborted');
  });

  test('is listed newest first, by status, in pages', async () => {
    const stage = new Stage((payload: number) => (payload === 2 ? raises('Bad') : returns(1)));
    const stateMachineArn = await stage.create(machine({ a: task() }));
    for (const n of [1, 2, 3]) {
      await stage.call('StartExecution', { stateMachineArn, name: `run-${n}`, input: `${n}` });
    }
    await stage.settle();
    type Page = { executions: { name: string; status: string }[]; nextToken?: string };
    const list = async (request: object): Promise<string[]> => {
      const page = await stage.call<Page>('ListExecutions', { stateMachineArn, ...request });
      const names = page.executions.map(({ name, status }) => `${name} ${status}`);
      return page.nextToken === undefined
        ? names
        : [...names, ...(await list({ ...request, nextToken: page.nextToken }))];
    };
    expect(await list({ maxResults: 2 })).toEqual(['run-3 SUCCEEDED', 'run-2 FAILED', 'run-1 SUCCEEDED']);
    expect(await list({ statusFilter: 'FAILED' })).toEqual(['run-2 FAILED']);
    await refuses(list({ nextToken: 'x' }), 'InvalidToken');
    await refuses(list({ statusFilter: 'DONE' }), 'ValidationException');
  });

  test('tells its history forwards, backwards, in pages and without data', async () => {
    const stage = new Stage();
    const executionArn = await stage.start(machine({ a: task({ Arguments: { n: 1 } }) }), { secret: true });
    await stage.settle();
    const events = await stage.history(executionArn);
    expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(events.map(({ previousEventId }) => previousEventId)).toEqual([0, 0, 2, 3, 4, 5, 6]);
    expect(events[2]).toEqual({
      ...{ id: 3, previousEventId: 2, type: 'LambdaFunctionScheduled', timestamp: START / 1000 },
      lambdaFunctionScheduledEventDetails: { resource: FUNCTION, input: '{"n":1}', inputDetails: { truncated: false } },
    });
    type Page = { events: { id: number }[]; nextToken?: string };
    const request = { executionArn, reverseOrder: true, maxResults: 5 };
    const last = await stage.call<Page>('GetExecutionHistory', request);
    const rest = await stage.call<Page>('GetExecutionHistory', { ...request, nextToken: last.nextToken });
    expect([...last.events, ...rest.events].map(({ id }) => id)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(rest.nextToken).toBeUndefined();
    const bare = await stage.call('GetExecutionHistory', { executionArn, includeExecutionData: false });
    expect(JSON.stringify(bare)).not.toContain('secret');
  });

  test('publishes that it runs and how it ended', async () => {
    const stage = new Stage(() => raises('Bad', 'no'));
    const executionArn = await stage.start(machine({ a: { Type: 'Wait', Seconds: 5 }, b: task() }), { n: 1 });
    await stage.settle();
    const common = { executionArn, name: 'run', startDate: START, input: '{"n":1}', output: null };
    expect(stage.published).toMatchObject([
      { ...common, status: 'RUNNING', stopDate: null, error: null, cause: null },
      { ...common, status: 'FAILED', stopDate: START + 5000, error: 'Bad', cause: expect.stringContaining('no') },
    ]);
  });

  test.each(['DescribeExecution', 'StopExecution', 'GetExecutionHistory', 'DescribeStateMachineForExecution'])(
    'that nobody started is no %s',
    async (operation) => {
      const executionArn = 'arn:aws:states:eu-south-1:123456789012:execution:machine:none';
      await refuses(new Stage().call(operation, { executionArn }), 'ExecutionDoesNotExist');
    },
  );
});

test('an operation that is not supported is refused by name', async () => {
  await refuses(new Stage().call('RedriveExecution', {}), 'UnknownOperationException');
  await refuses(new Stage().call('toString', {}), 'UnknownOperationException');
});

test('a wait of thirty days is chained behind another on the same clock', async () => {
  const stage = new Stage();
  const wait = { Type: 'Wait', Seconds: 30 * 86_400 };
  const executionArn = await stage.start(machine({ a: wait, b: wait, c: waiting({ TimeoutSeconds: 30 * 86_400 }) }));
  await stage.settle();
  expect(await stage.outcome(executionArn)).toEqual({ status: 'FAILED', error: 'States.Timeout' });
  expect(stage.clock.now()).toBe(START + 90 * DAY);
});
