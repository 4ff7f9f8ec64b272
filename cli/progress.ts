/** What following shows: one line for each deploy, whether they are redrawn or appended. */
import type { DeployView, ReleaseDeploy, ReleaseView } from '../api/contract.ts';
import { oneLine } from './text.ts';
import { instant } from './time.ts';

export interface Line {
  readonly name: string;
  /** As the API reports it; of a deploy that is being taken back, that of its rollback. */
  readonly state: string;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
  /** Why it failed, or what becomes of it. */
  readonly detail: string;
}

export interface Progress {
  readonly id: string;
  readonly state: string;
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  /** What is special about now: `rolling back`, `paused`. */
  readonly detail: string;
  readonly lines: readonly Line[];
}

export function progressOfRelease(view: ReleaseView): Progress {
  const phase = view.phase === undefined || view.phase === 'running' ? [] : [view.phase.replace('-', ' ')];
  return {
    id: view.id,
    state: view.state,
    startedAt: view.startedAt,
    endedAt: view.endedAt,
    detail: [...phase, ...(view.paused ? ['paused: nothing new starts'] : [])].join(', '),
    lines: view.deploys.map(lineOf),
  };
}

function lineOf(deploy: ReleaseDeploy): Line {
  const { name, state, startedAt, endedAt, error } = deploy;
  const reasons = [
    ...waitsFor(deploy),
    ...(deploy.kept ? ['stays from an earlier attempt'] : []),
    ...(error === undefined ? [] : [`${error.code}: ${oneLine(error.message)}`]),
    ...(deploy.rolledBack === undefined
      ? []
      : [deploy.rolledBack ? 'undone by its plugin' : 'not undone by its plugin']),
    ...takenBack(deploy),
  ];
  return { name, state, startedAt, endedAt, detail: reasons.join('; ') };
}

/** What only people, or time, can bring on. */
export function waitsFor({
  id,
  state,
  approval,
  queue,
  scheduledAt,
}: Pick<ReleaseDeploy, 'id' | 'state' | 'approval' | 'queue'> & Pick<DeployView, 'scheduledAt'>): string[] {
  if (state === 'SCHEDULED' && scheduledAt !== undefined) return [`starts at ${instant(scheduledAt)}`];
  if (state === 'AWAITING_APPROVAL' && approval?.required !== undefined) {
    const given = approval.approvals.map(({ by }) => by);
    const by = given.length === 0 ? '' : `, by ${given.join(', ')}`;
    // What to do first: a narrow terminal cuts off the end.
    return [`renga approve ${id} (${given.length} of ${approval.required}${by})`];
  }
  if (state !== 'ENQUEUED') return [];
  if (queue?.freeze !== undefined)
    return [`frozen until ${instant(queue.freeze.until)}: ${oneLine(queue.freeze.reason)}`];
  return queue?.position === undefined ? [] : [`number ${queue.position} in line for a slot`];
}

const TAKEN_BACK: Readonly<Record<ReleaseDeploy['rollbackState'], string>> = {
  none: '',
  waiting: 'to be taken back',
  running: 'being taken back',
  done: 'taken back',
  failed: 'not taken back',
  superseded: 'not taken back: another deploy has gone over it',
  cancelled: 'not taken back: its rollback was cancelled',
  'not-reached': 'not taken back: the sequence ended before it',
};

function takenBack({ rollbackState, rollbackError }: ReleaseDeploy): string[] {
  const words = TAKEN_BACK[rollbackState];
  if (words === '') return [];
  return [rollbackError === undefined ? words : `${words}: ${rollbackError.code}: ${oneLine(rollbackError.message)}`];
}

export function progressOfDeploy(view: DeployView): Progress {
  const { id, state, startedAt, createdAt, endedAt, error, step, cancellation } = view;
  const detail =
    error !== undefined
      ? `${error.code}: ${oneLine(error.message)}`
      : cancellation !== undefined
        ? 'being cancelled'
        : (waitsFor(view)[0] ?? step?.name ?? '');
  return {
    id,
    state,
    startedAt: startedAt ?? createdAt,
    endedAt,
    detail: '',
    lines: [{ name: id, state, startedAt, endedAt, detail }],
  };
}

/** How long a line's work has taken at `now`; undefined while it has not begun, or was never to begin. */
export function tookAt(line: Pick<Line, 'startedAt' | 'endedAt'>, now: number): number | undefined {
  if (line.startedAt === undefined) return undefined;
  const end = line.endedAt === undefined ? now : Date.parse(line.endedAt);
  return end - Date.parse(line.startedAt);
}

const ENDED = new Set(['SUCCESS', 'ERROR', 'CANCELLED', 'DEPENDENCY_FAILED', 'REJECTED', 'EXPIRED']);

export function hasEnded(state: string): boolean {
  return ENDED.has(state);
}
