/** Pausing: nothing new starts, what runs finishes. Resuming looks again at everything that was held. */
import type { Actor } from '../core/access/actor.ts';
import { hasNotStarted } from '../core/deploy/deploy.ts';
import { RengaError } from '../core/errors.ts';
import { advance } from './advance.ts';
import { rowsOfMembers } from './apply-policy.ts';
import { rollbacksOf } from './conclude-release.ts';
import { decideRelease } from './decide.ts';
import { inParallel, type Ports } from './ports.ts';
import { permittedRelease } from './rights.ts';
import { settleRelease } from './settle.ts';

/** Throws `not-found`, `forbidden` and, when the release has ended, `conflict`. */
export async function pauseRelease(ports: Ports, id: string, by: Actor, reason?: string): Promise<void> {
  await changePause(ports, id, by, 'pause', reason);
}

/** Throws `not-found`, `forbidden` and, when the release has ended, `conflict`. */
export async function resumeRelease(ports: Ports, id: string, by: Actor, reason?: string): Promise<void> {
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

async function changePause(ports: Ports, id: string, by: Actor, type: 'pause' | 'resume', reason?: string) {
  // Whoever may stop a release for good may hold it, and let it go on.
  await permittedRelease(ports, id, by, 'deployment.cancel');
  const decided = await decideRelease(ports, id, by.subject, { type, ...(reason !== undefined && { reason }) });
  if (decided.kind === 'refused') throw new RengaError('conflict', decided.reason);
  if (decided.kind === 'changed') await settleRelease(ports, decided.row);
  return decided.row;
}
