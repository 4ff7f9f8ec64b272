/** Following a release or a deploy from the command line, and how the command then ends. */
import type { DeployView, ExportsView, ReleaseView } from '../api/contract.ts';
import { type CiOutcome, type CiTarget, writeCiOutcome } from '../files/ci-outcome.ts';
import { deploySummary } from './deploy-summary.ts';
import { EXIT } from './failure.ts';
import { type Display, type Followable, type Followed, follow } from './follow.ts';
import { LiveDisplay } from './live-display.ts';
import { PlainDisplay } from './plain-display.ts';
import { hasEnded, type Progress, progressOfDeploy, progressOfRelease } from './progress.ts';
import { QUIET } from './quiet-display.ts';
import { releaseSummary } from './release-summary.ts';
import type { Outcome, Session } from './session.ts';
import { lasted } from './time.ts';

export interface FollowOptions {
  /** False with `--no-wait`. */
  readonly wait: boolean;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  /** Where a CI system reads the outcome; with `--no-wait` there is none yet. */
  readonly ci?: CiTarget | undefined;
}

interface Kind<View> {
  readonly subject: Followable<View>;
  readonly progressOf: (view: View) => Progress;
  readonly summary: (session: Session, view: View) => string;
  readonly outcomeOf: (view: View) => CiOutcome;
}

export async function followRelease(session: Session, first: ReleaseView, options: FollowOptions): Promise<Outcome> {
  const api = await session.api();
  const { id } = first;
  const subject: Followable<ReleaseView> = {
    name: `the release ${id}`,
    read: async (signal) => (await api.call('release', { id, signal })).answer,
    hasEnded: ({ state }) => hasEnded(state),
    again: `renga release status ${id} --watch`,
  };
  return followed(session, first, options, {
    subject,
    progressOf: progressOfRelease,
    summary: releaseSummary,
    outcomeOf: releaseOutcome,
  });
}

export async function followDeploy(session: Session, first: DeployView, options: FollowOptions): Promise<Outcome> {
  const api = await session.api();
  const { id } = first;
  const subject: Followable<DeployView> = {
    name: `the deploy ${id}`,
    read: async (signal) => (await api.call('deploy', { id, signal })).answer,
    hasEnded: ({ state }) => hasEnded(state),
    again: `renga status ${id} --watch`,
  };
  return followed(session, first, options, {
    subject,
    progressOf: progressOfDeploy,
    summary: deploySummary,
    outcomeOf: deployOutcome,
  });
}

async function followed<View extends { readonly state: string }>(
  session: Session,
  first: View,
  { wait, timeout, ci }: FollowOptions,
  { subject, progressOf, summary, outcomeOf }: Kind<View>,
): Promise<Outcome> {
  if (!wait) {
    session.say(`${subject.name} is ${first.state}; it runs without this command. Follow it with\n  ${subject.again}`);
    return { exit: EXIT.success, document: first };
  }
  const { kind, view } = await follow(session.surroundings, subject, first, displayOf(session, progressOf), timeout);
  if (!session.json && !session.surroundings.stdout.isTTY) session.say('');
  session.say(summary(session, view));
  if (kind === 'ended' && ci !== undefined) {
    const text = await writeCiOutcome(ci, outcomeOf(view));
    if (text !== undefined) session.say(text);
  }
  if (kind === 'ended') return { exit: view.state === 'SUCCESS' ? EXIT.success : EXIT.unsuccessful, document: view };
  session.note(`\n${goesOn(kind, subject, timeout)}`);
  return { exit: EXIT.stillRunning, document: view };
}

function deployOutcome({ id, state, exports }: DeployView): CiOutcome {
  return { id, state, exports: textsOf(exports) };
}

/** Exports of several deploys have the name of theirs in front. */
function releaseOutcome({ id, state, deploys }: ReleaseView): CiOutcome {
  const exports = deploys.flatMap(({ name, exports }) =>
    Object.entries(textsOf(exports)).map(([key, value]) => [`${name}_${key}`, value] as const),
  );
  return { id, of: 'release', state, exports: Object.fromEntries(exports) };
}

function textsOf(exports: ExportsView): Record<string, string> {
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function displayOf<View>(session: Session, progressOf: (view: View) => Progress): Display<View> {
  const { surroundings } = session;
  if (session.json) return QUIET;
  return surroundings.stdout.isTTY && surroundings.env.TERM !== 'dumb'
    ? new LiveDisplay(surroundings, session.style, progressOf)
    : new PlainDisplay(surroundings, progressOf);
}

function goesOn(kind: Followed<unknown>['kind'], subject: Followable<unknown>, timeout = 0): string {
  const why = kind === 'timeout' ? `still running after ${lasted(timeout)} (--timeout)` : 'no longer followed';
  return `renga: ${why}; ${subject.name} goes on, nothing was cancelled. Follow it again with\n  ${subject.again}`;
}
