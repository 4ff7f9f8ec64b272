import { Activity } from '../../../local/activity.ts';
import { VirtualClock } from '../../../local/clock.ts';
import {
  type Journal,
  type LambdaInvoker,
  memoryJournal,
  type StatusChange,
  StepFunctions,
} from '../../../local/stepfunctions/index.ts';

export const START = Date.UTC(2026, 9, 1);
export const ROLE = 'arn:aws:iam::123456789012:role/renga';
export const FUNCTION = 'arn:aws:lambda:eu-south-1:123456789012:function:work';

export type Answer = Awaited<ReturnType<LambdaInvoker['invoke']>>;
export type Handler = (payload: never, functionArn: string) => Answer | Promise<Answer>;

export const returns = (payload: unknown): Answer => ({ ok: true, payload });
export const raises = (errorType: string, errorMessage = 'broken'): Answer => ({ ok: false, errorType, errorMessage });

interface Described {
  readonly status: string;
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
}

export interface Event {
  readonly id: number;
  readonly previousEventId: number;
  readonly type: string;
  readonly timestamp: number;
  readonly [details: string]: unknown;
}

/** Step Functions on a clock that the test drives, with one function behind every ARN. */
export class Stage {
  readonly service: StepFunctions;
  readonly activity = new Activity();
  readonly published: StatusChange[] = [];
  readonly invoked: unknown[] = [];

  constructor(
    handler: Handler = (payload) => returns(payload),
    readonly journal: Journal = memoryJournal(),
    readonly clock: VirtualClock = new VirtualClock(START),
  ) {
    const invoker: LambdaInvoker = {
      invoke: async (functionArn, payload) => {
        this.invoked.push(payload);
        return handler(payload as never, functionArn);
      },
    };
    this.service = new StepFunctions({
      ...{ clock, activity: this.activity, journal, invoker, region: 'eu-south-1', account: '123456789012' },
      publish: (change) => this.published.push(change),
    });
  }

  call<T = Record<string, unknown>>(operation: string, input: unknown): Promise<T> {
    return this.service.call(operation, input) as Promise<T>;
  }

  async create(definition: object, name = 'machine'): Promise<string> {
    const text = JSON.stringify({ QueryLanguage: 'JSONata', ...definition });
    const answer = await this.call<{ stateMachineArn: string }>('CreateStateMachine', {
      ...{ name, definition: text, roleArn: ROLE },
    });
    return answer.stateMachineArn;
  }

  async start(definition: object, input: unknown = {}): Promise<string> {
    const stateMachineArn = await this.create(definition);
    const request = { stateMachineArn, name: 'run', input: JSON.stringify(input) };
    return (await this.call<{ executionArn: string }>('StartExecution', request)).executionArn;
  }

  /** Lets everything happen that needs no more than time. */
  async settle(): Promise<void> {
    do await this.activity.idle();
    while (this.clock.step());
  }

  /** Runs a machine to where only the outside can move it, and tells how it stands. */
  async run(definition: object, input: unknown = {}): Promise<Outcome> {
    const executionArn = await this.start(definition, input);
    await this.settle();
    return this.outcome(executionArn);
  }

  async outcome(executionArn: string): Promise<Outcome> {
    const { status, output, error, cause } = await this.call<Described>('DescribeExecution', { executionArn });
    return {
      status,
      ...(output === undefined ? {} : { output: JSON.parse(output) as unknown }),
      ...(error === undefined ? {} : { error }),
      ...(cause === undefined ? {} : { cause }),
    };
  }

  async history(executionArn: string): Promise<Event[]> {
    const events: Event[] = [];
    let nextToken: string | undefined;
    do {
      const request = { executionArn, maxResults: 1000, ...(nextToken === undefined ? {} : { nextToken }) };
      const page = await this.call<{ events: Event[]; nextToken?: string }>('GetExecutionHistory', request);
      events.push(...page.events);
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
    return events;
  }

  async types(executionArn: string): Promise<string[]> {
    return (await this.history(executionArn)).map(({ type }) => type);
  }
}

export interface Outcome {
  readonly status: string;
  readonly output?: unknown;
  readonly error?: string;
  readonly cause?: string;
}

/** A machine of the given states in a row; the first one starts it. */
export function machine(states: Record<string, object>): object {
  const names = Object.keys(states);
  const linked = names.map((name, index) => {
    const state = states[name] ?? {};
    const terminal = ['Succeed', 'Fail', 'Choice'].includes((state as { Type?: string }).Type ?? '');
    if (terminal || 'Next' in state || 'End' in state) return [name, state];
    const next = names[index + 1];
    return [name, { ...state, ...(next === undefined ? { End: true } : { Next: next }) }];
  });
  return { StartAt: names[0], States: Object.fromEntries(linked) };
}

export const task = (fields: object = {}) => ({ Type: 'Task', Resource: FUNCTION, ...fields });

export const waiting = (fields: object = {}) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Arguments: { FunctionName: 'work', Payload: { token: '{% $states.context.Task.Token %}' } },
  ...fields,
});
