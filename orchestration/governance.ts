/** What an environment asks of what is deployed to it, beside what the document alone shows. */
import type { DeployDocument } from '../core/documents/deploy.ts';
import type { EnvironmentDocument } from '../core/documents/environment.ts';
import type { Problem } from '../core/errors.ts';
import { promotionProblem } from '../core/governance/promotion.ts';
import { entryOf } from '../store/inventory.ts';
import type { Ports } from './ports.ts';

/** Whether the same version is current where this environment takes things from. `seen`: which one is may be told. */
export async function promotionProblems(
  ports: Ports,
  document: Pick<DeployDocument, 'application' | 'artifact' | 'tenant'>,
  environment: EnvironmentDocument | undefined,
  seen = true,
): Promise<Problem[]> {
  const from = environment?.promotion?.from;
  if (from === undefined) return [];
  const { application, artifact, tenant } = document;
  const current = await ports.store.inventory.current({ application, environment: from, tenant });
  const problem = promotionProblem(environment, artifact, entryOf(current, artifact.name)?.artifact.version, seen);
  return problem === undefined ? [] : [problem];
}
