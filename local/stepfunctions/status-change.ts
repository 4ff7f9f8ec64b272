import type { ExecutionRecord, Outcome } from './executions.ts';
import { textOf } from './json.ts';

/** AWS's own event about an execution, `Step Functions Execution Status Change`. Dates in milliseconds. */
export interface StatusChange {
  readonly executionArn: string;
  readonly stateMachineArn: string;
  readonly name: string;
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly startDate: number;
  readonly stopDate: number | null;
  /** JSON text. */
  readonly input: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly cause: string | null;
}

export function statusChange(record: ExecutionRecord, input: string, { output, error, cause }: Outcome): StatusChange {
  return {
    executionArn: record.arn,
    stateMachineArn: record.machineArn,
    name: record.name,
    status: record.status,
    startDate: record.startedAt,
    stopDate: record.stoppedAt ?? null,
    input,
    output: output === undefined ? null : textOf(output),
    error: error ?? null,
    cause: cause ?? null,
  };
}
