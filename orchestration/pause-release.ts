/** Pausing: nothing new starts, what runs finishes. Resuming looks again at everything that was held. */
import { hasNotStarted } from '../core/deploy/deploy.ts';
import { RengaError } from '../core/errors.ts';
import { advance } from './advance.ts';
import { rowsOfMembers } from './apply-policy.ts';
import { rollbacksOf } from './conclude-release.ts';
import { decideRelease } from './decide.ts';
import { inParallel, type Ports } from './ports.ts';
import { settleRelease } from './settle.ts';

/** Throws `not-found` and, when the release has ended, `conflict`. */
export async function pauseRelease(ports: Ports, id: string, by: string, reason?: string): Promise<void> {
  await changePause(ports, id, by, 'pause', reason);
}

/** Throws `not-found` and, when the release has ended, `conflict`. */
export async function resumeRelease(ports: Ports, id: string, by: string, reason?: string): Promise<void> {
  const { release } = await changePause(ports, id, by, 'resume', reason);
  const members = await rowsOfMembers(ports, release);
  const rollbacks = await rollbacksOf(
    ports,
    release,
    members.map(({ member }) => member.name),
  );
  const held = [...members.flatMap(({ row }) => row ?? []), ...rollbacks.values()].filter(
    ({ deploy, wait }) => wait?.for === 'turn' && hasNotStarted(deploy.status.state),
  );
  await inParallel(held, ({ deploy }) => advance(ports, deploy.identity.id));
}

async function changePause(ports: Ports, id: string, by: string, type: 'pause' | 'resume', reason?: string) {
  if ((await ports.store.releases.read(id)) === undefined)
    throw new RengaError('not-found', `there is no release ${id}`);
  const decided = await decideRelease(ports, id, by, { type, ...(reason !== undefined && { reason }) });
  if (decided.kind === 'refused') throw new RengaError('conflict', decided.reason);
  if (decided.kind === 'changed') await settleRelease(ports, decided.row);
  return decided.row;
}
