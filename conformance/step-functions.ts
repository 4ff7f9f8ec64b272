import { isDeepStrictEqual } from 'node:util';
import { Activity } from '../local/activity.ts';
import { AwsError } from '../local/aws-service.ts';
import { VirtualClock } from '../local/clock.ts';
import { type LambdaInvoker, memoryJournal, StepFunctions } from '../local/stepfunctions/index.ts';
import { type RecordedEvent, sameHistory } from './history.ts';
import type { CaseResult } from './result.ts';

/** One recorded execution of a state machine. */
interface Case {
  readonly id: string;
  readonly definition: unknown;
  readonly input: unknown;
  readonly lambdas?: Readonly<Record<string, { readonly behaviour: string }>>;
  readonly replay?: readonly Recorded[];
  readonly expected: {
    readonly status: string;
    readonly output?: unknown;
    readonly error?: string;
    readonly cause?: string;
  };
  readonly history: readonly RecordedEvent[];
  /** The recorded outcome holds stand-ins for values of the day: only the status counts. */
  readonly placeholdersInOutcome: boolean;
}

interface Recorded {
  readonly resource: string;
  readonly resourceType?: string;
  readonly parameters: unknown;
  readonly result?: {
    readonly output?: unknown;
    readonly error?: string;
    readonly cause?: { readonly errorMessage?: string } | string;
  };
}

const REGION = 'us-east-1';
const ACCOUNT = '111111111111';
const ROLE = `arn:aws:iam::${ACCOUNT}:role/conformance`;
const START = Date.UTC(2026, 0, 1);
/** Timers that a recorded execution may need before it counts as stuck. */
const TIMERS = 1000;

/** Runs every recorded execution on the embedded Step Functions; the recorded results answer its tasks. */
export async function stepFunctions(file: { cases: readonly unknown[] }): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const each of file.cases) results.push(await compare(each as Case));
  return results;
}

async function compare(recorded: Case): Promise<CaseResult> {
  const { id, expected } = recorded;
  try {
    const { outcome, events } = await execute(recorded);
    const wanted = recorded.placeholdersInOutcome ? { status: expected.status } : expected;
    const actual = recorded.placeholdersInOutcome ? { status: outcome.status } : outcome;
    if (!isDeepStrictEqual(actual, wanted))
      return { id, verdict: 'disagree', expected: wanted, actual, reason: 'outcome' };
    if (sameHistory(recorded.history, events)) return { id, verdict: 'agree' };
    const types = (history: readonly RecordedEvent[]) => history.map(({ type }) => type).join(' ');
    return { id, verdict: 'disagree', expected: types(recorded.history), actual: types(events), reason: 'history' };
  } catch (error) {
    if (!(error instanceof AwsError) || error.code !== 'InvalidDefinition') throw error;
    return { id, verdict: 'unsupported', reason: error.message };
  }
}

async function execute(recorded: Case): Promise<{ outcome: Case['expected']; events: RecordedEvent[] }> {
  const clock = new VirtualClock(START);
  const activity = new Activity();
  const invoker = answering(recorded);
  const service = new StepFunctions({
    ...{ clock, activity, invoker, journal: memoryJournal(), region: REGION, account: ACCOUNT },
  });
  const definition = JSON.stringify(recorded.definition);
  const machine = await service.call('CreateStateMachine', { name: 'recorded', definition, roleArn: ROLE });
  const { stateMachineArn } = machine as { stateMachineArn: string };
  const input = JSON.stringify(recorded.input);
  const started = (await service.call('StartExecution', { stateMachineArn, input })) as { executionArn: string };
  for (let timer = 0; timer < TIMERS; timer++) {
    await activity.idle();
    if (!clock.step()) break;
  }
  const { executionArn } = started;
  const described = (await service.call('DescribeExecution', { executionArn })) as Record<string, string>;
  const { status = '', output, error, cause } = described;
  const answer = await service.call('GetExecutionHistory', { executionArn, maxResults: 1000 });
  const { events } = answer as { events: { id: number; previousEventId: number; type: string }[] };
  return {
    outcome: {
      ...{ status, ...(output === undefined ? {} : { output: JSON.parse(output) as unknown }) },
      ...(error === undefined ? {} : { error }),
      ...(cause === undefined ? {} : { cause }),
    },
    events: events.map(({ id, previousEventId, type }) => ({ id, prev: previousEventId, type })),
  };
}

/** Answers each invocation with the next recorded result of the same call, else as the function is said to behave. */
function answering({ replay = [], lambdas = {} }: Case): LambdaInvoker {
  const left = [...replay];
  return {
    async invoke(functionArn, payload) {
      const index = left.findIndex(
        (call) => call.result !== undefined && isDeepStrictEqual(calledBy(call), { functionArn, payload }),
      );
      const [call] = index < 0 ? [] : left.splice(index, 1);
      if (call?.result !== undefined) return answerOf(call, call.result);
      const name = functionArn.split(':').at(-1) ?? '';
      return behaving(lambdas[name]?.behaviour ?? '', payload);
    },
  };
}

function calledBy({ resource, resourceType, parameters }: Recorded): { functionArn: unknown; payload: unknown } {
  if (resourceType === undefined) return { functionArn: resource, payload: parameters };
  const { FunctionName, Payload = {} } = parameters as { FunctionName?: unknown; Payload?: unknown };
  return { functionArn: FunctionName, payload: Payload };
}

type Answer = Awaited<ReturnType<LambdaInvoker['invoke']>>;

function answerOf({ resourceType }: Recorded, { output, error, cause }: NonNullable<Recorded['result']>): Answer {
  if (error !== undefined) {
    const errorMessage = typeof cause === 'string' ? cause : (cause?.errorMessage ?? '');
    return { ok: false, errorType: error, errorMessage };
  }
  return { ok: true, payload: resourceType === undefined ? output : (output as { Payload?: unknown }).Payload };
}

function behaving(behaviour: string, payload: unknown): Answer {
  const [, errorType, errorMessage] = /^raises (\w+)\("(.*)"\)$/.exec(behaviour) ?? [];
  if (errorType !== undefined && errorMessage !== undefined) return { ok: false, errorType, errorMessage };
  if (behaviour.startsWith('identity')) return { ok: true, payload };
  throw new Error(`no recorded result and no behaviour for ${JSON.stringify(payload)}`);
}
