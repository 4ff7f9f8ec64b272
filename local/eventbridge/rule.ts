import { AwsError } from '../aws-service.ts';

/** A rule of a bus, as `infra/` deploys it: by pattern or by schedule, to functions by name. */
export interface EventRule {
  readonly name: string;
  readonly bus: string;
  readonly pattern?: object;
  /** `rate(5 minutes)`; `cron(...)` is not offered here. */
  readonly schedule?: string;
  readonly targets: readonly RuleTarget[];
}

export interface RuleTarget {
  readonly id: string;
  readonly functionName: string;
}

/** An event as EventBridge hands it to a target. `time` is in whole seconds, `2026-10-12T20:00:00Z`. */
export interface DeliveredEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: unknown;
}

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Milliseconds between two firings of `rate(<n> <unit>)`. @throws AwsError ValidationException for anything else */
export function periodOf(schedule: string): number {
  const [, count, unit, plural] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(schedule) ?? [];
  const length = UNITS[unit ?? ''];
  if (length === undefined || (count === '1') !== (plural === '')) {
    throw new AwsError('ValidationException', 'Parameter ScheduleExpression is not valid.');
  }
  return Number(count) * length;
}

/** An instant as EventBridge writes it. */
export function eventTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
