import type { ExecutionRecord, Outcome } from './executions.ts';
import { type HistoryEvent, rendered } from './history.ts';
import { textOf } from './json.ts';
import { type Request, tokenFor } from './requests.ts';

/** Execution statuses that `ListExecutions` filters by. */
const STATUSES = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE'] as const;

/** The answer of `DescribeExecution`. */
export function describedExecution(record: ExecutionRecord, input: string, { output, error, cause }: Outcome): unknown {
  return {
    ...summary(record),
    ...{ input, inputDetails: { included: true } },
    ...(output === undefined ? {} : { output: textOf(output), outputDetails: { included: true } }),
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
    redriveStatus: 'NOT_REDRIVABLE',
    redriveStatusReason: 'The embedded Step Functions do not redrive executions',
  };
}

/** A page of `ListExecutions`. A token names the last execution before it, so later ones do not shift the pages. */
export function listedExecutions(newestFirst: readonly ExecutionRecord[], request: Request): unknown {
  const status = request.choice('statusFilter', STATUSES);
  const { limit, after = Number.POSITIVE_INFINITY } = request.page();
  const matching = newestFirst.filter(
    (record) => Number(record.key) < after && (status === undefined || record.status === status),
  );
  const last = matching[limit - 1];
  return {
    executions: matching.slice(0, limit).map(summary),
    ...(last !== undefined && matching.length > limit ? { nextToken: tokenFor(Number(last.key)) } : {}),
  };
}

/** A page of `GetExecutionHistory`. */
export function historyPage(history: readonly HistoryEvent[], request: Request): unknown {
  const includeData = request.flag('includeExecutionData', true);
  const reverse = request.flag('reverseOrder', false);
  const { limit, after } = request.page();
  const from = after ?? (reverse ? history.length : 0);
  const part = reverse ? history.slice(Math.max(0, from - limit), from).reverse() : history.slice(from, from + limit);
  const to = reverse ? from - part.length : from + part.length;
  const more = reverse ? to > 0 : to < history.length;
  return { events: part.map((event) => rendered(event, includeData)), ...(more ? { nextToken: tokenFor(to) } : {}) };
}

function summary(record: ExecutionRecord) {
  return {
    ...{ executionArn: record.arn, stateMachineArn: record.machineArn, name: record.name, status: record.status },
    startDate: record.startedAt / 1000,
    ...(record.stoppedAt === undefined ? {} : { stopDate: record.stoppedAt / 1000 }),
    redriveCount: 0,
  };
}
