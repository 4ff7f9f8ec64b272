/** The sentences of `why` that more than one answer needs. */
import type { WhyReason } from '../api/contract.ts';
import type { Deploy } from '../core/deploy/deploy.ts';
import { shownState } from '../core/deploy/deploy.ts';
import { oneLine } from '../core/failure.ts';
import type { Release } from '../core/release/release.ts';
import type { Ports } from '../orchestration/ports.ts';
import { iso, sinceWords } from './instant.ts';
import { releaseTimeline } from './timeline.ts';

export function aboutDeploy(id: string): { about: { kind: 'deploy'; id: string } } {
  return { about: { kind: 'deploy', id } };
}

export function aboutRelease(id: string): { about: { kind: 'release'; id: string } } {
  return { about: { kind: 'release', id } };
}

/** `shop-db is RUNNING since 2026-10-12 20:00:05 UTC, for 3 min` */
export function stateWords({ identity, status }: Deploy, now: number): string {
  return `${identity.id} is ${shownState(status.state)} ${sinceWords(status.since, now)}`;
}

/** A failure as the end of a sentence: one line, without the full stop of its own. */
export function because(message: string): string {
  return oneLine(message).replace(/[.;]+$/, '');
}

/** Who paused a release, when and why; undefined when it is not paused. */
export async function pausedReason(ports: Ports, release: Release): Promise<WhyReason | undefined> {
  const { status, identity } = release;
  if (status.state !== 'PENDING' || !status.paused) return undefined;
  const paused = (await releaseTimeline(ports, release)).findLast(({ action }) => action === 'release.paused');
  const who = paused === undefined ? 'somebody' : paused.by;
  const since = paused === undefined ? status.since : Date.parse(paused.at);
  const why = paused?.why === undefined ? '' : ` (${because(paused.why)})`;
  return {
    code: 'paused',
    text: `${who} paused the release ${identity.id}${why} ${sinceWords(since, ports.now())}: what runs finishes, and nothing new starts.`,
    since: iso(since),
    ...aboutRelease(identity.id),
    unblock: `Ask ${who}, or let it go on: renga release resume ${identity.id}.`,
  };
}

/** Why a release lets none of its deploys start, other than a pause; undefined while it does. */
export function closedReason(release: Release, now: number): WhyReason | undefined {
  const { status, identity } = release;
  if (status.state !== 'PENDING' || status.phase === 'running') return undefined;
  const why = status.failure === undefined ? '' : ` because ${because(status.failure.message)}`;
  const words = {
    failing: `is stopping${why}: what runs finishes, what has not started is cancelled`,
    'rolling-back': `goes back${why}: one rollback at a time`,
    cancelling: 'is being cancelled: nothing new starts',
  }[status.phase];
  return {
    code: status.phase,
    text: `The release ${identity.id} ${words} (${sinceWords(status.since, now)}).`,
    since: iso(status.since),
    ...aboutRelease(identity.id),
  };
}
