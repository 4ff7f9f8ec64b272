/** A deploy submitted by itself: checked like those of a release, then on its own way at once. */
import type { Actor } from '../core/access/actor.ts';
import type { DeployIdentity } from '../core/deploy/deploy.ts';
import { recordDeploy } from '../core/deploy/transition.ts';
import type { Permission } from '../core/documents/access.ts';
import { contentHash, differences } from '../core/documents/content.ts';
import { type DeployDocument, dependencyId } from '../core/documents/deploy.ts';
import { RengaError } from '../core/errors.ts';
import { approvalOf } from '../core/governance/approval.ts';
import type { DeployRow } from '../store/deploys.ts';
import { checkDeploy } from './check-deploy.ts';
import { permitDeploy } from './permit.ts';
import type { Ports } from './ports.ts';
import { identityFrom } from './record-deploys.ts';
import { mayRead } from './rights.ts';
import { settleDeploy } from './settle.ts';
import { begin } from './start-deploy.ts';
import { refuseProblems } from './submit-release.ts';

type Named = DeployDocument & { readonly id: string };

/** What a deploy that is not simply one document's has beside it. */
export type Origin = Partial<Pick<DeployIdentity, 'kind' | 'rollsBack' | 'restores' | 'promotes' | 'schedule'>>;

export interface DeploySubmission {
  readonly row: DeployRow;
  /** False when the same deploy had been submitted before: nothing was started. */
  readonly accepted: boolean;
}

/**
 * Throws `invalid-document` with every problem, `forbidden`, or `id-taken`. `newId` names a deploy whose document does
 * not: the same document sent twice without an id is two deploys.
 */
export async function submitDeploy(
  ports: Ports,
  document: DeployDocument,
  by: Actor,
  newId: () => string,
  origin: Origin = {},
): Promise<DeploySubmission> {
  const named: Named = { ...document, id: document.id ?? newId() };
  const before = await submittedDeploy(ports, named, by, origin);
  if (before !== undefined) return { row: before, accepted: false };
  await permitDeploy(ports, named, by, permissionOf(origin));
  // Read once: what is checked against and what is asked of approvers are the same.
  const environment = await ports.store.settings.environment(named.environment);
  refuseProblems(await checkDeploy(ports, named, by, origin, { environment }), `the deploy ${named.id}`);

  const [hash = ''] = await ports.store.bodies.put(named);
  const now = ports.now();
  const after = named.after.map(dependencyId);
  const identity: DeployIdentity = {
    ...identityFrom(named, named.id, hash, environment),
    ...origin,
    after,
    waits: after.length > 0,
    submittedBy: by.subject,
    ...(by.kind === 'pipeline' && { submittedAs: by.kind }),
    ...(by.groups.length > 0 && { groups: [...by.groups] }),
    createdAt: now,
  };
  const deploy = recordDeploy(identity, now, { approval: approvalOf(environment, identity, now) });
  if (!(await ports.store.deploys.create(deploy))) {
    const winner = await submittedDeploy(ports, named, by, origin);
    if (winner === undefined) throw new Error(`the deploy ${named.id} was there and is gone`);
    return { row: winner, accepted: false };
  }
  const row: DeployRow = { deploy, remaining: new Set(), sweeps: 0 };
  await begin(ports, row);
  await settleDeploy(ports, row);
  return { row, accepted: true };
}

/**
 * The same deploy, when it has been submitted before. Throws `id-taken` when another one has its id, naming what differs
 * to whoever may read that; `forbidden` as without it to whoever may neither read that nor submit this.
 */
export async function submittedDeploy(
  ports: Ports,
  document: Named,
  by: Actor,
  origin: Origin = {},
): Promise<DeployRow | undefined> {
  const row = await ports.store.deploys.read(document.id);
  if (row === undefined) return undefined;
  const { identity } = row.deploy;
  const readable = await mayRead(ports, by, identity);
  // Which ids are taken is only told to whoever may submit: others could look for them by trying.
  if (!readable) await permitDeploy(ports, document, by, permissionOf(origin));
  const { kind = 'deploy', rollsBack } = origin;
  // The rollback of one deploy says nothing about another, even when both put the same version back.
  const alike = identity.release === undefined && identity.kind === kind && identity.rollsBack === rollsBack;
  const same = alike && identity.document === contentHash(document);
  if (same && readable) return row;
  const known = readable && identity.document !== '';
  throw new RengaError('id-taken', `there is a deploy ${document.id} already, with other content`, {
    hint: 'a deploy runs once: give this one another id',
    ...(known && { differences: differences(await ports.store.bodies.get(identity.document), document) }),
  });
}

function permissionOf({ kind }: Origin): Permission {
  return kind === 'rollback' ? 'deployment.rollback' : 'deployment.submit';
}
