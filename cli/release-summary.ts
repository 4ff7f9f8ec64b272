/** A release as it stands: what a person reads when following has ended, or instead of following. */
import type { ReleaseDeploy, ReleaseView } from '../api/contract.ts';
import { progressOfRelease, tookAt, waitsFor } from './progress.ts';
import type { Session } from './session.ts';
import { signOf } from './style.ts';
import { exportsOf, indented, lookCloser } from './summary-parts.ts';
import { oneLine, padded, table, widthOf, wrapped } from './text.ts';
import { lasted } from './time.ts';

/** Where a deploy's name stands in the table. */
const UNDER = 11;

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

/** A note that does not fit beside its row stands under it, whole: it may be a command. */
function deployTable({ style, surroundings, columns }: Session, view: ReleaseView): string[] {
  const now = surroundings.now();
  let before: number | undefined;
  const rows = view.deploys.map((deploy) => {
    const took = tookAt(deploy, now);
    const layer = deploy.layer === before ? '' : String(deploy.layer + 1);
    before = deploy.layer;
    const artifact = `${deploy.artifact.name} ${deploy.artifact.version}`;
    const words = [`${signOf(deploy.state)} ${deploy.name}`, artifact, deploy.state];
    return ['', layer.padStart('layer'.length), ...words, took === undefined ? '' : lasted(took).padStart(6)];
  });
  const notes = view.deploys.map((deploy) =>
    deploy.kept ? 'stays from an earlier attempt' : waitsFor(deploy).join('; '),
  );
  const [head = '', ...lines] = table([['', 'layer', '  deploy', 'artifact', 'state', '  took'], ...rows]);
  const wide = Math.max(...[head, ...lines].map(widthOf));
  const coloured = lines.map((line, at) => {
    const note = notes[at] ?? '';
    const state = view.deploys[at]?.state ?? '';
    const beside = note === '' ? line : `${padded(line, wide)}  ${note}`;
    const under = wrapped(note, columns, ' '.repeat(UNDER));
    return style.inState(state, widthOf(beside) <= columns ? beside : `${line}\n${under}`);
  });
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
