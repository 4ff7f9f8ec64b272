/** Why a release is where it is. */
import type { WhyReason, WhyView } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import type { PendingRelease, Release } from '../core/release/release.ts';
import type { Ports } from '../orchestration/ports.ts';
import { type Rights, rightsOf } from '../orchestration/rights.ts';
import { clockTime, iso, lasting, listed, sinceWords } from './instant.ts';
import { type Attempted, attemptSeen, type Place } from './release.ts';
import { rollbackStateOf } from './rollback-state.ts';
import { releaseSeen } from './seen.ts';
import { releaseTimeline } from './timeline.ts';
import { openReasons } from './why-open.ts';
import { aboutDeploy, aboutRelease, because, closedReason, pausedReason } from './why-words.ts';

/** Deploys that are told one by one; the rest are counted. */
const MOST_TOLD = 10;

export async function whyRelease(ports: Ports, whole: Release, by: Actor): Promise<WhyView> {
  const rights = await rightsOf(ports, by);
  const release = await releaseSeen(ports, rights, whole);
  const { identity, status } = release;
  const head = { kind: 'release', id: identity.id, state: status.state, since: iso(status.since) } as const;
  const attempted = await attemptSeen(ports, rights, release);
  if (status.state !== 'PENDING') return { ...head, ...(await ended(ports, attempted)) };
  const reasons = await pendingReasons(ports, attempted, status, rights);
  return { ...head, summary: pendingSummary(ports, attempted, status), reasons };
}

function pendingSummary(ports: Ports, attempted: Attempted, status: PendingRelease): string {
  const { release, places, plan, rollbacks } = attempted;
  const { id } = release.identity;
  const since = sinceWords(status.since, ports.now());
  const active = places.filter(isActive).map(({ planned }) => planned.name);
  const running =
    active.length === 0 ? 'nothing of it runs' : `${listed(active)} ${active.length === 1 ? 'runs' : 'run'}`;
  const failed = status.failure === undefined ? '' : `, because ${because(status.failure.message)}`;
  if (status.executionLost) return `${id} is ending${failed}: nothing new starts and nobody rolls back; ${running}.`;
  if (status.phase === 'cancelling') return `${id} is being cancelled ${since}: ${running}.`;
  if (status.phase === 'failing') {
    const then = release.identity.onFailure === 'rollback' ? 'then it goes back' : 'then it ends';
    return `${id} is failing ${since}${failed}: ${running}; ${then}.`;
  }
  if (status.phase === 'rolling-back') {
    const now = [...rollbacks].find(([, { status }]) => !isFinal(status.state))?.[0];
    return `${id} goes back ${since}${failed}: ${now === undefined ? 'the next rollback is about to begin' : `${now} is being taken back`}.`;
  }
  const paused = status.paused ? ', paused' : '';
  if (places.every(({ row, kept }) => kept || row === undefined)) {
    return `${id} was accepted ${since}${paused}, and its deploys are about to be recorded.`;
  }
  const done = places.filter(({ row }) => row !== undefined && isFinal(row.deploy.status.state)).length;
  const layers = places
    .filter(({ row }) => row === undefined || !isFinal(row.deploy.status.state))
    .map(({ layer }) => layer);
  const where =
    plan.start === 'eager' || layers.length === 0
      ? ''
      : ` in layer ${Math.min(...layers) + 1} of ${plan.layers.length}`;
  return `${id} is under way${paused}${where} ${since}: ${done} of ${places.length} deploys have ended, and ${running}.`;
}

function isActive({ row }: Place): boolean {
  return row !== undefined && 'startedAt' in row.deploy.status && !isFinal(row.deploy.status.state);
}

async function pendingReasons(
  ports: Ports,
  attempted: Attempted,
  status: PendingRelease,
  rights: Rights,
): Promise<WhyReason[]> {
  const { release, places, rollbacks } = attempted;
  const reasons: WhyReason[] = [];
  const paused = await pausedReason(ports, release);
  if (paused !== undefined) reasons.push(paused);
  const closed = closedReason(release, ports.now());
  if (closed !== undefined) reasons.push(closed);
  const unrecorded = places.filter(({ row }) => row === undefined);
  if (status.phase === 'running' && unrecorded.length > 0) {
    const text = `${unrecorded.length} of its ${places.length} deploys are not recorded yet; its execution ${release.attempt.execution} does that first.`;
    reasons.push({
      code: 'not-recorded',
      text,
      ...aboutRelease(release.identity.id),
      unblock: 'Nobody need do anything: a sweep starts an execution that was never started.',
    });
  }
  const rows = [...places.flatMap(({ row }) => row ?? [])].filter(({ deploy }) => !isFinal(deploy.status.state));
  const open = [
    ...rows.filter(({ deploy }) => 'startedAt' in deploy.status),
    ...rows.filter(({ wait, deploy }) => wait !== undefined && !('startedAt' in deploy.status)),
  ];
  const told = new Set(reasons.map(({ text }) => text));
  const tell = (more: readonly WhyReason[]) => {
    for (const reason of more) if (!told.has(reason.text) && told.add(reason.text)) reasons.push(reason);
  };
  for (const row of open.slice(0, MOST_TOLD)) tell(await openReasons(ports, row, rights));
  for (const rollback of rollbacks.values()) {
    const row = isFinal(rollback.status.state) ? undefined : await ports.store.deploys.read(rollback.identity.id);
    if (row !== undefined) tell(await openReasons(ports, row, rights));
  }
  const later = rows.length - Math.min(open.length, MOST_TOLD);
  if (later > 0)
    tell([
      {
        code: 'layer',
        text: `${later} more ${later === 1 ? 'deploy waits' : 'deploys wait'} behind them.`,
        ...aboutRelease(release.identity.id),
      },
    ]);
  if (status.phase === 'failing' || status.phase === 'rolling-back') tell(rollbackReasons(attempted));
  return reasons;
}

async function ended(ports: Ports, attempted: Attempted): Promise<{ summary: string; reasons: WhyReason[] }> {
  const { release, places } = attempted;
  const { identity, status, attempt } = release;
  if (status.state === 'PENDING') throw new Error(`${identity.id} has not ended`);
  const at = `${clockTime(status.endedAt)}, after ${lasting(status.endedAt - attempt.startedAt)}`;
  const tries = attempt.number === 1 ? '' : ` in attempt ${attempt.number}`;
  if (status.state === 'SUCCESS') {
    return {
      summary: `${identity.id} succeeded${tries} at ${at}: all ${places.length} deploys are done.`,
      reasons: [],
    };
  }
  const reasons = [...failedReasons(attempted), ...rollbackReasons(attempted)];
  const retry: WhyReason = {
    code: 'ended',
    text: `What succeeded and was not taken back stays when it is tried again.`,
    ...aboutRelease(identity.id),
    unblock: `Once the cause is mended: renga release retry ${identity.id}; with another version: a new release, under another id.`,
  };
  if (status.state === 'CANCELLED') {
    const decision = (await releaseTimeline(ports, release)).findLast(
      ({ action }) => action === 'release.cancel-requested',
    );
    const by = decision === undefined ? 'somebody' : decision.by;
    const why = decision?.why === undefined ? '' : ` (${because(decision.why)})`;
    return {
      summary: `${identity.id} was cancelled by ${by}${why}${tries}; it ended at ${at}.`,
      reasons: [...reasons, retry],
    };
  }
  const [first = 'it is not known why'] = (status.failure?.message ?? '').split('\n').filter((line) => line !== '');
  return {
    summary: `${identity.id} failed${tries} at ${at}; the first cause: ${because(first)}.`,
    reasons: [...reasons, retry],
  };
}

/** What failed by itself, one by one; what only followed is counted. */
function failedReasons({ release, places }: Attempted): WhyReason[] {
  const { refused } = release.status;
  const reasons: WhyReason[] =
    refused === undefined
      ? []
      : [{ code: 'cause', text: `${because(refused.failure.message)}.`, ...aboutRelease(release.identity.id) }];
  const followed = new Map<string, string[]>();
  for (const { planned, row } of places) {
    if (row === undefined || !('failure' in row.deploy.status)) continue;
    const { identity, status } = row.deploy;
    if (status.state === 'ERROR' && reasons.length < MOST_TOLD) {
      const text = `${planned.name} (${identity.id}) failed: ${because(status.failure.message)}.`;
      reasons.push({
        code: 'cause',
        text,
        since: iso(status.since),
        ...aboutDeploy(identity.id),
        unblock: `Its log: renga log ${identity.id}.`,
      });
    } else followed.set(status.state, [...(followed.get(status.state) ?? []), planned.name]);
  }
  for (const [state, names] of followed) {
    reasons.push({ code: 'ended', text: `${listed(names, 10)} ended ${state}.`, ...aboutRelease(release.identity.id) });
  }
  return reasons;
}

/** What was taken back, what was not, and why not. */
function rollbackReasons(attempted: Attempted): WhyReason[] {
  const { release, plan, rollbacks } = attempted;
  const groups = new Map<string, string[]>();
  const reasons: WhyReason[] = [];
  for (const name of plan.rollbackOrder) {
    const { state, error } = rollbackStateOf(name, attempted);
    if (state === 'failed' || state === 'superseded' || state === 'cancelled') {
      const id = rollbacks.get(name)?.identity.id ?? release.identity.id;
      const text = `The rollback stopped at ${name}: ${because(error?.message ?? state)}.`;
      reasons.push({
        code: 'rollback',
        text,
        ...aboutDeploy(id),
        unblock: `${name} and what stands before it in the plan are as the release left them: mend them by hand, or forward with a new release.`,
      });
    } else if (state !== 'none') groups.set(state, [...(groups.get(state) ?? []), name]);
  }
  const words = {
    done: 'was taken back',
    waiting: 'is still to be taken back',
    running: 'is being taken back',
    'not-reached': 'was not rolled back: what this release put there stays',
  };
  const told = Object.entries(words).flatMap(([state, text]): WhyReason[] => {
    const names = groups.get(state);
    const plural = (names?.length ?? 0) > 1;
    const verb = plural ? text.replace(/^was /, 'were ').replace(/^is /, 'are ') : text;
    return names === undefined
      ? []
      : [{ code: 'rollback', text: `${listed(names, 10)} ${verb}.`, ...aboutRelease(release.identity.id) }];
  });
  return [
    ...told.filter(({ text }) => text.includes('taken back')),
    ...reasons,
    ...told.filter(({ text }) => !text.includes('taken back')),
  ];
}
