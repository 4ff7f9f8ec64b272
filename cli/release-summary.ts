/** A release as it stands: what a person reads when following has ended, or instead of following. */
import type { ReleaseDeploy, ReleaseView } from '../api/contract.ts';
import { progressOfRelease, tookAt, waitsFor } from './progress.ts';
import type { Session } from './session.ts';
import { signOf } from './style.ts';
import { exportsOf, indented, lookCloser } from './summary-parts.ts';
import { oneLine, table } from './text.ts';
import { lasted } from './time.ts';

export function releaseSummary(session: Session, view: ReleaseView): string {
  const { style, surroundings } = session;
  const progress = progressOfRelease(view);
  const took = tookAt(progress, surroundings.now()) ?? 0;
  const attempt = view.attempt > 1 ? ` (attempt ${view.attempt})` : '';
  const detail = progress.detail === '' ? '' : `, ${progress.detail}`;
  // What was taken back exports nothing any more.
  const standing = view.deploys.filter(({ rollbackState }) => rollbackState !== 'done');
  const verb = view.endedAt === undefined ? 'for' : 'in';
  const head = `${signOf(view.state)} ${view.id}${attempt}  ${view.state} ${verb} ${lasted(took)}${detail}`;
  return [
    style.inState(view.state, head),
    '',
    ...deployTable(session, view),
    ...failures(session, view),
    ...takenBack(session, view),
    ...exportsOf(
      session,
      standing.flatMap(({ name, exports }) =>
        Object.entries(exports).map(([key, value]) => [`${name}.${key}`, value] as const),
      ),
    ),
    ...lookCloser(session, view.execution.link, releaseCommands(view)),
  ].join('\n');
}

function deployTable({ style, surroundings }: Session, view: ReleaseView): string[] {
  const now = surroundings.now();
  let before: number | undefined;
  const rows = view.deploys.map((deploy) => {
    const took = tookAt(deploy, now);
    const layer = deploy.layer === before ? '' : String(deploy.layer + 1);
    before = deploy.layer;
    const notes = deploy.kept ? 'stays from an earlier attempt' : (waitsFor(deploy)[0] ?? '').replace(/ \(.*/, '');
    const artifact = `${deploy.artifact.name} ${deploy.artifact.version}`;
    const words = [`${signOf(deploy.state)} ${deploy.name}`, artifact, deploy.state];
    return ['', layer.padStart('layer'.length), ...words, took === undefined ? '' : lasted(took).padStart(6), notes];
  });
  const [head = '', ...lines] = table([['', 'layer', '  deploy', 'artifact', 'state', '  took'], ...rows]);
  const coloured = lines.map((line, at) => style.inState(view.deploys[at]?.state ?? '', line));
  return [style.paint('dim', head), ...coloured];
}

function failures(session: Session, view: ReleaseView): string[] {
  const failed = view.deploys.filter(({ state, error }) => state === 'ERROR' && error !== undefined);
  if (failed.length === 0 && view.error === undefined) return [];
  const lines = failed.flatMap(({ name, error, rolledBack, startedAt }) => {
    const undone =
      rolledBack === undefined
        ? startedAt === undefined
          ? ''
          : '; what it had changed stays'
        : rolledBack
          ? '; undone by its plugin'
          : '; not undone by its plugin';
    return error === undefined ? [] : indented(`${name}: ${error.code}${undone}`, error.message);
  });
  // A release can also fail by itself, when its execution is lost or a deploy can't be recorded.
  if (failed.length === 0 && view.error !== undefined) lines.push(...indented(view.error.code, view.error.message));
  return ['', session.style.paint('bold', view.state === 'CANCELLED' ? 'why it ended' : 'what failed'), ...lines];
}

const TAKEN_BACK_AS: Readonly<Record<ReleaseDeploy['rollbackState'], string>> = {
  none: '',
  waiting: 'ENQUEUED',
  running: 'RUNNING',
  done: 'SUCCESS',
  failed: 'ERROR',
  superseded: 'ERROR',
  cancelled: 'CANCELLED',
  'not-reached': 'CANCELLED',
};

function takenBack({ style }: Session, view: ReleaseView): string[] {
  const order = view.deploys.filter(({ rollbackState }) => rollbackState !== 'none').reverse();
  if (order.length === 0) return [];
  const rows = order.map(({ name, rollbackState, rollbackError, rollbackId }) => {
    const why = rollbackError === undefined ? '' : `${rollbackError.code}: ${oneLine(rollbackError.message)}`;
    return ['', `${signOf(TAKEN_BACK_AS[rollbackState])} ${name}`, rollbackState, rollbackId ?? '', why];
  });
  const lines = table(rows).map((line, at) => style.inState(TAKEN_BACK_AS[order[at]?.rollbackState ?? 'none'], line));
  return ['', style.paint('bold', 'taken back, in this order'), ...lines];
}

function releaseCommands(view: ReleaseView): (readonly [string, string])[] {
  const failed = view.deploys.find(({ state, recorded }) => state === 'ERROR' && recorded);
  const logged = failed ?? view.deploys.find(({ startedAt }) => startedAt !== undefined);
  return [
    ...(view.state === 'SUCCESS' ? [] : [['why', `renga why ${view.id}`] as const]),
    ...(logged === undefined ? [] : [['log', `renga log ${logged.id}`] as const]),
    ...(view.state === 'ERROR' || view.state === 'CANCELLED'
      ? [['again', `renga release retry ${view.id}`] as const]
      : []),
  ];
}
