/** Step Functions as renga uses it: machines for plans, executions by name, and answers to task tokens. */
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import { executionArn } from '../statemachines/names.ts';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED' | 'PENDING_REDRIVE';

export interface MachineSettings {
  readonly roleArn: string;
  /** Where executions are logged; absent where nothing logs (the laptop). */
  readonly logGroupArn?: string | undefined;
  readonly tracing: boolean;
}

/** Step Functions ends an error's cause at 32,768 characters. */
const LONGEST_CAUSE = 32_000;

export class Machines {
  constructor(
    private readonly client: SFNClient,
    private readonly settings: MachineSettings,
  ) {}

  /** Everything beside the definition that makes a machine what it is; part of its name's hash. */
  get fingerprint(): string {
    return JSON.stringify(this.settings);
  }

  /** Creates the machine, or finds the one that is already there under this name; answers its ARN. */
  async ensure(name: string, definition: string): Promise<string> {
    const { roleArn, logGroupArn, tracing } = this.settings;
    const answer = await this.client.send(
      new CreateStateMachineCommand({
        name,
        definition,
        roleArn,
        type: 'STANDARD',
        tracingConfiguration: { enabled: tracing },
        ...(logGroupArn !== undefined && {
          loggingConfiguration: {
            level: 'ERROR',
            includeExecutionData: false,
            destinations: [{ cloudWatchLogsLogGroup: { logGroupArn } }],
          },
        }),
      }),
    );
    if (answer.stateMachineArn === undefined) throw new Error(`Step Functions created ${name} without an ARN`);
    return answer.stateMachineArn;
  }

  /** Starts an execution; false when one of this name exists already, running or closed. */
  async start(machineArn: string, name: string, input: unknown): Promise<boolean> {
    try {
      await this.client.send(
        new StartExecutionCommand({ stateMachineArn: machineArn, name, input: JSON.stringify(input) }),
      );
      return true;
    } catch (error) {
      if (error instanceof ExecutionAlreadyExists) return false;
      throw error;
    }
  }

  /** Status of an execution; undefined when there is none of this name. */
  async status(machineArn: string, name: string): Promise<ExecutionStatus | undefined> {
    try {
      const arn = executionArn(machineArn, name);
      const { status } = await this.client.send(new DescribeExecutionCommand({ executionArn: arn }));
      return status;
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return undefined;
      throw error;
    }
  }

  async stop(machineArn: string, name: string, cause: string): Promise<void> {
    await this.client.send(new StopExecutionCommand({ executionArn: executionArn(machineArn, name), cause }));
  }

  succeed(token: string, output: unknown): Promise<boolean> {
    return answered(() =>
      this.client.send(new SendTaskSuccessCommand({ taskToken: token, output: JSON.stringify(output) })),
    );
  }

  fail(token: string, error: string, cause: string): Promise<boolean> {
    return answered(() =>
      this.client.send(new SendTaskFailureCommand({ taskToken: token, error, cause: cause.slice(0, LONGEST_CAUSE) })),
    );
  }
}

/**
 * A token whose task has been answered, was tried again under a new token, or whose execution is over, is no error: the
 * machine has gone on. False says so.
 */
async function answered(answer: () => Promise<unknown>): Promise<boolean> {
  try {
    await answer();
    return true;
  } catch (error) {
    if (error instanceof TaskTimedOut || error instanceof TaskDoesNotExist || error instanceof InvalidToken)
      return false;
    throw error;
  }
}
