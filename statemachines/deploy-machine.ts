/**
 * The life of any deploy, one static machine. Its states carry the names that a person looks for in the console. State
 * carries ids and outcomes; the data is in the table.
 *
 * Input: `{deploy, waits, afterTimeoutSeconds, timeoutSeconds, automaticRollback}`, see {@link DeployInput}.
 */
import * as z from 'zod';
import type { Catcher, Definition } from './asl.ts';
import { ENDED, type FunctionArns } from './functions.ts';
import { CAUSE, invoke, invokeAndWait } from './tasks.ts';

export const DeployInput = z.object({
  deploy: z.string(),
  /** Whether it waits by itself for its dependencies. */
  waits: z.boolean(),
  afterTimeoutSeconds: z.number().int(),
  timeoutSeconds: z.number().int(),
  automaticRollback: z.boolean(),
});
export type DeployInput = z.infer<typeof DeployInput>;

/** Where an unexpected failure goes, with what it was and which step it hit. */
function caught(step: string, next = 'Conclude'): Catcher {
  return {
    ErrorEquals: ['States.ALL'],
    Assign: {
      failure: { step, error: '{% $states.errorOutput.Error %}', cause: CAUSE },
    },
    Next: next,
  };
}

/** The deploy has ended meanwhile (it was cancelled, say): there is nothing to report, only to conclude. */
const ended: Catcher = { ErrorEquals: [ENDED], Next: 'Conclude' };

export function deployMachine(functions: FunctionArns): Definition {
  const deploy = { deploy: '{% $deploy %}' };
  // A choice's own `Assign` holds for that choice alone, the state's for its default.
  const remembered = {
    deploy: '{% $states.input.deploy %}',
    timeoutSeconds: '{% $states.input.timeoutSeconds %}',
    automaticRollback: '{% $states.input.automaticRollback %}',
  };
  const job = (operation: 'deploy' | 'rollback') => ({ ...deploy, operation });
  return {
    Comment: 'renga: the life of one deploy',
    QueryLanguage: 'JSONata',
    StartAt: 'Has dependencies to wait for?',
    States: {
      'Has dependencies to wait for?': {
        Type: 'Choice',
        Assign: remembered,
        Choices: [{ Condition: '{% $states.input.waits %}', Assign: remembered, Next: 'Wait for dependencies' }],
        Default: 'Wait for its turn',
      },
      'Wait for dependencies': invokeAndWait(functions['await-dependencies'], deploy, {
        TimeoutSeconds: '{% $states.input.afterTimeoutSeconds %}',
        Output: {},
        Catch: [ended, caught('Wait for dependencies')],
        Next: 'Wait for its turn',
      }),
      'Wait for its turn': invokeAndWait(functions['take-turn'], deploy, {
        Output: {},
        Catch: [ended, caught('Wait for its turn')],
        Next: 'Configure',
      }),
      Configure: invoke(functions.configure, deploy, {
        Output: {},
        Catch: [ended, caught('Configure')],
        Next: 'Deploy',
      }),
      Deploy: invokeAndWait(functions['run-job'], job('deploy'), {
        TimeoutSeconds: '{% $timeoutSeconds %}',
        Output: {},
        Catch: [ended, caught('Deploy', 'Stop the job')],
        Next: 'Read the result',
      }),
      'Read the result': invoke(functions['read-result'], job('deploy'), {
        Output: { outcome: '{% $states.result.Payload.outcome %}' },
        // Answered before its job had ended: what still runs must not go on after the deploy has ended.
        Catch: [ended, caught('Read the result', 'Stop the job')],
        Next: 'Did it succeed?',
      }),
      'Did it succeed?': {
        Type: 'Choice',
        Choices: [
          { Condition: "{% $states.input.outcome = 'success' %}", Next: 'Conclude' },
          { Condition: "{% $states.input.outcome = 'failed' and $automaticRollback %}", Next: 'Roll back' },
        ],
        Default: 'Conclude',
      },
      'Stop the job': invoke(functions['stop-job'], deploy, {
        Output: {},
        Catch: [caught('Stop the job')],
        Next: 'Roll back after the stop?',
      }),
      'Roll back after the stop?': {
        Type: 'Choice',
        Choices: [{ Condition: '{% $automaticRollback %}', Next: 'Roll back' }],
        Default: 'Conclude',
      },
      'Roll back': invokeAndWait(
        functions['run-job'],
        { ...job('rollback'), failure: '{% $exists($failure) ? $failure : {} %}' },
        {
          TimeoutSeconds: '{% $timeoutSeconds %}',
          Output: {},
          Catch: [ended, caught('Roll back', 'Stop the rollback')],
          Next: 'Read the rollback',
        },
      ),
      // What ran out of time must not go on changing things after the deploy has ended.
      'Stop the rollback': invoke(functions['stop-job'], deploy, {
        Output: {},
        Catch: [caught('Stop the rollback')],
        Next: 'Conclude',
      }),
      'Read the rollback': invoke(functions['read-result'], job('rollback'), {
        Output: {},
        Catch: [ended, caught('Read the rollback', 'Stop the rollback')],
        Next: 'Conclude',
      }),
      Conclude: invoke(
        functions['conclude-deploy'],
        { ...deploy, failure: '{% $exists($failure) ? $failure : {} %}' },
        { Output: '{% $states.result.Payload %}', Next: 'Ended in success?' },
      ),
      'Ended in success?': {
        Type: 'Choice',
        Choices: [{ Condition: "{% $states.input.state = 'SUCCESS' %}", Next: 'Success' }],
        Default: 'No success',
      },
      Success: { Type: 'Succeed' },
      'No success': { Type: 'Fail', Error: '{% $states.input.error %}', Cause: '{% $states.input.cause %}' },
    },
  };
}
