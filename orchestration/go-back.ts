/**
 * Putting an earlier version back by hand, and taking a version on to another environment. Both are ordinary deploys of
 * a document that has been carried out before, without the deploys that it was submitted after.
 */
import type { Actor } from '../core/access/actor.ts';
import { ownsTargets } from '../core/configuration/fuse.ts';
import { withoutDeployments } from '../core/configuration/without-deployments.ts';
import { Configuration } from '../core/deploy/configuration.ts';
import type { Deploy } from '../core/deploy/deploy.ts';
import { DeployDocument } from '../core/documents/deploy.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import { irreversible } from '../core/governance/reversal.ts';
import type { Revision } from '../store/inventory.ts';
import type { Ports } from './ports.ts';
import { permittedDeploy, readDeploy } from './rights.ts';
import { restoring } from './roll-back.ts';
import { standingOf } from './still-current.ts';
import { type DeploySubmission, submitDeploy } from './submit-deploy.ts';
import { refuseProblems } from './submit-release.ts';

export interface Going {
  /** Of the new deploy; generated when absent. */
  readonly id?: string | undefined;
  /** Why it goes on during a freeze. */
  readonly freezeOverride?: string | undefined;
}

/**
 * Puts the version before a deploy back, or another that was there: `to` is a version, or `revision:<number>`. Throws
 * `not-found`, `forbidden`, `conflict` when the deploy is not what is current or there is nothing to go back to, and
 * `invalid-document` with what its environment has against it.
 */
export async function rollBackDeploy(
  ports: Ports,
  id: string,
  by: Actor,
  newId: () => string,
  { to, ...going }: Going & { readonly to?: string | undefined } = {},
): Promise<DeploySubmission> {
  const { deploy } = await permittedDeploy(ports, id, by, 'deployment.rollback');
  const { identity } = deploy;
  refuseUnfinished(deploy, 'roll back');
  const before = going.id === undefined ? undefined : await ports.store.deploys.read(going.id);
  if (before !== undefined && (await isRollbackOf(ports, before.deploy, deploy, to))) {
    return { row: before, accepted: false };
  }
  const { current, stands } = await standingOf(ports, deploy);
  if (!stands) {
    const message = `${current?.deploy ?? 'nothing'} is current there now, not ${id}`;
    throw new RengaError('superseded', message, { hint: 'roll back what is current: renga inventory shows it' });
  }
  const config = await ports.store.settings.configOf(identity);
  const refused = irreversible(identity.artifact, config);
  if (refused !== undefined) throw new RengaError('irreversible', refused.message);
  const revision = await targetOf(ports, deploy, to);
  const stored = Configuration.parse(await ports.store.bodies.get(revision.configuration));
  const reduced = withoutDeployments(await documentOf(ports, revision.document, id), config, stored);
  refuseProblems(reduced.problems, `the rollback of ${id}`);
  // A rollback that fails is not itself rolled back.
  const document = { ...named(reduced.document, going), rollback: { automatic: false } };
  const origin = { kind: 'rollback', rollsBack: id, restores: restoring(revision) } as const;
  return submitDeploy(ports, document, by, newId, origin);
}

/**
 * Whether a deploy is the rollback that is asked for. It may have been carried out long ago: then what it took back is
 * current no more, and who asks again, because the first answer was lost, is not to be told that.
 */
async function isRollbackOf(
  ports: Ports,
  { identity }: Deploy,
  undone: Deploy,
  to: string | undefined,
): Promise<boolean> {
  if (identity.kind !== 'rollback' || identity.release !== undefined) return false;
  if (identity.rollsBack !== undone.identity.id) return false;
  if (to === undefined) {
    const current = 'revision' in undone.status ? undone.status.revision : undefined;
    const revision = current === undefined ? undefined : await ports.store.inventory.revision(undone.identity, current);
    return revision?.previous === identity.restores?.revision;
  }
  return to === identity.artifact.version || to === `revision:${identity.restores?.revision}`;
}

/** The revision to put back. Throws `no-previous-version`, and `conflict` when the one that is asked for is current. */
async function targetOf(ports: Ports, { identity, status }: Deploy, to: string | undefined): Promise<Revision> {
  const now = 'revision' in status ? status.revision : undefined;
  const { inventory } = ports.store;
  const nothing = (message: string) =>
    new RengaError('no-previous-version', message, { hint: 'renga history lists what was there' });
  if (to === undefined) {
    const current = now === undefined ? undefined : await inventory.revision(identity, now);
    const previous = current?.previous === undefined ? undefined : await inventory.revision(identity, current.previous);
    if (previous !== undefined) return previous;
    throw nothing(`${identity.artifact.name} has no previous version in ${identity.environment}`);
  }
  const [, number] = /^revision:(\d{1,8})$/.exec(to) ?? [];
  const revisions = await inventory.revisionsOf(identity, { artifact: identity.artifact.name });
  const found =
    number === undefined
      ? revisions.find(({ artifact }) => artifact.version === to)
      : revisions.find((revision) => revision.number === Number(number));
  if (found === undefined) throw nothing(`${to} of ${identity.artifact.name} was never in ${identity.environment}`);
  if (found.number === now) throw new RengaError('conflict', `${to} is current in ${identity.environment} already`);
  return found;
}

/**
 * Deploys what succeeded in one environment to another. Throws `not-found`, `forbidden`, `conflict` for what has not
 * succeeded, and `invalid-document`.
 */
export async function promoteDeploy(
  ports: Ports,
  id: string,
  environment: string,
  by: Actor,
  newId: () => string,
  going: Going = {},
): Promise<DeploySubmission> {
  const { deploy } = await readDeploy(ports, id, by);
  const { identity } = deploy;
  refuseUnfinished(deploy, 'promote');
  if (identity.environment === environment) {
    throw new RengaError('conflict', `${id} is a deploy to ${environment} already`);
  }
  const original = await documentOf(ports, identity.restores?.document ?? identity.document, id);
  const config = await ports.store.settings.configOf({ ...identity, environment });
  const reduced = withoutDeployments({ ...original, environment }, config, undefined);
  const { targets, ...deployStep } = reduced.document.deploy;
  const problems: Problem[] = [...reduced.problems];
  if (targets !== undefined && (config === undefined || !ownsTargets(config))) {
    const message = `its targets are those of ${identity.environment}, and ${environment} sets none`;
    const hint = `set targets in the configuration of ${identity.application} in ${environment}`;
    problems.push({ code: 'targets-lost', path: 'deploy.targets', message, hint });
  }
  refuseProblems(problems, `promoting ${id}`);
  const document = { ...named(reduced.document, going), deploy: deployStep };
  return submitDeploy(ports, document, by, newId, { promotes: id });
}

function named({ id: _, ...document }: DeployDocument, { id, freezeOverride }: Going): DeployDocument {
  return { ...document, ...(id !== undefined && { id }), ...(freezeOverride !== undefined && { freezeOverride }) };
}

/** Only what has really succeeded here has a version to go back from or on with. */
function refuseUnfinished({ identity, status }: Deploy, what: string): void {
  if (identity.kind === 'external') {
    throw new RengaError('conflict', `${identity.id} is run by another pipeline: ${what} it there`);
  }
  if (identity.dryRun === true)
    throw new RengaError('conflict', `${identity.id} is a dry run: there is nothing to ${what}`);
  if (status.state === 'SUCCESS') return;
  throw new RengaError(
    'conflict',
    `${identity.id} is ${status.state}: only what has succeeded can be ${what === 'promote' ? 'promoted' : 'rolled back'}`,
  );
}

async function documentOf(ports: Ports, hash: string | undefined, id: string): Promise<DeployDocument> {
  if (hash === undefined || hash === '') throw new RengaError('no-previous-version', `no document is kept for ${id}`);
  return DeployDocument.parse(await ports.store.bodies.get(hash));
}
