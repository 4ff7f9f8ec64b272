/**
 * Taking a release back: what succeeded returns to its previous version, most dependent first, one at a time, and the
 * first that does not succeed stops the rest (I5). Each rollback is a deploy of its own.
 */
import { type DeployIdentity, takesBack } from '../core/deploy/deploy.ts';
import { recordDeploy } from '../core/deploy/transition.ts';
import { ReleaseDocument } from '../core/documents/release.ts';
import type { Failure } from '../core/failure.ts';
import { irreversible } from '../core/governance/reversal.ts';
import { planRelease } from '../core/plan/plan.ts';
import { rollbackIdOf } from '../core/release/ids.ts';
import { type Release, submitterOf } from '../core/release/release.ts';
import { ROLLBACK_STOPPED } from '../statemachines/functions.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Revision } from '../store/inventory.ts';
import { rowsOfMembers } from './apply-policy.ts';
import { decideRelease } from './decide.ts';
import { type Ports, RENGA } from './ports.ts';
import { settleDeploy, settleRelease } from './settle.ts';
import { begin } from './start-deploy.ts';
import { superseded } from './still-current.ts';

/** Names to roll back, in order; none when the release does not roll back (it is being cancelled, say). */
export async function planRollback(ports: Ports, id: string, attempt: number): Promise<string[]> {
  const decided = await decideRelease(ports, id, RENGA, { type: 'rollback-started' }, attempt);
  if (decided.kind === 'refused') return [];
  if (decided.kind === 'changed') await settleRelease(ports, decided.row);
  const { release } = decided.row;
  const document = ReleaseDocument.parse(await ports.store.bodies.get(release.identity.document));
  const rows = await rowsOfMembers(ports, release);
  const succeeded = new Set(
    rows.filter(({ row }) => row?.deploy.status.state === 'SUCCESS').map(({ member }) => member.name),
  );
  return planRelease(document).rollbackOrder.filter((name) => succeeded.has(name));
}

/** No further rollback may start; the machine stops its sequence on this. */
class RollbackStopped extends Error {
  override readonly name = ROLLBACK_STOPPED;
}

export async function startRollback(
  ports: Ports,
  input: { readonly release: string; readonly attempt: number; readonly name: string; readonly token: string },
): Promise<void> {
  const row = await ports.store.releases.read(input.release);
  if (row === undefined) throw new Error(`there is no release ${input.release}`);
  const { release } = row;
  const id = rollbackIdOf(input.release, input.name, input.attempt);
  if ((await ports.store.deploys.read(id)) === undefined) {
    const { status } = release;
    if (status.state !== 'PENDING' || status.phase !== 'rolling-back' || release.attempt.number !== input.attempt) {
      throw new RollbackStopped(`the release ${input.release} no longer rolls back`);
    }
    await recordRollback(ports, release, input.name, id);
  }
  const found = await ports.store.deploys.read(id);
  if (found !== undefined && !takesBack(found.deploy, input)) await refuseRollback(ports, input, id);
  const rollback = await ports.store.deploys.attach(id, { branchToken: input.token });
  if (rollback === undefined) throw new Error(`there is no deploy ${id}`);
  await begin(ports, rollback);
}

/** Somebody else's deploy has the id: what it does says nothing about what was to be taken back. */
async function refuseRollback(
  ports: Ports,
  { release, attempt, name }: { readonly release: string; readonly attempt: number; readonly name: string },
  id: string,
): Promise<never> {
  const message = `the rollback of ${name} could not be recorded: there is a deploy ${id} already`;
  const event = { type: 'recording-refused', name, failure: { code: 'recording-refused', message } } as const;
  const decided = await decideRelease(ports, release, RENGA, event, attempt);
  if (decided.kind === 'changed') await settleRelease(ports, decided.row);
  throw new RollbackStopped(message);
}

async function recordRollback(ports: Ports, release: Release, name: string, id: string): Promise<void> {
  const member = await ports.store.releases.member(release.identity.id, release.attempt.number, name);
  const undone = member && (await ports.store.deploys.read(member.deploy));
  if (undone === undefined) throw new Error(`${release.identity.id} has no deploy ${name}`);
  const target = await targetOf(ports, undone);
  const found = 'previous' in target ? target.previous : undefined;
  const { release: _, restores: __, ...document } = undone.deploy.identity;
  const identity: DeployIdentity = {
    ...document,
    id,
    kind: 'rollback',
    rollsBack: undone.deploy.identity.id,
    release: { id: release.identity.id, attempt: release.attempt.number, name },
    // A rollback inherits no dependencies, and a failed one is not itself rolled back.
    after: [],
    waits: false,
    automaticRollback: false,
    ...submitterOf(release),
    createdAt: ports.now(),
    ...(found !== undefined && {
      artifact: found.artifact,
      plugin: found.plugin,
      restores: restoring(found),
    }),
  };
  const ended = 'failure' in target ? { state: 'ERROR' as const, failure: target.failure } : undefined;
  const deploy = recordDeploy(identity, ports.now(), { ended });
  if (!(await ports.store.deploys.create(deploy)) || ended === undefined) return;
  const row = await ports.store.deploys.read(id);
  if (row !== undefined) await settleDeploy(ports, row);
}

/** What a rollback notes of the revision that it puts back. */
export function restoring({ number, configuration, document }: Revision): NonNullable<DeployIdentity['restores']> {
  return { revision: number, configuration, ...(document !== undefined && { document }) };
}

/** What a deploy goes back to, or why it can't. */
async function targetOf(ports: Ports, { deploy }: DeployRow): Promise<{ previous: Revision } | { failure: Failure }> {
  const { identity, status } = deploy;
  const { artifact } = identity;
  if (status.state !== 'SUCCESS') throw new Error(`${identity.id} did not succeed: there is nothing to take back`);
  const over = await superseded(ports, deploy);
  if (over !== undefined) return { failure: over };
  const refused = irreversible(artifact, await ports.store.settings.configOf(identity));
  if (refused !== undefined) return { failure: refused };
  const revision =
    status.revision === undefined ? undefined : await ports.store.inventory.revision(identity, status.revision);
  const previous =
    revision?.previous === undefined ? undefined : await ports.store.inventory.revision(identity, revision.previous);
  if (previous === undefined) {
    const message = `${artifact.name} has no previous version in ${identity.environment}: this was its first deploy there`;
    return { failure: { code: 'no-previous-version', message } };
  }
  return { previous };
}
