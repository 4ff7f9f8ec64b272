/**
 * What may happen to a deploy, and what becomes of it. Pure: the caller reads, asks here, and writes the answer under
 * the condition that nobody else has written since.
 */
import type { Failure } from '../failure.ts';
import {
  type ApprovalRule,
  type Decision,
  type Deploy,
  type DeployIdentity,
  type DeployStatus,
  type FinalDeployState,
  hasNotStarted,
  isFinal,
} from './deploy.ts';

export type DeployEvent =
  /** The instant of its schedule has come. */
  | { readonly type: 'due'; readonly approval?: ApprovalRule | undefined }
  | { readonly type: 'dependencies-succeeded'; readonly approval?: ApprovalRule | undefined }
  | { readonly type: 'dependency-failed'; readonly failure: Failure }
  | { readonly type: 'approved'; readonly reason?: string | undefined }
  | { readonly type: 'rejected'; readonly reason: string }
  | { readonly type: 'approval-expired' }
  | { readonly type: 'started' }
  | { readonly type: 'succeeded' }
  | { readonly type: 'published'; readonly revision?: number | undefined }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'rolling-back'; readonly failure: Failure }
  | { readonly type: 'rolled-back'; readonly rolledBack: boolean }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'job-stopped' }
  /** The pipeline that runs an external deploy says again that it has started, and perhaps more about it. */
  | { readonly type: 'start-repeated'; readonly version?: string | undefined; readonly seq?: number | undefined }
  /** The pipeline that runs an external deploy says how it ended. `at`: when, as it says. */
  | { readonly type: 'reported'; readonly outcome: 'SUCCESS'; readonly at?: number | undefined }
  | {
      readonly type: 'reported';
      readonly outcome: 'ERROR' | 'CANCELLED';
      readonly failure: Failure;
      readonly at?: number | undefined;
    };

export type Transition<T> =
  | { readonly kind: 'changed'; readonly next: T }
  /** Nothing to do: it has already happened. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string };

const UNCHANGED = { kind: 'unchanged' } as const;

/**
 * A deploy as it is first recorded. `approval`: what its environment asks for, if nothing is to be waited for before.
 * `ended`: it is over before it began.
 */
export function recordDeploy(
  identity: DeployIdentity,
  now: number,
  options: {
    readonly approval?: ApprovalRule | undefined;
    readonly ended?: { readonly state: 'ERROR' | 'CANCELLED'; readonly failure: Failure } | undefined;
  } = {},
): Deploy {
  const { approval, ended } = options;
  const status: DeployStatus =
    ended === undefined
      ? firstStatus(identity, now, approval)
      : { state: ended.state, since: now, endedAt: now, failure: ended.failure };
  const why = ended?.failure.message ?? identity.freezeOverride;
  const decision: Decision = { seq: 1, at: now, by: identity.submittedBy, action: 'deploy.recorded', to: status.state };
  return { identity, status, seq: 1, approvals: [], pending: [why === undefined ? decision : { ...decision, why }] };
}

function firstStatus(identity: DeployIdentity, now: number, approval: ApprovalRule | undefined): DeployStatus {
  // Clocks of others may be wrong: nothing has started in the future.
  if (identity.kind === 'external') {
    return { state: 'RUNNING', since: now, startedAt: Math.min(identity.external?.startedAt ?? now, now) };
  }
  const { scheduledAt, after } = identity;
  if (scheduledAt !== undefined && scheduledAt > now) return { state: 'SCHEDULED', since: now, at: scheduledAt };
  if (after.length > 0) return { state: 'WAITING_DEPENDENCY', since: now };
  return readyStatus(now, approval);
}

/** Approval is asked only once there is nothing else to wait for: approvers judge what can really start. */
function readyStatus(now: number, approval: ApprovalRule | undefined): DeployStatus {
  return approval === undefined
    ? { state: 'ENQUEUED', since: now }
    : { state: 'AWAITING_APPROVAL', since: now, ...approval };
}

/** Whatever is said after that comes too late, also while nobody has written the end down yet. */
function expired(id: string, at: number): string {
  return `the approval of ${id} expired at ${new Date(at).toISOString()}`;
}

/** Whether somebody is one of those who asked for the deploy. */
export function hasAskedFor({ submittedBy, requestedBy }: DeployIdentity, who: string): boolean {
  return who === submittedBy || who === requestedBy;
}

export function selfApproval({ id, environment, submittedBy }: DeployIdentity, by: string): string {
  const how = by === submittedBy ? `submitted ${id}` : `retried the release of ${id}`;
  return `${by} ${how}, and ${environment} wants somebody else to approve it`;
}

/**
 * Decides what `event` makes of `deploy`. A final state never changes (I3): everything late is `refused`. Clocks go back, and
 * those of two machines differ: `clock` counts from what was written last, so that nothing ends before it began.
 */
export function transition(deploy: Deploy, event: DeployEvent, by: string, clock: number): Transition<Deploy> {
  const { status } = deploy;
  const now = Math.max(clock, status.since);
  const decide = (action: string, next: DeployStatus, why?: string): Transition<Deploy> => {
    const seq = deploy.seq + 1;
    const decision: Decision = {
      seq,
      at: now,
      by,
      action,
      from: status.state,
      to: next.state,
      ...(why !== undefined && { why }),
      ...('rolledBack' in next && next.rolledBack !== undefined && { rolledBack: next.rolledBack }),
    };
    return { kind: 'changed', next: { ...deploy, status: next, seq, pending: [...deploy.pending, decision] } };
  };
  const refuse = (reason: string): Transition<Deploy> => ({ kind: 'refused', reason });
  const end = (state: Exclude<FinalDeployState, 'SUCCESS'>, failure: Failure): DeployStatus => {
    const startedAt = 'startedAt' in status ? status.startedAt : undefined;
    return { state, since: now, endedAt: now, failure, ...(startedAt !== undefined && { startedAt }) };
  };

  const { id } = deploy.identity;
  if (isFinal(status.state)) return refuse(`${id} has already ended ${status.state}`);
  const steered = event.type !== 'reported' && event.type !== 'start-repeated';
  if (deploy.identity.kind === 'external' && steered) {
    return refuse(`${id} is run by another pipeline, ${deploy.identity.external?.pipeline}: it is steered there`);
  }

  switch (event.type) {
    case 'due':
      if (status.state !== 'SCHEDULED') return UNCHANGED;
      if (now < status.at) return refuse(`${id} is not due before ${new Date(status.at).toISOString()}`);
      if (deploy.identity.after.length > 0) return decide('schedule.due', { state: 'WAITING_DEPENDENCY', since: now });
      return decide('schedule.due', readyStatus(now, event.approval));

    case 'dependencies-succeeded':
      if (status.state !== 'WAITING_DEPENDENCY') return UNCHANGED;
      return decide('after.finish', readyStatus(now, event.approval));

    case 'approved': {
      if (status.state !== 'AWAITING_APPROVAL') return refuse(`${id} is ${status.state}: it does not ask for approval`);
      if (now >= status.expiresAt) return refuse(expired(id, status.expiresAt));
      if (deploy.approvals.some((approval) => approval.by === by)) return refuse(`${by} has already approved ${id}`);
      if (!status.selfApproval && hasAskedFor(deploy.identity, by)) return refuse(selfApproval(deploy.identity, by));
      const approval = { by, at: now, ...(event.reason !== undefined && { reason: event.reason }) };
      const approvals = [...deploy.approvals, approval];
      const next: DeployStatus = approvals.length < status.required ? status : { state: 'ENQUEUED', since: now };
      const decided = decide('approval.granted', next, event.reason);
      return decided.kind === 'changed' ? { kind: 'changed', next: { ...decided.next, approvals } } : decided;
    }

    case 'rejected':
      if (status.state !== 'AWAITING_APPROVAL') return refuse(`${id} is ${status.state}: it does not ask for approval`);
      if (now >= status.expiresAt) return refuse(expired(id, status.expiresAt));
      return decide(
        'approval.rejected',
        end('REJECTED', { code: 'rejected', message: `${by} rejected it: ${event.reason}` }),
        event.reason,
      );

    case 'approval-expired': {
      if (status.state !== 'AWAITING_APPROVAL') return UNCHANGED;
      if (now < status.expiresAt) return refuse(`the approval of ${id} has not expired yet`);
      const message = `${deploy.approvals.length} of ${status.required} approvals had come when the time for them was over`;
      return decide('approval.expired', end('EXPIRED', { code: 'approval-expired', message }), message);
    }

    case 'dependency-failed':
      if (!hasNotStarted(status.state)) return refuse(`${id} is ${status.state}: it has already started`);
      return decide('after.finish', end('DEPENDENCY_FAILED', event.failure), event.failure.message);

    case 'started':
      if (status.state === 'RUNNING') return UNCHANGED;
      if (status.state !== 'ENQUEUED') return refuse(`${id} is ${status.state}, not ENQUEUED`);
      return decide('deploy.started', { state: 'RUNNING', since: now, startedAt: now });

    case 'succeeded':
      if (status.state === 'CONCLUDING') return UNCHANGED;
      if (status.state !== 'RUNNING') return refuse(`${id} is ${status.state}, not RUNNING`);
      return decide('deploy.succeeded', { state: 'CONCLUDING', since: now, startedAt: status.startedAt });

    case 'published':
      if (status.state !== 'CONCLUDING') return refuse(`${id} is ${status.state}, not CONCLUDING`);
      return decide('deploy.finish', {
        state: 'SUCCESS',
        since: now,
        endedAt: now,
        startedAt: status.startedAt,
        ...(event.revision !== undefined && { revision: event.revision }),
      });

    case 'failed':
      // A success that is being written down is irrevocable.
      if (status.state === 'CONCLUDING') return refuse(`${id} has already succeeded`);
      if (status.state === 'ROLLING_BACK') {
        const failure = {
          ...status.failure,
          message: `${status.failure.message}; its own rollback: ${event.failure.message}`,
        };
        return decide(
          'deploy.finish',
          { ...end('ERROR', failure), rolledBack: false } as DeployStatus,
          failure.message,
        );
      }
      return decide('deploy.finish', end('ERROR', event.failure), event.failure.message);

    case 'rolling-back':
      if (status.state === 'ROLLING_BACK') return UNCHANGED;
      if (status.state !== 'RUNNING') return refuse(`${id} is ${status.state}, not RUNNING`);
      return decide(
        'deploy.rolling-back',
        { ...status, state: 'ROLLING_BACK', since: now, failure: event.failure },
        event.failure.message,
      );

    case 'rolled-back':
      if (status.state !== 'ROLLING_BACK') return refuse(`${id} is ${status.state}, not ROLLING_BACK`);
      return decide(
        'deploy.finish',
        {
          state: 'ERROR',
          since: now,
          endedAt: now,
          startedAt: status.startedAt,
          failure: status.failure,
          rolledBack: event.rolledBack,
        },
        status.failure.message,
      );

    case 'cancel':
      if (hasNotStarted(status.state)) {
        return decide('deploy.cancelled', end('CANCELLED', { code: 'cancelled', message: event.reason }), event.reason);
      }
      if (status.state === 'CONCLUDING') return refuse(`${id} has already succeeded`);
      if (status.state !== 'RUNNING') return refuse(`${id} is rolling back, which ends by itself`);
      if (status.cancellation !== undefined) return UNCHANGED;
      return decide(
        'deploy.cancel-requested',
        { ...status, cancellation: { by, at: now, reason: event.reason } },
        event.reason,
      );

    case 'job-stopped':
      if (status.state !== 'RUNNING' || status.cancellation === undefined) {
        return refuse(`${id} was not being cancelled`);
      }
      return decide(
        'deploy.cancelled',
        end('CANCELLED', { code: 'cancelled', message: status.cancellation.reason }),
        status.cancellation.reason,
      );

    case 'start-repeated': {
      const next = repeated(deploy.identity, event);
      if (next === undefined) return UNCHANGED;
      const decided = decide('deploy.reported', status);
      return decided.kind === 'changed' ? { kind: 'changed', next: { ...decided.next, identity: next } } : decided;
    }

    case 'reported': {
      if (deploy.identity.kind !== 'external') return refuse(`${id} is run here: nobody else can say how it ended`);
      const startedAt = 'startedAt' in status && status.startedAt !== undefined ? status.startedAt : now;
      const endedAt = Math.max(startedAt, Math.min(event.at ?? now, now));
      if (event.outcome === 'SUCCESS') {
        return decide('deploy.finish', { state: 'SUCCESS', since: now, endedAt, startedAt });
      }
      const ended = { ...end(event.outcome, event.failure), endedAt } as DeployStatus;
      return decide('deploy.finish', ended, event.failure.message);
    }
  }
}

/**
 * What another report of its start adds to an external deploy: the version, where the first had none, and a higher number.
 * Undefined when it says nothing new.
 */
function repeated(
  identity: DeployIdentity,
  { version, seq }: { readonly version?: string | undefined; readonly seq?: number | undefined },
): DeployIdentity | undefined {
  const { external, artifact } = identity;
  if (external === undefined) return undefined;
  const named = version !== undefined && external.version === undefined;
  const later = seq !== undefined && seq > (external.seq ?? -1);
  if (!named && !later) return undefined;
  return {
    ...identity,
    artifact: named ? { ...artifact, version } : artifact,
    external: { ...external, ...(named && { version }), ...(later && { seq }) },
  };
}
