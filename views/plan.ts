/** A release's plan with what it will cost, before anything is stored. */
import type { PlanView } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import { select } from '../core/plan/selection.ts';
import { documentProblems } from '../orchestration/check-release.ts';
import { inParallel, type Ports } from '../orchestration/ports.ts';
import { type Rights, rightsOf } from '../orchestration/rights.ts';
import { entryOf } from '../store/inventory.ts';
import { irreversibleOf, plannedEnvironments } from './plan-environments.ts';
import { planned } from './planned.ts';

export interface PlanOptions {
  readonly definition?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly withDependencies?: boolean | undefined;
}

/**
 * Throws `invalid-document` with what is wrong in the document itself. What only the table could tell (a dependency that
 * is not there, an id that is taken) is `check`'s to say: a plan is also of use before those exist.
 */
export async function planView(
  ports: Ports,
  whole: ReleaseDocument,
  options: PlanOptions,
  by: Actor,
): Promise<PlanView> {
  refuse(documentProblems(whole));
  const rights = await rightsOf(ports, by);
  const release = options.tags === undefined ? whole : await picked(ports, whole, options.tags, options, rights);
  const { view: alone, compiled } = planned(release, ports.functions);
  const [environments, irreversible] = await Promise.all([
    plannedEnvironments(ports, release, rights),
    irreversibleOf(ports, release, rights),
  ]);
  const view: PlanView = { ...alone, irreversible, environments };
  if (options.definition !== true) return view;
  return { ...view, definition: JSON.parse(compiled.definition) as Record<string, unknown> };
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new RengaError('invalid-document', 'the release can’t be planned', { problems });
}

async function picked(
  ports: Ports,
  release: ReleaseDocument,
  tags: readonly string[],
  { withDependencies = false }: PlanOptions,
  rights: Rights,
): Promise<ReleaseDocument> {
  const current = await currentNames(ports, release, rights);
  const selection = select(release, tags, { withDependencies, current });
  if (selection.problems === undefined) return selection.release;
  refuse(selection.problems);
  return release;
}

/** Names of the deploys whose artifact is current already, in the version that the release declares. */
async function currentNames(ports: Ports, release: ReleaseDocument, rights: Rights): Promise<Set<string>> {
  const names = new Set<string>();
  await inParallel(release.deploys, async ({ name, descriptor }) => {
    if (!rights.may('deployment.read', descriptor)) return;
    const { artifact } = descriptor;
    const entry = entryOf(await ports.store.inventory.current(descriptor), artifact.name);
    if (entry?.artifact.version === artifact.version && entry.artifact.type === artifact.type) names.add(name);
  });
  return names;
}
