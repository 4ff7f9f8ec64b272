/** What became of each deploy when its release went back, told so that nobody takes an untouched one for rolled back. */
import type { ErrorView, RollbackState } from '../api/contract.ts';
import { type Deploy, hasNotStarted, isFinal } from '../core/deploy/deploy.ts';
import type { Release } from '../core/release/release.ts';

export interface Rollback {
  readonly state: RollbackState;
  readonly error?: ErrorView;
}

export interface Sequence {
  readonly release: Release;
  /** Each deploy of the attempt that is recorded, by name. */
  readonly deploys: ReadonlyMap<string, Deploy>;
  /** Each rollback of the attempt that has begun, by the name that it takes back. */
  readonly rollbacks: ReadonlyMap<string, Deploy>;
}

export function rollbackStateOf(name: string, sequence: Sequence): Rollback {
  const rollback = sequence.rollbacks.get(name);
  if (rollback !== undefined) return begun(rollback);
  const { release, deploys } = sequence;
  const nothing: Rollback = { state: 'none' };
  if (release.identity.onFailure !== 'rollback') return nothing;
  if (deploys.get(name)?.status.state !== 'SUCCESS' || release.status.state === 'SUCCESS') return nothing;

  const reason = endOfSequence(sequence);
  if (reason !== undefined) {
    return { state: 'not-reached', error: { code: 'not-reached', message: `not rolled back: ${reason}` } };
  }
  const { status } = release;
  const coming = status.state === 'PENDING' && (status.phase === 'failing' || status.phase === 'rolling-back');
  return coming ? { state: 'waiting' } : nothing;
}

function begun({ status }: Deploy): Rollback {
  if (!isFinal(status.state)) return { state: hasNotStarted(status.state) ? 'waiting' : 'running' };
  if (!('failure' in status)) return { state: 'done' };
  if (status.state === 'CANCELLED') return { state: 'cancelled', error: status.failure };
  return { state: status.failure.code === 'superseded' ? 'superseded' : 'failed', error: status.failure };
}

/** Why no further rollback starts; undefined while one may, and where none was ever to start. */
function endOfSequence({ release, deploys, rollbacks }: Sequence): string | undefined {
  for (const [name, { status }] of rollbacks) {
    if ('failure' in status && isFinal(status.state)) {
      return `taking back ${name} did not succeed (${status.failure.message}), and the sequence stops there`;
    }
  }
  const { status } = release;
  const cancelled = status.state === 'CANCELLED' || (status.state === 'PENDING' && status.phase === 'cancelling');
  if (cancelled) {
    // A release that was cancelled while nothing had failed was never to go back.
    const failed = [...deploys.values()].some(({ status }) => status.state === 'ERROR');
    return rollbacks.size > 0 || failed ? 'the release was cancelled before its turn' : undefined;
  }
  if (status.state === 'PENDING') {
    return status.executionLost ? 'the execution of the release is gone, so nobody rolls back' : undefined;
  }
  return status.state === 'ERROR' ? 'the release ended before its turn' : undefined;
}
