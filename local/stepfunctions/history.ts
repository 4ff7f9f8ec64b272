import { type Json, type JsonObject, textOf } from './json.ts';

/** Events of an execution's history, AWS's quota: the last one is the execution's end. */
export const HISTORY_EVENTS = 25_000;

/** One event as the runtime keeps it: payloads stay values, and are written out only when somebody reads them. */
export interface HistoryEvent {
  readonly id: number;
  readonly previousEventId: number;
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly details?: EventDetails;
}

export interface EventDetails {
  /** Members that are written as they are; undefined ones are left out. */
  readonly plain?: Readonly<Record<string, Json | undefined>>;
  readonly payload?: { readonly field: 'input' | 'output' | 'parameters'; readonly value: Json };
  readonly assigned?: Readonly<Record<string, Json>>;
}

/** The event as `GetExecutionHistory` answers it. */
export function rendered(event: HistoryEvent, includeData: boolean): JsonObject {
  const { id, previousEventId, type, at, details } = event;
  const head = { timestamp: at / 1000, type, id, previousEventId };
  return details === undefined ? head : { ...head, [detailsKey(type)]: renderedDetails(details, includeData) };
}

function detailsKey(type: string): string {
  if (type.endsWith('StateEntered')) return 'stateEnteredEventDetails';
  if (type.endsWith('StateExited')) return 'stateExitedEventDetails';
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`;
}

function renderedDetails({ plain, payload, assigned }: EventDetails, includeData: boolean): JsonObject {
  const members: Record<string, Json> = {};
  for (const [name, value] of Object.entries(plain ?? {})) if (value !== undefined) members[name] = value;
  if (payload !== undefined && (includeData || payload.field === 'parameters')) {
    members[payload.field] = includeData ? textOf(payload.value) : '{}';
    if (payload.field !== 'parameters') members[`${payload.field}Details`] = { truncated: false };
  }
  if (assigned !== undefined && includeData) {
    members.assignedVariables = Object.fromEntries(
      Object.entries(assigned).map(([name, value]) => [name, textOf(value)]),
    );
    members.assignedVariablesDetails = { truncated: false };
  }
  return members;
}
