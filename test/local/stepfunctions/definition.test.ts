import { describe, expect, test } from 'vitest';
import { parseMachine } from '../../../local/stepfunctions/index.ts';
import { FUNCTION, machine, Stage, task } from './stage.ts';

const pass = { Type: 'Pass', End: true };
const one = (state: object) => ({ StartAt: 'a', States: { a: state } });
const map = (fields: object) => one({ Type: 'Map', End: true, ItemProcessor: one(pass), ...fields });

/** Definitions that are not run here, and the name that the refusal must say. */
const refused: readonly (readonly [named: string, definition: object])[] = [
  ['JSONPath', { ...one(pass), QueryLanguage: 'JSONPath' }],
  ['JSONPath, the default', { ...one(pass), QueryLanguage: undefined }],
  ['JSONPath', one({ ...pass, QueryLanguage: 'JSONPath' })],
  ...['InputPath', 'OutputPath', 'ResultPath', 'Parameters', 'Result'].map(
    (field) => [`${field} belongs to JSONPath`, one({ ...pass, [field]: '$' })] as const,
  ),
  ['ResultSelector belongs to JSONPath', one(task({ ResultSelector: {}, End: true }))],
  ['"Activity"', one({ Type: 'Activity', End: true })],
  ['state type undefined', one({ End: true })],
  ...[
    'arn:aws:states:::lambda:invoke.sync',
    'arn:aws:states:::states:startExecution.sync:2',
    'arn:aws:states:::dynamodb:putItem',
    'arn:aws:states:::aws-sdk:s3:listBuckets',
    'arn:aws:states:eu-south-1:123456789012:activity:work',
  ].map((resource) => [`resource ${resource}`, one(task({ Resource: resource, End: true }))] as const),
  ['Credentials', one(task({ Credentials: {}, End: true }))],
  [
    'InvocationType',
    one(
      task({
        ...{ Resource: 'arn:aws:states:::lambda:invoke', End: true },
        Arguments: { FunctionName: 'f', InvocationType: 'Event' },
      }),
    ),
  ],
  ['FunctionName', one(task({ Resource: 'arn:aws:states:::lambda:invoke', Arguments: { Payload: 1 }, End: true }))],
  ['mode DISTRIBUTED', map({ ItemProcessor: { ...one(pass), ProcessorConfig: { Mode: 'DISTRIBUTED' } } })],
  ...['ItemReader', 'ItemBatcher', 'ResultWriter', 'Iterator', 'Label'].map(
    (field) => [`The field ${field}`, map({ [field]: {} })] as const,
  ),
  ['SecondsPath', one({ Type: 'Wait', SecondsPath: '$.s', End: true })],
  ['$eval', one({ ...pass, Output: "{% $eval('1') %}" })],
  ['$eval', one({ ...pass, Output: '{% $map([1], $eval) %}' })],
  ["'1 +' of 'Output/x' is not valid", one({ ...pass, Output: { x: '{% 1 + %}' } })],
  ['no state nowhere', one({ Type: 'Pass', Next: 'nowhere' })],
  ['no state nowhere', { StartAt: 'nowhere', States: { a: pass } }],
  ['no state nowhere', one(task({ End: true, Catch: [{ ErrorEquals: ['States.ALL'], Next: 'nowhere' }] }))],
  ['no state nowhere', one({ Type: 'Choice', Choices: [{ Condition: true, Next: 'nowhere' }] })],
  ['either Next or End', one({ Type: 'Pass' })],
  ['either Next or End', one({ Type: 'Pass', Next: 'a', End: true })],
  ['name a is used twice', one({ Type: 'Parallel', Branches: [one(pass)], End: true })],
  ['1 to 80 characters', { StartAt: 'a'.repeat(81), States: { ['a'.repeat(81)]: pass } }],
  ['States.ALL must stand alone', one(task({ End: true, Retry: [{ ErrorEquals: ['States.ALL', 'X'] }] }))],
  ['BackoffRate', one(task({ End: true, Retry: [{ ErrorEquals: ['X'], BackoffRate: 0.5 }] }))],
  ['IntervalSeconds', one(task({ End: true, Retry: [{ ErrorEquals: ['X'], IntervalSeconds: 0 }] }))],
  ['TimeoutSeconds must be an integer', one(task({ End: true, TimeoutSeconds: 0 }))],
  ['HeartbeatSeconds must be smaller', one(task({ End: true, TimeoutSeconds: 5, HeartbeatSeconds: 5 }))],
  ['states is no name', one({ ...pass, Assign: { states: 1 } })],
  ['9x is no name', one({ ...pass, Assign: { '9x': 1 } })],
  ['Assign', one({ Type: 'Succeed', Assign: { x: 1 } })],
  ['Retry', one({ ...pass, Retry: [] })],
  [
    'variable x belongs to an outer scope',
    machine({
      set: { Type: 'Pass', Assign: { x: 1 } },
      all: { Type: 'Parallel', Branches: [one({ ...pass, Assign: { x: 2 } })] },
    }),
  ],
  ['larger than 1048576 bytes', one({ ...pass, Output: 'x'.repeat(1024 * 1024) })],
];

describe('a definition that is not run here is refused by name', () => {
  test.each(refused.map(([named, definition]) => ({ named, definition })))('$named', async ({ named, definition }) => {
    const stage = new Stage();
    const creation = stage.create(definition);
    await expect(creation).rejects.toMatchObject({ code: 'InvalidDefinition' });
    await expect(creation).rejects.toThrow(named);
    expect(await stage.call('ListStateMachines', {})).toEqual({ stateMachines: [] });
  });

  test.each(['', '{', '[]', 'null', '"x"'])('no object: %s', (text) => {
    expect(parseMachine(text)).toMatchObject({ ok: false, diagnostics: [{ code: 'INVALID_JSON_DESCRIPTION' }] });
  });
});

test('every problem is reported at once, each with its place', async () => {
  const states = { a: { Type: 'Pass', Next: 'b', InputPath: '$' }, 'c/d': { Type: 'Task', Resource: 'x', End: true } };
  const definition = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'a', States: states });
  expect(await new Stage().call('ValidateStateMachineDefinition', { definition })).toMatchObject({
    result: 'FAIL',
    truncated: false,
    diagnostics: [
      { severity: 'ERROR', code: 'UNSUPPORTED', location: '/States/a/InputPath' },
      { severity: 'ERROR', code: 'UNSUPPORTED', location: '/States/c~1d/Resource' },
      { severity: 'ERROR', code: 'SCHEMA_VALIDATION_FAILED', location: '/States/c~1d/Arguments' },
      { severity: 'ERROR', code: 'MISSING_TRANSITION_TARGET', location: '/States/a/Next' },
    ],
  });
});

test('a definition that runs here is validated without a diagnostic', async () => {
  const definition = JSON.stringify({ QueryLanguage: 'JSONata', ...machine({ a: task({ Resource: FUNCTION }) }) });
  const answer = await new Stage().call('ValidateStateMachineDefinition', { definition });
  expect(answer).toEqual({ result: 'OK', diagnostics: [], truncated: false });
});

test('an inner scope may use a name that its outer scope sets only later', () => {
  const definition = machine({
    all: {
      ...{ Type: 'Parallel', Branches: [one({ ...pass, Assign: { x: 2 } })] },
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'end', Assign: { x: 1 } }],
    },
    end: { Type: 'Succeed' },
  });
  expect(parseMachine(JSON.stringify({ QueryLanguage: 'JSONata', ...definition }))).toMatchObject({ ok: true });
});
