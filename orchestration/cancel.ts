/** Cancelling: first nothing new starts, then what has not concluded is cancelled, running deploys by stopping their job. */
import type { Actor } from '../core/access/actor.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import { RengaError } from '../core/errors.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { ReleaseRow } from '../store/releases.ts';
import { rowsOfMembers } from './apply-policy.ts';
import { rollbacksOf } from './conclude-release.ts';
import { decideDeploy, decideRelease } from './decide.ts';
import { inParallel, type Ports } from './ports.ts';
import { permittedDeploy, permittedRelease } from './rights.ts';
import { settleDeploy, settleRelease } from './settle.ts';
import { stopJob } from './stop-job.ts';

/** Throws `not-found`, `forbidden` and, when it has already ended, `conflict`. */
export async function cancelRelease(ports: Ports, id: string, by: Actor, reason: string): Promise<void> {
  await permittedRelease(ports, id, by, 'deployment.cancel');
  const decided = await decideRelease(ports, id, by.subject, { type: 'cancel', reason });
  if (decided.kind === 'refused') throw new RengaError('conflict', decided.reason);
  if (decided.kind === 'changed') await settleRelease(ports, decided.row);
  await cancelDeploys(ports, decided.row, by.subject, reason);
}

/** Cancels what is left of a release that is being cancelled. A rollback that runs ends by itself; no other starts. */
export async function cancelDeploys(ports: Ports, { release }: ReleaseRow, by: string, reason: string): Promise<void> {
  const members = await rowsOfMembers(ports, release);
  const rollbacks = await rollbacksOf(
    ports,
    release,
    members.map(({ member }) => member.name),
  );
  const waiting = [...rollbacks.values()].filter(({ deploy }) => deploy.status.state === 'ENQUEUED');
  const open = members.flatMap(({ row }) => row ?? []).filter(({ deploy }) => !isFinal(deploy.status.state));
  await inParallel([...waiting, ...open.reverse()], (row) => cancelRow(ports, row, by, reason));
}

/** Throws `not-found`, `forbidden` and, when it has already ended, `conflict`. */
export async function cancelDeploy(ports: Ports, id: string, by: Actor, reason: string): Promise<void> {
  const row = await permittedDeploy(ports, id, by, 'deployment.cancel');
  const refused = await cancelRow(ports, row, by.subject, reason);
  if (refused !== undefined) throw new RengaError('conflict', refused);
}

/** One job has been read and the next has not been come to: nothing runs, and nothing will. */
function isBetweenJobs({ progress, jobFor, deploy: { status } }: DeployRow): boolean {
  return status.state === 'RUNNING' && progress !== undefined && jobFor !== progress.place.key;
}

async function cancelRow(ports: Ports, row: DeployRow, by: string, reason: string): Promise<string | undefined> {
  const decided = await decideDeploy(ports, row, by, { type: 'cancel', reason });
  if (decided.kind === 'refused') return decided.reason;
  if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
  const { row: cancelled } = decided;
  if (isFinal(cancelled.deploy.status.state)) return undefined;
  if (isBetweenJobs(cancelled)) {
    // Its next job, whenever its machine comes to it, finds that it has ended.
    const stopped = await decideDeploy(ports, cancelled, by, { type: 'job-stopped' });
    if (stopped.kind === 'changed') await settleDeploy(ports, stopped.row);
  } else await stopJob(ports, cancelled);
  return undefined;
}
