/** How our machines call our functions: plainly, or waiting for somebody to answer the task's token. */
import type { Retrier, State } from './asl.ts';
import { ENDED, ROLLBACK_STOPPED, STILL_RUNNING } from './functions.ts';

const INVOKE = 'arn:aws:states:::lambda:invoke';
const INVOKE_AND_WAIT = 'arn:aws:states:::lambda:invoke.waitForTaskToken';

/** Answers of ours that trying again would not change. */
export const NEVER: Retrier = { ErrorEquals: [ENDED, ROLLBACK_STOPPED, 'States.Timeout'], MaxAttempts: 0 };

/**
 * Every function of ours may run twice, so whatever failed in one is tried again:
 * 1 + 2 + 4 + 8 + 16 + 30 s, about a minute, with full jitter. What lasts longer is left to the sweep.
 */
export const FAULT: Retrier = {
  ErrorEquals: ['States.TaskFailed'],
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 30,
  MaxAttempts: 6,
  JitterStrategy: 'FULL',
};

/** Waits for the last running deploys: every minute at most, for 69 days (100,000 attempts), longer than any deploy may run. */
export const UNTIL_ENDED: Retrier = {
  ErrorEquals: [STILL_RUNNING],
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 60,
  MaxAttempts: 100_000,
};

/** A task that timed out has an error and no cause; an expression that finds nothing would end the execution. */
export const CAUSE = "{% $exists($states.errorOutput.Cause) ? $states.errorOutput.Cause : '' %}";

type Payload = { readonly [key: string]: string | number | boolean };
type TaskState = Extract<State, { Type: 'Task' }>;
type Rest = Omit<TaskState, 'Type' | 'Resource' | 'Arguments' | 'Next' | 'End'>;
type Onward = { readonly Next: string } | { readonly End: true };

/** Calls a function and goes on with its answer, `$states.result.Payload`. */
export function invoke(functionArn: string, payload: Payload, rest: Rest & Onward): State {
  return {
    Type: 'Task',
    Resource: INVOKE,
    Arguments: { FunctionName: functionArn, Payload: payload },
    Retry: [NEVER, FAULT],
    ...rest,
  };
}

/** Calls a function with the task's token and waits until the token is answered. */
export function invokeAndWait(functionArn: string, payload: Payload, rest: Rest & Onward): State {
  const withToken = { ...payload, token: '{% $states.context.Task.Token %}' };
  return {
    Type: 'Task',
    Resource: INVOKE_AND_WAIT,
    Arguments: { FunctionName: functionArn, Payload: withToken },
    Retry: [NEVER, FAULT],
    ...rest,
  };
}
