/** A deploy on its own, outside any release: recorded by one conditional write, then started. */

import type { DeployIdentity } from '../core/deploy/deploy.ts';
import { recordDeploy } from '../core/deploy/transition.ts';
import { contentHash, differences } from '../core/documents/content.ts';
import type { DeployDocument } from '../core/documents/deploy.ts';
import { standaloneImportProblems } from '../core/documents/imports.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import type { DeployRow } from '../store/deploys.ts';
import { dependencyProblems, pluginProblems } from './check-release.ts';
import type { Ports } from './ports.ts';
import { identityFrom } from './record-deploys.ts';
import { settleDeploy } from './settle.ts';
import { begin } from './start-deploy.ts';
import { refuseProblems } from './submit-release.ts';

export async function checkDeploy(ports: Ports, document: DeployDocument): Promise<Problem[]> {
  const problems = standaloneImportProblems(document);
  const own = document.after.indexOf(document.id ?? '');
  if (own >= 0)
    problems.push({ code: 'self-dependency', path: `after[${own}]`, message: `"${document.id}" waits for itself` });
  if (problems.length > 0) return problems;
  const rows = await ports.store.deploys.readMany(document.after);
  return [
    ...document.after.flatMap((id, index) => dependencyProblems(id, `after[${index}]`, rows.get(id)?.deploy.status)),
    ...pluginProblems(ports, document, ''),
  ];
}

/**
 * Throws `invalid-document` with every problem, or `id-taken`. `newId` names a deploy whose document does not: the same
 * document sent twice without an id is two deploys.
 */
export async function submitDeploy(
  ports: Ports,
  document: DeployDocument,
  by: string,
  newId: () => string,
): Promise<{ readonly row: DeployRow; readonly accepted: boolean }> {
  const id = document.id ?? newId();
  const named = { ...document, id };
  const before = await submittedDeploy(ports, named);
  if (before !== undefined) return { row: before, accepted: false };
  refuseProblems(await checkDeploy(ports, named), `the deploy ${id}`);
  const [hash = ''] = await ports.store.bodies.put(named);
  const identity: DeployIdentity = {
    ...identityFrom(named, id, hash),
    after: [...named.after],
    waits: named.after.length > 0,
    submittedBy: by,
    createdAt: ports.now(),
  };
  const deploy = recordDeploy(identity, ports.now());
  if (!(await ports.store.deploys.create(deploy))) {
    const winner = await submittedDeploy(ports, named);
    if (winner === undefined) throw new Error(`the deploy ${id} was there and is gone`);
    return { row: winner, accepted: false };
  }
  const row: DeployRow = { deploy, remaining: new Set(), sweeps: 0 };
  await begin(ports, row);
  await settleDeploy(ports, row);
  return { row, accepted: true };
}

/** The same deploy, when it has been submitted before. Throws `id-taken` when another one has its id. */
export async function submittedDeploy(
  ports: Ports,
  document: DeployDocument & { readonly id: string },
): Promise<DeployRow | undefined> {
  const row = await ports.store.deploys.read(document.id);
  if (row === undefined) return undefined;
  const { identity } = row.deploy;
  if (identity.release === undefined && identity.document === contentHash(document)) return row;
  throw new RengaError('id-taken', `there is a deploy ${document.id} already, with other content`, {
    hint: 'a deploy runs once: give this one another id',
    differences: differences(await ports.store.bodies.get(identity.document), document),
  });
}
