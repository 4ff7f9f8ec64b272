/**
 * The life of any deploy, one static machine. Its states carry the names that a person looks for in the console. State
 * carries ids and outcomes; the data is in the table.
 *
 * Jobs come one after another, custom steps, waves and probes alike: `configure` and `read-result` say which kind comes
 * next ({@link NextJob}), `run-job` starts it. Input: {@link DeployInput}.
 */
import * as z from 'zod';
import type { Catcher, Definition, State } from './asl.ts';
import { ENDED, type FunctionArns } from './functions.ts';
import { CAUSE, invoke, invokeAndWait } from './tasks.ts';

export const DeployInput = z.object({
  deploy: z.string(),
  /** ISO 8601 instant before which nothing happens; absent when there is none. */
  scheduledAt: z.string().optional(),
  /** Whether it waits by itself for its dependencies. */
  waits: z.boolean(),
  afterTimeoutSeconds: z.number().int(),
  /** How long an approval may take, when its environment asked for one as it was recorded; absent when not. */
  approvalSeconds: z.number().int().optional(),
  /** How long the plugin's own rollback may take. */
  timeoutSeconds: z.number().int(),
  automaticRollback: z.boolean(),
});
export type DeployInput = z.infer<typeof DeployInput>;

/** `job`: the key of it, so that a call that comes late is known for one. */
const Job = { job: z.string(), timeoutSeconds: z.number().int().min(1) };

/** What the machine does next, as `configure` and `read-result` answer it. */
export const NextJob = z.discriminatedUnion('next', [
  z.object({ next: z.enum(['deploy', 'step', 'verify']), ...Job }),
  /** Waits before the next probe. */
  z.object({ next: z.literal('pause'), seconds: z.number().int().min(1), ...Job }),
  z.object({ next: z.enum(['success', 'failed', 'cancelled']) }),
]);
export type NextJob = z.infer<typeof NextJob>;

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
  const rollback = { ...deploy, operation: 'rollback' };
  const job = { ...deploy, operation: 'deploy', job: '{% $job %}' };
  // A choice's own `Assign` holds for that choice alone, the state's for its default.
  const remembered = {
    deploy: '{% $states.input.deploy %}',
    waits: '{% $states.input.waits %}',
    afterTimeoutSeconds: '{% $states.input.afterTimeoutSeconds %}',
    approvalSeconds: '{% $exists($states.input.approvalSeconds) ? $states.input.approvalSeconds : 0 %}',
    rollbackSeconds: '{% $states.input.timeoutSeconds %}',
    automaticRollback: '{% $states.input.automaticRollback %}',
  };
  /** Runs one job; what its end means is in the table. */
  const runs = (step: string): State =>
    invokeAndWait(functions['run-job'], job, {
      TimeoutSeconds: '{% $timeoutSeconds %}',
      Output: {},
      Catch: [ended, caught(step, 'Stop the job')],
      Next: 'Read the result',
    });
  const told = {
    timeoutSeconds: '{% $exists($states.result.Payload.timeoutSeconds) ? $states.result.Payload.timeoutSeconds : 1 %}',
    job: "{% $exists($states.result.Payload.job) ? $states.result.Payload.job : '' %}",
  };
  return {
    Comment: 'renga: the life of one deploy',
    QueryLanguage: 'JSONata',
    StartAt: 'What does it wait for?',
    States: {
      'What does it wait for?': {
        Type: 'Choice',
        Assign: remembered,
        Choices: [
          { Condition: '{% $exists($states.input.scheduledAt) %}', Assign: remembered, Next: 'Wait for its time' },
          { Condition: '{% $states.input.waits %}', Assign: remembered, Next: 'Wait for dependencies' },
          {
            Condition: '{% $exists($states.input.approvalSeconds) %}',
            Assign: remembered,
            Next: 'Wait for approval',
          },
        ],
        Default: 'Wait for its turn',
      },
      // The time has come when the task times out; who cancels it meanwhile answers its token.
      'Wait for its time': invokeAndWait(
        functions['await-time'],
        { deploy: '{% $deploy %}' },
        {
          TimeoutSeconds:
            '{% $max([1, $min([99999999, $ceil(($toMillis($states.input.scheduledAt) - $millis()) / 1000)])]) %}',
          Output: {},
          Catch: [
            ended,
            { ErrorEquals: ['States.Timeout'], Output: {}, Next: 'Has dependencies?' },
            caught('Wait for its time'),
          ],
          Next: 'Has dependencies?',
        },
      ),
      'Has dependencies?': {
        Type: 'Choice',
        Choices: [{ Condition: '{% $waits %}', Next: 'Wait for dependencies' }],
        Default: 'Needs approval?',
      },
      'Wait for dependencies': invokeAndWait(functions['await-dependencies'], deploy, {
        TimeoutSeconds: '{% $afterTimeoutSeconds %}',
        Output: {},
        Catch: [
          ended,
          { ErrorEquals: ['States.Timeout'], Output: {}, Next: 'Look at dependencies once more' },
          caught('Wait for dependencies'),
        ],
        Next: 'Needs approval?',
      }),
      // The last one may have succeeded in time, and its event be lost or late.
      'Look at dependencies once more': invokeAndWait(
        functions['await-dependencies'],
        { ...deploy, timeIsOver: true },
        {
          Output: {},
          Catch: [ended, caught('Look at dependencies once more')],
          Next: 'Needs approval?',
        },
      ),
      'Needs approval?': {
        Type: 'Choice',
        Choices: [{ Condition: '{% $approvalSeconds > 0 %}', Next: 'Wait for approval' }],
        Default: 'Wait for its turn',
      },
      // Who decides whether the time for it is over is the table: the next wait looks there.
      'Wait for approval': invokeAndWait(functions['await-approval'], deploy, {
        TimeoutSeconds: '{% $approvalSeconds %}',
        Output: {},
        Catch: [
          ended,
          { ErrorEquals: ['States.Timeout'], Output: {}, Next: 'Wait for its turn' },
          caught('Wait for approval'),
        ],
        Next: 'Wait for its turn',
      }),
      'Wait for its turn': invokeAndWait(functions['take-turn'], deploy, {
        Output: {},
        Catch: [ended, caught('Wait for its turn')],
        Next: 'Configure',
      }),
      Configure: invoke(functions.configure, deploy, {
        Output: '{% $states.result.Payload %}',
        Assign: told,
        Catch: [ended, caught('Configure')],
        Next: 'What comes next?',
      }),
      'What comes next?': {
        Type: 'Choice',
        Choices: [
          { Condition: "{% $states.input.next = 'deploy' %}", Next: 'Deploy' },
          { Condition: "{% $states.input.next = 'success' %}", Next: 'Conclude' },
          { Condition: "{% $states.input.next = 'step' %}", Next: 'Run a custom step' },
          { Condition: "{% $states.input.next = 'verify' %}", Next: 'Verify' },
          { Condition: "{% $states.input.next = 'pause' %}", Next: 'Pause before the next probe' },
          { Condition: "{% $states.input.next = 'failed' and $automaticRollback %}", Next: 'Roll back' },
        ],
        Default: 'Conclude',
      },
      Deploy: runs('Deploy'),
      'Run a custom step': runs('Run a custom step'),
      Verify: runs('Verify'),
      'Pause before the next probe': { Type: 'Wait', Seconds: '{% $states.input.seconds %}', Next: 'Verify' },
      'Read the result': invoke(functions['read-result'], job, {
        Output: '{% $states.result.Payload %}',
        Assign: told,
        // Answered before its job had ended: what still runs must not go on after the deploy has ended.
        Catch: [ended, caught('Read the result', 'Stop the job')],
        Next: 'What comes next?',
      }),
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
        { ...rollback, failure: '{% $exists($failure) ? $failure : {} %}' },
        {
          TimeoutSeconds: '{% $rollbackSeconds %}',
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
      'Read the rollback': invoke(functions['read-result'], rollback, {
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
