/**
 * A plan, compiled: record the deploys, then the layers, then (when the policy says so) the rollbacks one by one, then
 * the conclusion. The definition holds names and order only, so that releases with the same plan share a machine.
 *
 * A failure is data until its layer has ended: every branch catches, so no sibling is cut off (I6). What a failure means
 * for deploys that have not started is decided when it happens, in the table; the `Choice` only selects what comes next.
 *
 * Input: {@link ReleaseInput}.
 */
import * as z from 'zod';
import type { OnFailure } from '../core/documents/release.ts';
import type { Plan } from '../core/plan/plan.ts';
import type { Branch, Catcher, Definition, State } from './asl.ts';
import { ENDED, type FunctionArns } from './functions.ts';
import { CAUSE, FAULT, invoke, invokeAndWait, NEVER, UNTIL_ENDED } from './tasks.ts';

export const ReleaseInput = z.object({
  release: z.string(),
  attempt: z.number().int(),
  /** Place in the plan from which deploys are still to be recorded. */
  cursor: z.number().int(),
});
export type ReleaseInput = z.infer<typeof ReleaseInput>;

/** Deploys that one invocation records. */
export const RECORDED_AT_ONCE = 100;

const OF_RELEASE = { release: '{% $release %}', attempt: '{% $attempt %}' };
/**
 * ARNs that stand in every branch are variables, set once: a definition ends at 1 MB, and an ARN takes a hundred bytes.
 */
const FUNCTIONS = { start: '{% $startDeploy %}', lost: '{% $concludeDeploy %}' };
const FAILED = { failed: true };
const SUCCEEDED = { failed: false };

/** Something that no answer of ours explains: the conclusion is told, and stops what has not started. */
const broken: Catcher = {
  ErrorEquals: ['States.ALL'],
  Assign: { broken: { error: '{% $states.errorOutput.Error %}', cause: CAUSE } },
  Next: 'Conclude',
};

export function releaseMachine(plan: Plan, onFailure: OnFailure, functions: FunctionArns): Definition {
  const steps = (plan.start === 'eager' ? [plan.layers.flat()] : plan.layers).map((step) =>
    step.map(({ name }) => name),
  );
  const title = (step: number) => (plan.start === 'eager' ? 'Every deploy' : `Layer ${step + 1}`);
  const first = (step: number) => {
    const [name, ...others] = steps[step] ?? [];
    return name === undefined || others.length > 0 ? title(step) : name;
  };
  const afterFailure = onFailure === 'rollback' ? 'Plan the rollback' : 'Conclude';

  const layers: Record<string, State> = {};
  steps.forEach((names, index) => {
    const question = `${title(index)}: did it succeed?`;
    const next = index + 1 < steps.length ? first(index + 1) : 'Conclude';
    const judged = onFailure === 'continue' || (next === 'Conclude' && onFailure === 'stop') ? next : question;
    const [only, ...others] = names;
    if (only !== undefined && others.length === 0) {
      // One deploy needs no `Parallel` around it: a long chain stays small.
      Object.assign(layers, deployStates(only, { failed: judged, succeeded: { Next: judged } }));
    } else {
      layers[title(index)] = {
        Type: 'Parallel',
        Branches: names.map((name) => branch(name)),
        Output: { failed: '{% true in $states.result.failed %}' },
        Next: judged,
      };
    }
    if (judged === question) {
      layers[question] = {
        Type: 'Choice',
        Choices: [{ Condition: '{% $states.input.failed %}', Next: afterFailure }],
        Default: next,
      };
    }
  });

  return {
    Comment: `renga: a release of ${plan.deploys.length} deploys`,
    QueryLanguage: 'JSONata',
    StartAt: 'Record the deploys',
    States: {
      'Record the deploys': invoke(
        functions['record-deploys'],
        {
          release: '{% $states.input.release %}',
          attempt: '{% $states.input.attempt %}',
          cursor: '{% $states.input.cursor %}',
        },
        {
          Assign: {
            release: '{% $states.input.release %}',
            attempt: '{% $states.input.attempt %}',
            startDeploy: functions['start-deploy'],
            concludeDeploy: functions['conclude-deploy'],
          },
          Output: '{% $states.result.Payload %}',
          Catch: [
            {
              ...broken,
              Assign: {
                ...broken.Assign,
                release: '{% $states.input.release %}',
                attempt: '{% $states.input.attempt %}',
              },
            },
          ],
          Next: 'Are all recorded?',
        },
      ),
      'Are all recorded?': {
        Type: 'Choice',
        Choices: [
          { Condition: "{% $states.input.recorded = 'some' %}", Next: 'Record the deploys' },
          { Condition: "{% $states.input.recorded = 'refused' %}", Next: 'Conclude' },
        ],
        Default: first(0),
      },
      ...layers,
      ...(onFailure === 'rollback' ? rollback(functions) : {}),
      Conclude: invoke(
        functions['conclude-release'],
        { ...OF_RELEASE, broken: '{% $exists($broken) ? $broken : {} %}' },
        { Retry: [UNTIL_ENDED, NEVER, FAULT], Output: '{% $states.result.Payload %}', Next: 'Ended in success?' },
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

function branch(name: string): Branch {
  const ended = `${name} ended`;
  return {
    StartAt: name,
    States: {
      ...deployStates(name, { failed: ended, succeeded: { End: true } }),
      [ended]: { Type: 'Pass', End: true },
    },
  };
}

/** The states of one deploy: it starts and waits for its end, which is data whatever it was. */
function deployStates(
  name: string,
  onward: { readonly failed: string; readonly succeeded: { readonly Next: string } | { readonly End: true } },
): Record<string, State> {
  const lost = `${name} lost`;
  return {
    [name]: invokeAndWait(
      FUNCTIONS.start,
      { ...OF_RELEASE, name },
      {
        Output: SUCCEEDED,
        Catch: [
          { ErrorEquals: [ENDED], Output: FAILED, Next: onward.failed },
          {
            ErrorEquals: ['States.ALL'],
            Output: { error: '{% $states.errorOutput.Error %}', cause: CAUSE },
            Next: lost,
          },
        ],
        ...onward.succeeded,
      },
    ),
    // Its function could not be run at all: the deploy is concluded, since nothing will start it.
    [lost]: invoke(
      FUNCTIONS.lost,
      { ...OF_RELEASE, name, error: '{% $states.input.error %}', cause: '{% $states.input.cause %}' },
      { Retry: [FAULT], Output: FAILED, Next: onward.failed },
    ),
  };
}

function rollback(functions: FunctionArns): Record<string, State> {
  return {
    'Plan the rollback': invoke(functions['plan-rollback'], OF_RELEASE, {
      Output: { names: '{% $states.result.Payload.names %}' },
      Catch: [broken],
      Next: 'Roll back',
    }),
    'Roll back': {
      Type: 'Map',
      Comment: 'One at a time, most dependent first; the first that does not succeed stops the rest.',
      Items: '{% $states.input.names %}',
      MaxConcurrency: 1,
      ItemProcessor: {
        ProcessorConfig: { Mode: 'INLINE' },
        StartAt: 'Roll back one deploy',
        States: {
          'Roll back one deploy': invokeAndWait(
            functions['start-rollback'],
            { ...OF_RELEASE, name: '{% $states.input %}' },
            { Output: {}, End: true },
          ),
        },
      },
      Output: {},
      Catch: [{ ErrorEquals: ['States.ALL'], Output: {}, Next: 'Conclude' }],
      Next: 'Conclude',
    },
  };
}
