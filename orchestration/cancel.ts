/** Cancelling: first nothing new starts, then what has not concluded is cancelled, running deploys by stopping their job. */
import type { Actor } from '../core/access/actor.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import { RengaError } from '../core/errors.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { ReleaseRow } from '../store/releases.ts';
import { rowsOfMembers } from './apply-policy.ts';
import { rollbacksOf } from './conclude-release.ts';
import { decideBetweenJobs, decideDeploy, decideRelease } from './decide.ts';
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

async function cancelRow(ports: Ports, row: DeployRow, by: string, reason: string): Promise<string | undefined> {
  if (row.deploy.status.state === 'RUNNING') {
    // In a pause before a probe, or between two waves, there is nothing to stop and nothing to wait for.
    const ended = await decideBetweenJobs(ports, row, by, { type: 'cancel', reason }, { type: 'job-stopped' });
    if (ended !== undefined) {
      await settleDeploy(ports, ended);
      return undefined;
    }
  }
  const decided = await decideDeploy(ports, row, by, { type: 'cancel', reason });
  if (decided.kind === 'refused') return decided.reason;
  if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
  if (!isFinal(decided.row.deploy.status.state)) await stopJob(ports, decided.row);
  return undefined;
}
