import { describe, expect, test } from 'vitest';
import { sameHistory } from '../../conformance/history.ts';
import { stepFunctions } from '../../conformance/step-functions.ts';

const FUNCTION = 'arn:aws:lambda:us-east-1:111111111111:function:double';
const definition = {
  QueryLanguage: 'JSONata',
  StartAt: 'a',
  States: { a: { Type: 'Task', Resource: FUNCTION, End: true } },
};
const history = (names: string) => names.split(' ').map((type, index) => ({ id: index + 1, prev: index, type }));
const recorded = {
  id: 'double',
  definition,
  input: 2,
  replay: [{ resource: FUNCTION, parameters: 2, result: { output: 4 } }],
  expected: { status: 'SUCCEEDED', output: 4 },
  history: history(
    'ExecutionStarted TaskStateEntered LambdaFunctionScheduled LambdaFunctionStarted LambdaFunctionSucceeded TaskStateExited ExecutionSucceeded',
  ),
  placeholdersInOutcome: false,
};

describe('a recorded execution', () => {
  test.each([
    ['agrees', {}, { verdict: 'agree' }],
    [
      'differs in its outcome',
      { expected: { status: 'SUCCEEDED', output: 5 } },
      { verdict: 'disagree', reason: 'outcome' },
    ],
    ['differs in its history', { history: history('ExecutionStarted') }, { verdict: 'disagree', reason: 'history' }],
    [
      'counts by its status where values are of the day',
      { expected: { status: 'SUCCEEDED', output: 'date' }, placeholdersInOutcome: true },
      { verdict: 'agree' },
    ],
    [
      'is unsupported by name',
      { definition: { ...definition, QueryLanguage: 'JSONPath' } },
      { verdict: 'unsupported', reason: expect.stringContaining('JSONPath') },
    ],
    [
      'is answered as its function is said to behave',
      {
        replay: [],
        lambdas: { double: { behaviour: 'identity: returns the event' } },
        expected: { status: 'SUCCEEDED', output: 2 },
      },
      { verdict: 'agree' },
    ],
  ])('%s', async (_, differing, result) => {
    expect(await stepFunctions({ cases: [{ ...recorded, ...differing }] })).toEqual([
      expect.objectContaining({ id: 'double', ...result }),
    ]);
  });
});

describe('two histories', () => {
  const event = (id: number, prev: number, type: string) => ({ id, prev, type });
  const forked = [event(1, 0, 'start'), event(2, 1, 'left'), event(3, 1, 'right'), event(4, 2, 'left end')];

  test('are the same when only their branches interleave differently', () => {
    const other = [event(1, 0, 'start'), event(2, 1, 'right'), event(3, 1, 'left'), event(4, 3, 'left end')];
    expect(sameHistory(forked, other)).toBe(true);
  });

  test('differ when a branch does', () => {
    const other = [event(1, 0, 'start'), event(2, 1, 'right'), event(3, 1, 'left'), event(4, 2, 'left end')];
    expect(sameHistory(forked, other)).toBe(false);
  });

  test.each([
    ['in any place of their gap', ['b', 'a', 'x'], true],
    ['missing from their gap', ['a', 'x', 'y'], false],
  ])('with events whose place was lost, %s', (_, types, same) => {
    const lost = [event(1, 0, 'start'), event(0, 0, 'a'), event(0, 0, 'b'), event(5, 4, 'end')];
    const actual = ['start', ...types, 'end'].map((type, index) => event(index + 1, index, type));
    expect(sameHistory(lost, actual)).toBe(same);
  });
});
