import { describe, expect, test } from 'vitest';
import { type Handler, machine, type Outcome, raises, returns, START, Stage, task } from './stage.ts';

interface Row {
  readonly says: string;
  readonly states: Record<string, object>;
  readonly input?: unknown;
  readonly handler?: Handler;
  readonly outcome: Outcome;
}

const succeeded = (output: unknown): Outcome => ({ status: 'SUCCEEDED', output });
const parallel = (branches: readonly Record<string, object>[], fields: object = {}) => ({
  ...{ Type: 'Parallel', Branches: branches.map(machine), ...fields },
});
const map = (processor: Record<string, object>, fields: object = {}) => ({
  ...{ Type: 'Map', ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, ...machine(processor) }, ...fields },
});
const big = 'x'.repeat(256 * 1024);
const caught = (errors: string[]) => ({ Catch: [{ ErrorEquals: errors, Next: 'caught' }] });
const after = { ok: { Type: 'Pass', Output: 'not caught', End: true }, caught: { Type: 'Pass' } };

const rows: readonly Row[] = [
  { says: 'Pass hands its input on', states: { a: { Type: 'Pass' } }, input: { n: 1 }, outcome: succeeded({ n: 1 }) },
  {
    says: 'Output may hold expressions at any depth',
    states: { a: { Type: 'Pass', Output: { list: [1, '{% $states.input.n + 1 %}'], text: '{% %' } } },
    input: { n: 1 },
    outcome: succeeded({ list: [1, 2], text: '{% %' }),
  },
  {
    says: 'variables hold what was assigned, seen from the next state on',
    states: {
      a: { Type: 'Pass', Assign: { x: 1 } },
      b: { Type: 'Pass', Assign: { x: '{% $x + 1 %}', y: '{% $x %}' } },
      c: { Type: 'Pass', Output: '{% [$x, $y] %}' },
    },
    outcome: succeeded([2, 1]),
  },
  {
    says: 'the context object tells execution, machine and state',
    states: {
      a: {
        Type: 'Pass',
        Output: {
          name: '{% $states.context.Execution.Name %}',
          input: '{% $states.context.Execution.Input.n %}',
          started: '{% $states.context.Execution.StartTime %}',
          machine: '{% $states.context.StateMachine.Name %}',
          state: '{% $states.context.State.Name %}',
          retries: '{% $states.context.State.RetryCount %}',
        },
      },
    },
    input: { n: 7 },
    outcome: succeeded({
      ...{ name: 'run', input: 7, started: new Date(START).toISOString(), machine: 'machine', state: 'a', retries: 0 },
    }),
  },
  {
    says: 'Choice takes the first rule that holds, with its Output and Assign',
    states: {
      a: {
        Type: 'Choice',
        Choices: [
          { Condition: '{% $states.input.n > 5 %}', Next: 'big' },
          { Condition: '{% $states.input.n > 1 %}', Next: 'some', Output: 'from rule', Assign: { v: 3 } },
        ],
        Default: 'big',
      },
      some: { Type: 'Pass', Output: '{% [$states.input, $v] %}', End: true },
      big: { Type: 'Pass' },
    },
    input: { n: 2 },
    outcome: succeeded(['from rule', 3]),
  },
  {
    says: 'a Choice without a way out fails by name',
    states: { a: { Type: 'Choice', Choices: [{ Condition: false, Next: 'b' }] }, b: { Type: 'Pass' } },
    outcome: {
      status: 'FAILED',
      error: 'States.NoChoiceMatched',
      cause: expect.stringContaining("executing the state 'a'") as unknown as string,
    },
  },
  {
    says: 'Fail ends with its error and cause, evaluated',
    states: { a: { Type: 'Fail', Error: 'Bad', Cause: '{% "n was " & $states.input.n %}' } },
    input: { n: 3 },
    outcome: { status: 'FAILED', error: 'Bad', cause: 'n was 3' },
  },
  {
    says: 'Succeed may change the output',
    states: { a: { Type: 'Succeed', Output: { done: true } } },
    outcome: succeeded({ done: true }),
  },
  {
    says: 'a function gets the arguments and gives the result',
    states: { a: task({ Arguments: { n: '{% $states.input.n %}' }, Output: '{% $states.result.n * 2 %}' }) },
    input: { n: 4, other: true },
    outcome: succeeded(8),
  },
  {
    says: 'lambda:invoke wraps the result as AWS does',
    states: {
      a: task({ Resource: 'arn:aws:states:::lambda:invoke', Arguments: { FunctionName: 'work', Payload: { n: 1 } } }),
    },
    outcome: succeeded({ ExecutedVersion: '$LATEST', Payload: { n: 1 }, StatusCode: 200 }),
  },
  {
    says: "a function's error carries its type and message",
    states: { a: task() },
    handler: () => raises('Custom', 'no'),
    outcome: { status: 'FAILED', error: 'Custom', cause: '{"errorMessage":"no","errorType":"Custom"}' },
  },
  {
    says: 'a catcher gets the error output and may assign',
    states: {
      a: task({
        Catch: [
          {
            ErrorEquals: ['Custom'],
            Next: 'b',
            Output: '{% $states.errorOutput.Error & " of " & $states.input.n %}',
            Assign: { e: '{% $states.errorOutput.Error %}' },
          },
        ],
        Next: 'b',
      }),
      b: { Type: 'Pass', Output: '{% [$states.input, $e] %}' },
    },
    input: { n: 1 },
    handler: () => raises('Custom'),
    outcome: succeeded(['Custom of 1', 'Custom']),
  },
  {
    says: 'States.TaskFailed takes any failure of a task',
    states: { a: task({ ...caught(['States.TaskFailed']), Next: 'ok' }), ...after },
    handler: () => raises('Custom', 'no'),
    outcome: succeeded({ Error: 'Custom', Cause: '{"errorMessage":"no","errorType":"Custom"}' }),
  },
  {
    says: 'an evaluation error of a task can be caught',
    states: { a: task({ Arguments: '{% $states.input.nothing %}', ...caught(['States.ALL']), Next: 'ok' }), ...after },
    outcome: succeeded(
      expect.objectContaining({ Error: 'States.QueryEvaluationError' }) as unknown as Record<string, unknown>,
    ),
  },
  {
    says: 'Parallel gives the outputs in the order of its branches',
    states: {
      a: parallel([{ x: { Type: 'Wait', Seconds: 5 }, y: { Type: 'Pass', Output: 'slow' } }, { z: { Type: 'Pass' } }], {
        Arguments: { n: '{% $states.input.n + 1 %}' },
        Output: { both: '{% $states.result %}' },
      }),
    },
    input: { n: 1 },
    outcome: succeeded({ both: ['slow', { n: 2 }] }),
  },
  {
    says: 'a branch reads outer variables, and what it assigns stays inside',
    states: {
      a: { Type: 'Pass', Assign: { outer: 1 } },
      b: parallel([
        { x: { Type: 'Pass', Assign: { inner: '{% $outer + 1 %}' } }, y: { Type: 'Pass', Output: '{% $inner %}' } },
      ]),
      c: { Type: 'Pass', Output: { result: '{% $states.input %}', inner: '{% $exists($inner) %}' } },
    },
    outcome: succeeded({ result: [2], inner: false }),
  },
  {
    says: 'Map runs over its items with their index and value',
    states: {
      a: map(
        { x: { Type: 'Pass', Output: '{% $string($states.context.Map.Item.Index) & $states.input.v %}' } },
        { Items: '{% $states.input.list %}', ItemSelector: { v: '{% $states.context.Map.Item.Value %}' } },
      ),
    },
    input: { list: ['a', 'b', 'c'] },
    outcome: succeeded(['0a', '1b', '2c']),
  },
  {
    says: "a Map's failure is its iteration's, and can be caught",
    states: { a: map({ x: { Type: 'Fail', Error: 'Bad' } }, { ...caught(['Bad']), Next: 'ok' }), ...after },
    input: [1, 2],
    outcome: succeeded({ Error: 'Bad' }),
  },
  {
    says: 'tolerated failures do not fail a Map',
    states: {
      a: map(
        { x: task({ Arguments: '{% $states.input %}' }) },
        { ToleratedFailureCount: 1, Output: '{% $states.result[0] %}' },
      ),
    },
    input: [1, 2],
    handler: (payload: number) => (payload === 2 ? raises('Bad') : returns(payload)),
    outcome: succeeded(1),
  },
  {
    says: 'more failures than tolerated have a name of their own',
    states: { a: map({ x: { Type: 'Fail', Error: 'Bad' } }, { ToleratedFailurePercentage: 50 }) },
    input: [1, 2, 3],
    outcome: {
      ...{ status: 'FAILED', error: 'States.ExceedToleratedFailureThreshold' },
      cause: 'The specified tolerated failure threshold was exceeded',
    },
  },
  {
    says: 'Wait goes on at an instant with an offset',
    states: {
      a: { Type: 'Wait', Timestamp: '2026-10-01T03:00:00+02:00' },
      b: { Type: 'Pass', Output: '{% $now() %}' },
    },
    outcome: succeeded('2026-10-01T01:00:00.000Z'),
  },
  {
    says: 'Wait lasts thirty days',
    states: { a: { Type: 'Wait', Seconds: 30 * 86_400 }, b: { Type: 'Pass', Output: '{% $millis() %}' } },
    outcome: succeeded(START + 30 * 86_400_000),
  },
  {
    says: 'States.ALL does not see that a payload is too large',
    states: { a: task({ ...caught(['States.ALL']), Next: 'ok' }), ...after },
    handler: () => returns(big),
    outcome: {
      ...{ status: 'FAILED', error: 'States.DataLimitExceeded' },
      cause: "The state/task 'a' has a result with a size exceeding the maximum number of bytes service limit.",
    },
  },
  {
    says: 'who names it sees that a payload is too large',
    states: { a: task({ ...caught(['States.DataLimitExceeded']), Next: 'ok' }), ...after },
    handler: () => returns(big),
    outcome: succeeded(expect.objectContaining({ Error: 'States.DataLimitExceeded' }) as unknown),
  },
  {
    says: 'an endless machine ends at 25,000 events',
    states: { a: { Type: 'Pass', Next: 'b' }, b: { Type: 'Pass', Next: 'a' } },
    outcome: {
      ...{ status: 'FAILED', error: 'States.Runtime' },
      cause: 'The execution reached the maximum number of history events (25000).',
    },
  },
];

describe('a machine', () => {
  test.each(rows)('$says', async ({ states, input, handler, outcome }) => {
    expect(await new Stage(handler).run(machine(states), input)).toEqual(outcome);
  });
});
