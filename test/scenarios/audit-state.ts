/** What a deploy or a release is, worked out from its audit alone. */
import type { Decision } from '../../core/deploy/deploy.ts';

export interface FromAudit {
  readonly state: string;
  readonly approvals: readonly string[];
  readonly rolledBack: boolean | undefined;
  readonly attempt: number;
  /** What does not fit together in the rows. */
  readonly wrong: readonly string[];
}

/** What each action of a deploy leads to, from where; `*`: it says so itself. */
const ACTIONS: Readonly<Record<string, { readonly from: readonly string[]; readonly to: readonly string[] }>> = {
  'schedule.due': { from: ['SCHEDULED'], to: ['WAITING_DEPENDENCY', 'AWAITING_APPROVAL', 'ENQUEUED'] },
  'after.finish': {
    from: ['SCHEDULED', 'WAITING_DEPENDENCY', 'AWAITING_APPROVAL', 'ENQUEUED'],
    to: ['AWAITING_APPROVAL', 'ENQUEUED', 'DEPENDENCY_FAILED'],
  },
  'approval.granted': { from: ['AWAITING_APPROVAL'], to: ['AWAITING_APPROVAL', 'ENQUEUED'] },
  'approval.rejected': { from: ['AWAITING_APPROVAL'], to: ['REJECTED'] },
  'approval.expired': { from: ['AWAITING_APPROVAL'], to: ['EXPIRED'] },
  'deploy.started': { from: ['ENQUEUED'], to: ['RUNNING'] },
  'deploy.succeeded': { from: ['RUNNING'], to: ['CONCLUDING'] },
  'deploy.rolling-back': { from: ['RUNNING'], to: ['ROLLING_BACK'] },
  'deploy.cancel-requested': { from: ['RUNNING'], to: ['RUNNING'] },
  'deploy.cancelled': {
    from: ['SCHEDULED', 'WAITING_DEPENDENCY', 'AWAITING_APPROVAL', 'ENQUEUED', 'RUNNING'],
    to: ['CANCELLED'],
  },
  'deploy.finish': { from: ['*'], to: ['SUCCESS', 'ERROR', 'CANCELLED'] },
  'release.deploy-failed': { from: ['*'], to: ['*'] },
  'release.failing': { from: ['*'], to: ['*'] },
  'release.recording-refused': { from: ['*'], to: ['*'] },
  'release.execution-lost': { from: ['*'], to: ['*'] },
  'release.cancel-requested': { from: ['*'], to: ['*'] },
  'release.rolling-back': { from: ['*'], to: ['*'] },
  'release.paused': { from: ['*'], to: ['*'] },
  'release.resumed': { from: ['*'], to: ['*'] },
  'release.finish': { from: ['*'], to: ['SUCCESS', 'ERROR', 'CANCELLED'] },
  'release.retried': { from: ['ERROR', 'CANCELLED'], to: ['*'] },
};

export function stateFromAudit(rows: readonly Decision[]): FromAudit {
  const [first, ...rest] = rows;
  const wrong: string[] = [];
  let state = first?.to ?? 'nothing';
  let at = first?.at ?? 0;
  let attempt = 1;
  let rolledBack: boolean | undefined;
  const approvals: string[] = [];
  const allowed = (list: readonly string[], value: string) => list.includes('*') || list.includes(value);
  if (first !== undefined && !['deploy.recorded', 'release.submitted'].includes(first.action)) {
    wrong.push(`the first row is ${first.action}`);
  }
  for (const row of rest) {
    const action = ACTIONS[row.action];
    if (action === undefined) wrong.push(`${row.seq} is ${row.action}, which is no action`);
    else if (!allowed(action.from, state) || !allowed(action.to, row.to)) {
      wrong.push(`${row.seq}: ${row.action} leads from ${state} to ${row.to}`);
    }
    if (row.from !== undefined && row.from !== state && state !== 'PENDING') {
      wrong.push(`${row.seq} begins at ${row.from} after ${state}`);
    }
    if (row.at < at) wrong.push(`${row.seq} is earlier than the one before`);
    if (row.action === 'approval.granted') approvals.push(row.by);
    if (row.action === 'release.retried') attempt++;
    if (row.rolledBack !== undefined) rolledBack = row.rolledBack;
    state = row.to;
    at = row.at;
  }
  return { state, approvals, rolledBack, attempt, wrong };
}
