/**
 * What one deploy's failure means for the rest of its release, at the moment it happens and not when its layer ends: a
 * sibling may be waiting for days. What runs is left alone (I6).
 */
import { type Deploy, hasNotStarted } from '../core/deploy/deploy.ts';
import type { DeployEvent } from '../core/deploy/transition.ts';
import { ReleaseDocument } from '../core/documents/release.ts';
import { descendants } from '../core/plan/graph.ts';
import { nodesOf, planRelease } from '../core/plan/plan.ts';
import type { Member, Release } from '../core/release/release.ts';
import type { DeployRow } from '../store/deploys.ts';
import { decideDeploy, decideRelease } from './decide.ts';
import { inParallel, type Ports, RENGA } from './ports.ts';
import { settleDeploy, settleRelease, summary } from './settle.ts';

export async function applyPolicy(ports: Ports, failed: Deploy): Promise<void> {
  const own = failed.identity.release;
  if (own === undefined || !('failure' in failed.status)) return;
  const failure = { code: failed.status.failure.code, message: summary(failed) };
  const decided = await decideRelease(ports, own.id, RENGA, { type: 'deploy-failed', failure }, own.attempt);
  if (decided.kind === 'changed') await settleRelease(ports, decided.row);
  const { release } = decided.row;
  if (decided.kind === 'refused' || release.status.state !== 'PENDING') return;
  if (release.identity.onFailure === 'continue' && release.status.phase === 'running') {
    await failDependants(ports, release, own.name);
  } else {
    await cancelNotStarted(ports, release, `the release stops: ${release.status.failure?.message ?? failure.message}`);
  }
}

/** Cancels every deploy of the release that has not started. */
export async function cancelNotStarted(ports: Ports, release: Release, reason: string): Promise<void> {
  const rows = await rowsOfMembers(ports, release);
  const waiting = rows.filter(({ row }) => row !== undefined && hasNotStarted(row.deploy.status.state));
  // Latest layer first: nobody's turn passes to a deploy that is about to be cancelled itself.
  await inParallel(waiting.reverse(), ({ member, row }) =>
    endDeploy(ports, row ?? member.deploy, { type: 'cancel', reason }),
  );
}

/** Concludes what depends on a failed deploy, through however many others; the rest goes on. */
async function failDependants(ports: Ports, release: Release, name: string): Promise<void> {
  const plan = planRelease(ReleaseDocument.parse(await ports.store.bodies.get(release.identity.document)));
  const dependants = new Set(descendants(nodesOf(plan), [name]));
  const rows = await rowsOfMembers(ports, release);
  const states = new Map(rows.map(({ member, row }) => [member.name, row]));
  for (const { member, row } of rows) {
    if (!dependants.has(member.name) || row === undefined || !hasNotStarted(row.deploy.status.state)) continue;
    const culprit =
      (plan.inner.get(member.name) ?? []).find((other) => other === name || dependants.has(other)) ?? name;
    const cause = states.get(culprit);
    const why =
      cause === undefined
        ? culprit
        : summary((await ports.store.deploys.read(cause.deploy.identity.id))?.deploy ?? cause.deploy);
    await endDeploy(ports, row, {
      type: 'dependency-failed',
      failure: { code: 'dependency-failed', message: `it depends on ${why}` },
    });
  }
}

async function endDeploy(ports: Ports, target: string | DeployRow, event: DeployEvent): Promise<void> {
  const decided = await decideDeploy(ports, target, RENGA, event);
  if (decided.kind === 'changed') await settleDeploy(ports, decided.row, { policy: false });
}

export async function rowsOfMembers(
  ports: Ports,
  release: Release,
): Promise<{ readonly member: Member; readonly row: DeployRow | undefined }[]> {
  const members = await ports.store.releases.members(release.identity.id, release.attempt.number);
  const rows = await ports.store.deploys.readMany(members.map(({ deploy }) => deploy));
  return members.map((member) => ({ member, row: rows.get(member.deploy) }));
}
