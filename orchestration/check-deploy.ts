/** Everything that can be said about one deploy before anything is stored, created or started (I1). */
import type { Actor } from '../core/access/actor.ts';
import { type DeployDocument, dependencyId, EXPECTED } from '../core/documents/deploy.ts';
import { standaloneImportProblems } from '../core/documents/imports.ts';
import type { Problem } from '../core/errors.ts';
import { descriptorProblems } from './check-descriptor.ts';
import { dependencyProblems } from './check-release.ts';
import type { Ports } from './ports.ts';
import { readableDeploys, rightsOf } from './rights.ts';
import type { Origin } from './submit-deploy.ts';

export async function checkDeploy(
  ports: Ports,
  document: DeployDocument,
  by: Actor,
  origin: Origin = {},
): Promise<Problem[]> {
  const problems = standaloneImportProblems(document);
  const after = document.after.map(dependencyId);
  const own = after.indexOf(document.id ?? '');
  if (own >= 0)
    problems.push({ code: 'self-dependency', path: `after[${own}]`, message: `"${document.id}" waits for itself` });
  if (problems.length > 0) return problems;
  const rows = await readableDeploys(
    ports,
    by,
    after.filter((id) => !id.startsWith(EXPECTED)),
  );
  const environment = await ports.store.settings.environment(document.environment);
  const config = await ports.store.settings.configOf(document);
  const rights = await rightsOf(ports, by);
  const { dryRun, freezeOverride } = document;
  const freezable = {
    kind: origin.kind ?? ('deploy' as const),
    ...(dryRun === true && { dryRun }),
    ...(freezeOverride !== undefined && { freezeOverride }),
  };
  return [
    ...after.flatMap((id, index) => dependencyProblems(id, `after[${index}]`, rows.get(id)?.deploy)),
    ...(await descriptorProblems(ports, document, {
      rights,
      environment,
      config,
      freezable,
      putsBack: origin.kind === 'rollback',
    })),
  ];
}
