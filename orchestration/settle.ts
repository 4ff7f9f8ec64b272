/**
 * What follows from a decision that has been written: turn, policy, audit, events, and the answers that machines wait
 * for. Every step may run twice and none may be lost: until the last is done, the row stays before the sweep's eyes.
 */
import { type Deploy, isFinal } from '../core/deploy/deploy.ts';
import { oneLine } from '../core/failure.ts';
import { ENDED, ROLLBACK_STOPPED } from '../statemachines/functions.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { ReleaseRow } from '../store/releases.ts';
import { keys } from '../store/schema.ts';
import { letGo } from './advance.ts';
import { deployEvents, releaseEvents } from './announce.ts';
import { applyPolicy } from './apply-policy.ts';
import { forgetOutputs } from './kept-outputs.ts';
import { concludeLostRelease } from './lose-execution.ts';
import type { Ports } from './ports.ts';

/** `policy: false` where the release's policy itself has ended the deploy: there is nothing more for it to say. */
export async function settleDeploy(
  ports: Ports,
  row: DeployRow,
  options: { policy: boolean } = { policy: true },
): Promise<void> {
  const { deploy } = row;
  const { id, release, kind, application, environment } = deploy.identity;
  const final = isFinal(deploy.status.state);
  if (final) {
    // The policy first: what it cancels must not be given the turn that this deploy leaves.
    if (options.policy && release !== undefined && kind === 'deploy' && deploy.status.state !== 'SUCCESS') {
      await applyPolicy(ports, deploy);
    }
    await giveTurn(ports, row);
    await forgetOutputs(ports, row);
  }
  await Promise.all([
    ports.store.audit.append(keys.deploy(id), deploy.pending, { application, environment }),
    ports.bus.publish(deployEvents(deploy)),
  ]);
  if (final) await answer(ports, row);
  await ports.store.deploys.settle(deploy);
}

/** Gives the turn, or the place in line, to the next. Only a deploy that has come to its turn can hold either. */
async function giveTurn(ports: Ports, row: DeployRow): Promise<void> {
  const { deploy, wait } = row;
  if (deploy.identity.kind === 'external' || deploy.identity.dryRun === true) return;
  if (wait === undefined && !('startedAt' in deploy.status)) return;
  await letGo(ports, row);
}

/** Tells the machines that wait for this deploy that it has ended: its own, and the branch of its release. */
export async function answer(ports: Ports, { deploy, wait, branchToken }: DeployRow): Promise<void> {
  const { release, kind } = deploy.identity;
  const cause = summary(deploy);
  if (wait !== undefined && deploy.status.state !== 'SUCCESS') await ports.machines.fail(wait.token, ENDED, cause);
  if (branchToken === undefined || release === undefined) return;
  const heard =
    deploy.status.state === 'SUCCESS'
      ? await ports.machines.succeed(branchToken, {})
      : await ports.machines.fail(branchToken, kind === 'rollback' ? ROLLBACK_STOPPED : ENDED, cause);
  // Nobody waits there any more: perhaps the release's execution is gone, and this was the last it waited for.
  if (!heard) await concludeLostRelease(ports, release.id, release.attempt);
}

/** How a deploy ended, in one line. */
export function summary({ identity, status }: Deploy): string {
  return 'failure' in status
    ? `${identity.id} ${status.state}: ${oneLine(status.failure.message)}`
    : `${identity.id} ${status.state}`;
}

export async function settleRelease(ports: Ports, { release }: ReleaseRow): Promise<void> {
  await Promise.all([
    ports.store.audit.append(keys.release(release.identity.id), release.pending),
    ports.bus.publish(releaseEvents(release)),
  ]);
  await ports.store.releases.settle(release);
}
