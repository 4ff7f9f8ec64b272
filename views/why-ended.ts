/** How a deploy ended and why, with the first cause: what failed by itself, not because something else had. */
import type { WhyReason } from '../api/contract.ts';
import { type Deploy, isFinal } from '../core/deploy/deploy.ts';
import { bound } from '../orchestration/dependencies.ts';
import type { Ports } from '../orchestration/ports.ts';
import { RENGA } from '../orchestration/ports.ts';
import type { Rights } from '../orchestration/rights.ts';
import type { DeployRow } from '../store/deploys.ts';
import { entryOf } from '../store/inventory.ts';
import { clockTime, iso, lasting } from './instant.ts';
import { readAttempt } from './release.ts';
import { rollbackStateOf } from './rollback-state.ts';
import { asSeen, readsRelease } from './seen.ts';
import { deployTimeline } from './timeline.ts';
import { aboutDeploy, aboutRelease, because } from './why-words.ts';

/** The deploy without whose failure this one would not have failed, and the way to it. */
async function firstCause(ports: Ports, deploy: Deploy, rights: Rights): Promise<{ deploy: Deploy; path: string[] }> {
  const path = [deploy.identity.id];
  let at = deploy;
  while (at.status.state === 'DEPENDENCY_FAILED') {
    const after = await bound(ports, at.identity);
    const rows = await ports.store.deploys.readMany(after);
    const culprit = after
      .flatMap((id) => rows.get(id) ?? [])
      .find(({ deploy: { status } }) => 'failure' in status && isFinal(status.state));
    // It gave up by itself, or what failed is no longer there, or is not the caller's to see.
    if (
      culprit === undefined ||
      !rights.may('deployment.read', culprit.deploy.identity) ||
      path.includes(culprit.deploy.identity.id)
    )
      break;
    at = culprit.deploy;
    path.push(at.identity.id);
  }
  return { deploy: at, path };
}

/** What can be done about a deploy that ended with this code. */
const REMEDIES: Readonly<Record<string, string>> = {
  timeout: 'Its log tells where it hung; `deploy.timeout` in its document gives it longer.',
  'exports-invalid': 'Mend the output of its plugin, or the pattern of the export in its document.',
  'import-missing': 'Let the producer declare and write that export.',
  'execution-lost':
    'Somebody stopped its execution in the console, or it died at a limit of Step Functions; what its job had done until then stays.',
  'after-timeout': '`afterTimeout` in its document lets it wait longer.',
  'start-failed': 'The cause is in the message; the log of renga has more.',
  'plugin-failed': 'Its log has the whole of it.',
  rejected: 'Submit it again, under another id, when the reason is gone.',
  'approval-expired': 'Submit it again, under another id, and tell the approvers: renga why names them while it waits.',
  'verify-failed': 'Its log tells what the last look saw; `verify.timeout` gives it longer.',
  'step-failed': 'The log of that step has the whole of it: renga log --job.',
  irreversible: 'Undo it by hand if it must be undone.',
  'no-previous-version': 'There is nothing to go back to: mend it forward, with a new release.',
  superseded: 'Look at the deploy that is current before anything is taken back.',
};

export async function endedReasons(
  ports: Ports,
  row: DeployRow,
  rights: Rights,
): Promise<{ summary: string; reasons: WhyReason[] }> {
  const { deploy } = row;
  const { identity, status } = deploy;
  const { id } = identity;
  if (!isFinal(status.state) || !('endedAt' in status)) throw new Error(`${id} has not ended`);
  const at = clockTime(status.endedAt);
  if (status.state === 'SUCCESS') return succeeded(ports, deploy, at, rights);

  const { failure } = status;
  const reasons: WhyReason[] = [];
  const since = iso(status.endedAt);
  if (status.state === 'CANCELLED') {
    const decision = (await deployTimeline(ports, deploy))
      // Whoever asked for it comes first; that its job was stopped is renga's own decision.
      .find(({ action }) => action.startsWith('deploy.cancel'));
    const by = decision?.by ?? RENGA;
    const cause = await releaseCause(ports, deploy, rights);
    if (cause !== undefined && by === RENGA) reasons.push(cause);
    const who = by === RENGA ? 'by renga, as its release says,' : `by ${by}`;
    return {
      summary: `${id} was cancelled ${who} at ${at}: ${because(failure.message)}.`,
      reasons: [...reasons, ...(await nextSteps(ports, deploy, rights))],
    };
  }
  if (status.state === 'DEPENDENCY_FAILED') {
    const { deploy: first, path } = await firstCause(ports, deploy, rights);
    const cause = first === deploy ? first : await asSeen(ports, rights, first);
    if (cause !== deploy && 'failure' in cause.status) {
      const chain = path.slice(1).join(', which waited for ');
      reasons.push({
        code: 'cause',
        text: `${id} waited for ${chain}; the first cause is ${cause.identity.id}, which ended ${cause.status.state}: ${because(cause.status.failure.message)}.`,
        since: iso(cause.status.since),
        ...aboutDeploy(cause.identity.id),
        ...remedy(cause.status.failure.code, cause.identity.id),
      });
    } else
      reasons.push({
        code: 'ended',
        text: `It never started: ${because(failure.message)}.`,
        since,
        ...remedy(failure.code, id),
      });
    return {
      summary: `${id} did not run: ${because(failure.message)} (DEPENDENCY_FAILED at ${at}).`,
      reasons: [...reasons, ...(await nextSteps(ports, deploy, rights))],
    };
  }

  if (status.state === 'REJECTED' || status.state === 'EXPIRED') {
    const [what, text] =
      status.state === 'REJECTED'
        ? ['was rejected', 'It never started: an approver said no.']
        : ['expired', 'It never started: not enough approvals came in time.'];
    reasons.push({ code: 'ended', text, since, ...aboutDeploy(id), ...remedy(failure.code, id) });
    return { summary: `${id} ${what} at ${at}: ${because(failure.message)}.`, reasons };
  }
  const ran =
    status.startedAt === undefined
      ? 'without having started'
      : `after running ${lasting(status.endedAt - status.startedAt)}`;
  reasons.push({
    code: 'ended',
    text: `${id} ended ${status.state} (${failure.code}) ${ran}.`,
    since,
    ...aboutDeploy(id),
    ...remedy(failure.code, id),
  });
  if (status.state === 'ERROR' && status.rolledBack !== undefined) {
    const text = status.rolledBack
      ? `The plugin's own rollback of ${id} succeeded.`
      : `The plugin's own rollback of ${id} did not succeed: what it had changed is still there in part.`;
    reasons.push({ code: 'rollback', text, ...aboutDeploy(id) });
  }
  if (status.state === 'ERROR' && status.rolledBack === undefined && status.startedAt !== undefined) {
    const text = `Nothing was undone: what the job of ${id} had changed by then is still there.`;
    const unblock = 'With `rollback: {automatic: true}` in its document its plugin would put back what stood there.';
    reasons.push({ code: 'ended', text, ...aboutDeploy(id), unblock });
  }
  return {
    summary: `${id} failed at ${at}: ${because(failure.message)}.`,
    reasons: [...reasons, ...(await nextSteps(ports, deploy, rights))],
  };
}

function remedy(code: string, id: string): { unblock?: string } {
  const words = REMEDIES[code];
  return words === undefined ? {} : { unblock: words.includes('log') ? `${words} (renga log ${id})` : words };
}

async function succeeded(
  ports: Ports,
  deploy: Deploy,
  at: string,
  rights: Rights,
): Promise<{ summary: string; reasons: WhyReason[] }> {
  const { identity, status } = deploy;
  if (status.state !== 'SUCCESS') throw new Error(`${identity.id} did not succeed`);
  const { id, application, environment, artifact } = identity;
  const ran = status.startedAt === undefined ? '' : ` after running ${lasting(status.endedAt - status.startedAt)}`;
  const reasons: WhyReason[] = [];
  const current = entryOf(await ports.store.inventory.current(identity), artifact.name);
  if (current !== undefined && current.deploy !== id) {
    const text = `It is no longer current: ${current.deploy} has put ${artifact.name} ${current.artifact.version} there at ${clockTime(current.at)}.`;
    reasons.push({ code: 'ended', text, since: iso(current.at), ...aboutDeploy(current.deploy) });
  }
  const found =
    identity.kind === 'deploy' &&
    identity.release &&
    (await readsRelease(ports, rights, identity.release.id)) &&
    (await ports.store.releases.read(identity.release.id));
  if (identity.release && found && found.release.attempt.number === identity.release.attempt) {
    const { state, error } = rollbackStateOf(identity.release.name, await readAttempt(ports, found.release));
    if (state !== 'none' && state !== 'done') {
      const words =
        state === 'waiting' || state === 'running'
          ? 'its release goes back, and this is taken back as well'
          : because(error?.message ?? state);
      reasons.push({
        code: 'rollback',
        text: `Rollback: ${state}; ${words}.`,
        ...aboutRelease(found.release.identity.id),
      });
    }
  }
  return {
    summary: `${id} succeeded at ${at}${ran}: ${artifact.name} ${artifact.version} is revision ${status.revision} of ${application} in ${environment}.`,
    reasons,
  };
}

/** The first thing that went wrong in the release of a deploy that the release's policy ended. */
async function releaseCause(ports: Ports, { identity }: Deploy, rights: Rights): Promise<WhyReason | undefined> {
  if (identity.release === undefined || !(await readsRelease(ports, rights, identity.release.id))) return undefined;
  const found = await ports.store.releases.read(identity.release.id);
  const failure = found?.release.status.failure;
  if (found === undefined || failure === undefined) return undefined;
  const [first = ''] = failure.message.split('\n');
  return {
    code: 'cause',
    text: `The first cause in the release ${identity.release.id}: ${because(first)}.`,
    since: iso(found.release.status.since),
    ...aboutRelease(identity.release.id),
  };
}

/** How to go on after a deploy that ended without success. */
async function nextSteps(ports: Ports, { identity }: Deploy, rights: Rights): Promise<WhyReason[]> {
  if (identity.release === undefined) {
    return [
      {
        code: 'ended',
        text: 'A deploy runs once: to try again, submit it under another id.',
        ...aboutDeploy(identity.id),
      },
    ];
  }
  if (!(await readsRelease(ports, rights, identity.release.id))) return [];
  const found = await ports.store.releases.read(identity.release.id);
  if (found === undefined) return [];
  const { id } = found.release.identity;
  const { state } = found.release.status;
  if (state === 'PENDING') {
    return [{ code: 'ended', text: `Its release ${id} has not ended yet: renga why ${id}.`, ...aboutRelease(id) }];
  }
  if (state === 'SUCCESS') return [];
  const text = `Its release ${id} ended ${state}: once the cause is mended, renga release retry ${id} tries what is missing again.`;
  return [{ code: 'ended', text, ...aboutRelease(id) }];
}
