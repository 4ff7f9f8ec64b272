/**
 * What may happen to a deploy, and what becomes of it. Pure: the caller reads, asks here, and writes the answer under
 * the condition that nobody else has written since.
 */
import type { Failure } from '../failure.ts';
import {
  type Decision,
  type Deploy,
  type DeployIdentity,
  type DeployStatus,
  hasNotStarted,
  isFinal,
} from './deploy.ts';

export type DeployEvent =
  | { readonly type: 'dependencies-succeeded' }
  | { readonly type: 'dependency-failed'; readonly failure: Failure }
  | { readonly type: 'started' }
  | { readonly type: 'succeeded' }
  | { readonly type: 'published'; readonly revision: number }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'rolling-back'; readonly failure: Failure }
  | { readonly type: 'rolled-back'; readonly rolledBack: boolean }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'job-stopped' };

export type Transition<T> =
  | { readonly kind: 'changed'; readonly next: T }
  /** Nothing to do: it has already happened. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string };

const UNCHANGED = { kind: 'unchanged' } as const;

/** A deploy as it is first recorded. */
export function recordDeploy(
  identity: DeployIdentity,
  now: number,
  ended?: { state: 'ERROR' | 'CANCELLED'; failure: Failure },
): Deploy {
  const status: DeployStatus =
    ended === undefined
      ? { state: identity.after.length > 0 ? 'WAITING_DEPENDENCY' : 'ENQUEUED', since: now }
      : { state: ended.state, since: now, endedAt: now, failure: ended.failure };
  const decision: Decision = { seq: 1, at: now, by: identity.submittedBy, action: 'deploy.recorded', to: status.state };
  return {
    identity,
    status,
    seq: 1,
    pending: [ended === undefined ? decision : { ...decision, why: ended.failure.message }],
  };
}

/** Decides what `event` makes of `deploy`. A final state never changes (I3): everything late is `refused`. */
export function transition(deploy: Deploy, event: DeployEvent, by: string, now: number): Transition<Deploy> {
  const { status } = deploy;
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
    };
    return { kind: 'changed', next: { ...deploy, status: next, seq, pending: [...deploy.pending, decision] } };
  };
  const refuse = (reason: string): Transition<Deploy> => ({ kind: 'refused', reason });
  const end = (state: 'ERROR' | 'CANCELLED' | 'DEPENDENCY_FAILED', failure: Failure): DeployStatus => {
    const startedAt = 'startedAt' in status ? status.startedAt : undefined;
    return { state, since: now, endedAt: now, failure, ...(startedAt !== undefined && { startedAt }) };
  };

  if (isFinal(status.state)) return refuse(`${deploy.identity.id} has already ended ${status.state}`);

  switch (event.type) {
    case 'dependencies-succeeded':
      if (status.state !== 'WAITING_DEPENDENCY') return UNCHANGED;
      return decide('after.finish', { state: 'ENQUEUED', since: now });

    case 'dependency-failed':
      if (!hasNotStarted(status.state))
        return refuse(`${deploy.identity.id} is ${status.state}: it has already started`);
      return decide('after.finish', end('DEPENDENCY_FAILED', event.failure), event.failure.message);

    case 'started':
      if (status.state === 'RUNNING') return UNCHANGED;
      if (status.state !== 'ENQUEUED') return refuse(`${deploy.identity.id} is ${status.state}, not ENQUEUED`);
      return decide('deploy.started', { state: 'RUNNING', since: now, startedAt: now });

    case 'succeeded':
      if (status.state === 'CONCLUDING') return UNCHANGED;
      if (status.state !== 'RUNNING') return refuse(`${deploy.identity.id} is ${status.state}, not RUNNING`);
      return decide('deploy.succeeded', { state: 'CONCLUDING', since: now, startedAt: status.startedAt });

    case 'published':
      if (status.state !== 'CONCLUDING') return refuse(`${deploy.identity.id} is ${status.state}, not CONCLUDING`);
      return decide('deploy.finish', {
        state: 'SUCCESS',
        since: now,
        endedAt: now,
        startedAt: status.startedAt,
        revision: event.revision,
      });

    case 'failed':
      // A success that is being written down is irrevocable.
      if (status.state === 'CONCLUDING') return refuse(`${deploy.identity.id} has already succeeded`);
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
      if (status.state !== 'RUNNING') return refuse(`${deploy.identity.id} is ${status.state}, not RUNNING`);
      return decide(
        'deploy.rolling-back',
        { ...status, state: 'ROLLING_BACK', since: now, failure: event.failure },
        event.failure.message,
      );

    case 'rolled-back':
      if (status.state !== 'ROLLING_BACK') return refuse(`${deploy.identity.id} is ${status.state}, not ROLLING_BACK`);
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
      if (status.state === 'CONCLUDING') return refuse(`${deploy.identity.id} has already succeeded`);
      if (status.state !== 'RUNNING') return refuse(`${deploy.identity.id} is rolling back, which ends by itself`);
      if (status.cancellation !== undefined) return UNCHANGED;
      return decide(
        'deploy.cancel-requested',
        { ...status, cancellation: { by, at: now, reason: event.reason } },
        event.reason,
      );

    case 'job-stopped':
      if (status.state !== 'RUNNING' || status.cancellation === undefined) {
        return refuse(`${deploy.identity.id} was not being cancelled`);
      }
      return decide(
        'deploy.cancelled',
        end('CANCELLED', { code: 'cancelled', message: status.cancellation.reason }),
        status.cancellation.reason,
      );
  }
}
