/** What may happen to a release, and what becomes of it. Pure, like the deploy's. */
import type { Decision } from '../deploy/deploy.ts';
import type { Transition } from '../deploy/transition.ts';
import type { Failure } from '../failure.ts';
import type { Attempt, PendingRelease, Release, ReleaseIdentity, ReleaseStatus } from './release.ts';

export type ReleaseEvent =
  | { readonly type: 'deploy-failed'; readonly failure: Failure }
  | { readonly type: 'recording-refused'; readonly name: string; readonly failure: Failure }
  | { readonly type: 'rollback-started' }
  | { readonly type: 'execution-lost'; readonly failure: Failure }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'pause'; readonly reason?: string }
  | { readonly type: 'resume'; readonly reason?: string }
  | { readonly type: 'concluded'; readonly outcome: 'SUCCESS' | 'ERROR' | 'CANCELLED'; readonly failure?: Failure }
  | { readonly type: 'retry'; readonly attempt: Attempt; readonly reason?: string };

const UNCHANGED = { kind: 'unchanged' } as const;

export function acceptRelease(identity: ReleaseIdentity, attempt: Attempt): Release {
  const { createdAt: now, submittedBy: by } = identity;
  return {
    identity,
    attempt,
    status: started(now),
    seq: 1,
    pending: [{ seq: 1, at: now, by, action: 'release.submitted', to: 'PENDING' }],
  };
}

function started(now: number): PendingRelease {
  return { state: 'PENDING', phase: 'running', paused: false, since: now, executionLost: false };
}

/** Nothing ends before it began, whatever clocks say: like a deploy's. */
export function transitionRelease(
  release: Release,
  event: ReleaseEvent,
  by: string,
  clock: number,
): Transition<Release> {
  const { status } = release;
  const now = Math.max(clock, status.since);
  const { id } = release.identity;
  const decide = (
    action: string,
    next: ReleaseStatus,
    why?: string,
    attempt = release.attempt,
  ): Transition<Release> => {
    const seq = release.seq + 1;
    const decision: Decision = {
      seq,
      at: now,
      by,
      action,
      from: shown(status),
      to: shown(next),
      ...(why !== undefined && { why }),
    };
    return {
      kind: 'changed',
      next: { ...release, attempt, status: next, seq, pending: [...release.pending, decision] },
    };
  };
  const refuse = (reason: string): Transition<Release> => ({ kind: 'refused', reason });

  if (event.type === 'retry') {
    if (status.state === 'PENDING') return refuse(`${id} has not ended yet`);
    if (status.state === 'SUCCESS') return refuse(`${id} ended SUCCESS: there is nothing to retry`);
    const why = `attempt ${event.attempt.number}${event.reason === undefined ? '' : `: ${event.reason}`}`;
    return decide('release.retried', started(now), why, event.attempt);
  }
  if (status.state !== 'PENDING') return refuse(`${id} has already ended ${status.state}`);

  switch (event.type) {
    case 'deploy-failed':
      if (status.phase !== 'running') return UNCHANGED;
      if (release.identity.onFailure === 'continue') {
        return status.failure === undefined
          ? decide('release.deploy-failed', { ...status, failure: event.failure }, event.failure.message)
          : UNCHANGED;
      }
      return decide(
        'release.failing',
        { ...status, phase: 'failing', failure: event.failure, since: now },
        event.failure.message,
      );

    case 'recording-refused':
      if (status.refused !== undefined) return UNCHANGED;
      return decide(
        'release.recording-refused',
        {
          ...status,
          phase: status.phase === 'cancelling' ? 'cancelling' : 'failing',
          failure: status.failure ?? event.failure,
          refused: { name: event.name, failure: event.failure },
          since: now,
        },
        event.failure.message,
      );

    case 'rollback-started':
      if (status.phase === 'rolling-back') return UNCHANGED;
      if (status.phase !== 'failing' || status.executionLost)
        return refuse(`${id} is ${status.phase}: it does not roll back`);
      return decide('release.rolling-back', { ...status, phase: 'rolling-back', since: now });

    case 'execution-lost':
      if (status.executionLost) return UNCHANGED;
      return decide(
        'release.execution-lost',
        {
          ...status,
          phase: status.phase === 'cancelling' ? 'cancelling' : 'failing',
          failure: status.failure ?? event.failure,
          executionLost: true,
          since: now,
        },
        event.failure.message,
      );

    case 'cancel':
      if (status.phase === 'cancelling') return UNCHANGED;
      return decide('release.cancel-requested', { ...status, phase: 'cancelling', since: now }, event.reason);

    case 'pause':
      return status.paused ? UNCHANGED : decide('release.paused', { ...status, paused: true }, event.reason);

    case 'resume':
      return status.paused ? decide('release.resumed', { ...status, paused: false }, event.reason) : UNCHANGED;

    case 'concluded':
      return decide(
        'release.finish',
        {
          state: event.outcome,
          since: now,
          endedAt: now,
          ...(event.failure !== undefined && { failure: event.failure }),
          ...(status.refused !== undefined && { refused: status.refused }),
        },
        event.failure?.message,
      );
  }
}

function shown(status: ReleaseStatus): string {
  if (status.state !== 'PENDING') return status.state;
  return status.paused ? `${status.phase}, paused` : status.phase;
}
