/** Everything that can be said about a release before anything is stored, created or started (I1). */

import type { Actor } from '../core/access/actor.ts';
import { type Deploy, isFinal } from '../core/deploy/deploy.ts';
import { type DeployDocument, EXPECTED } from '../core/documents/deploy.ts';
import { importProblems } from '../core/documents/imports.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import type { Problem } from '../core/errors.ts';
import { ancestors, type Node } from '../core/plan/graph.ts';
import { nodesOf, type Plan, planRelease } from '../core/plan/plan.ts';
import { graphProblems } from '../core/plan/problems.ts';
import { rollbackIdOf } from '../core/release/ids.ts';
import { compile, sizeProblems } from '../statemachines/compile.ts';
import { descriptorProblems, type Surroundings, within } from './check-descriptor.ts';
import { inParallel, type Ports } from './ports.ts';
import { type Rights, readableDeploys, rightsOf } from './rights.ts';

/** Problems that the document alone shows: the same wherever it is checked. */
export function documentProblems(release: ReleaseDocument): Problem[] {
  const imports = release.deploys.flatMap((entry, index) => importProblems(entry, `deploys[${index}]`));
  return [...graphProblems(release), ...imports];
}

/** Problems that what is stored, and what is installed, show. Only for a release whose document is right. */
async function placeProblems(ports: Ports, release: ReleaseDocument, plan: Plan, by: Actor): Promise<Problem[]> {
  const indexes = new Map(release.deploys.map(({ name }, index) => [name, index]));
  const external = plan.deploys.flatMap((deploy) =>
    deploy.external.map((id) => ({ id, index: indexes.get(deploy.name) ?? 0 })),
  );
  const own = plan.deploys.map(({ id, name }) => ({ id, name, index: indexes.get(name) ?? 0 }));
  const rollbacks =
    release.onFailure === 'rollback'
      ? own.map(({ name, index }) => ({ id: rollbackIdOf(release.id, name, 1), index }))
      : [];
  const rows = await ports.store.deploys.readMany([...own, ...rollbacks].map(({ id }) => id));
  const rights = await rightsOf(ports, by);
  const awaited = await readableDeploys(
    ports,
    by,
    external.map(({ id }) => id),
  );
  return [
    ...external.flatMap(({ id, index }) =>
      dependencyProblems(id, `deploys[${index}].descriptor.after`, awaited.get(id)?.deploy),
    ),
    ...[...own, ...rollbacks].flatMap(({ id, index }) => (rows.has(id) ? [taken(id, `deploys[${index}]`)] : [])),
    ...(await descriptorsProblems(ports, release, plan, rights)),
  ];
}

/** What each descriptor is in its environment, with what the others of the release bring before it. */
async function descriptorsProblems(
  ports: Ports,
  release: ReleaseDocument,
  plan: Plan,
  rights: Rights,
): Promise<Problem[]> {
  const documents = release.deploys.map(({ descriptor }) => descriptor);
  const environments = await ports.store.settings.environments(documents.map(({ environment }) => environment));
  const configs = await ports.store.settings.configs(documents);
  const entries = new Map(release.deploys.map((entry) => [entry.name, entry]));
  const ids = new Map(plan.deploys.map(({ id, name }) => [id, name]));
  const nodes = nodesOf(plan);
  const problems: Problem[][] = [];
  await inParallel([...release.deploys.entries()], async ([index, { name, descriptor }]) => {
    const needsOthers =
      Object.keys(descriptor.imports).length > 0 || environments.get(descriptor.environment)?.promotion;
    const earlier = needsOthers ? earlierOf(plan, nodes, name) : new Set<string>();
    const around: Surroundings = {
      rights,
      environment: environments.get(descriptor.environment),
      config: configs.get(descriptor),
      freezable: { kind: 'deploy', ...(descriptor.freezeOverride && { freezeOverride: descriptor.freezeOverride }) },
      inRelease: {
        exportsOf: (producer) => entries.get(ids.get(producer) ?? producer)?.descriptor.exports,
        before: (place) =>
          release.deploys.find((other) => earlier.has(other.name) && goesTo(other.descriptor, place))?.descriptor,
      },
    };
    problems[index] = within(`deploys[${index}].descriptor`, await descriptorProblems(ports, descriptor, around));
  });
  return problems.flat();
}

/** What has succeeded before a deploy starts: what it depends on; in sequential order also whatever comes before it. */
function earlierOf(plan: Plan, nodes: readonly Node[], name: string): Set<string> {
  const found = new Set(ancestors(nodes, [name]));
  found.delete(name);
  if (plan.order !== 'sequential') return found;
  const order = plan.deploys.map((deploy) => deploy.name);
  return new Set(order.slice(0, order.indexOf(name)));
}

function goesTo(
  descriptor: DeployDocument,
  place: { application: string; environment: string; tenant?: string | undefined; artifact?: string | undefined },
): boolean {
  const { application, environment, tenant, artifact } = descriptor;
  if (application !== place.application || environment !== place.environment || tenant !== place.tenant) return false;
  return place.artifact === undefined || place.artifact === artifact.name;
}

/** Checks a release whole; every problem at once. The same for `check` and for a submission. */
export async function checkRelease(ports: Ports, release: ReleaseDocument, by: Actor): Promise<Problem[]> {
  const problems = documentProblems(release);
  if (problems.length > 0) return problems;
  const plan = planRelease(release);
  const compiled = compile(plan, release.onFailure, ports.functions);
  return [...sizeProblems(compiled), ...(await placeProblems(ports, release, plan, by))];
}

/** What is wrong with waiting for a deploy; an expectation is never wrong by itself. */
export function dependencyProblems(id: string, path: string, deploy: Deploy | undefined): Problem[] {
  if (id.startsWith(EXPECTED)) return [];
  if (deploy === undefined) {
    const hint = 'write the id of a deploy that has been submitted';
    return [{ code: 'unknown-dependency', path, message: `there is no deploy "${id}"`, hint }];
  }
  if (deploy.identity.dryRun === true) {
    const hint = 'a dry run changes nothing; wait for the deploy itself';
    return [{ code: 'dry-run-dependency', path, message: `"${id}" is a dry run`, hint }];
  }
  const { state } = deploy.status;
  if (isFinal(state) && state !== 'SUCCESS') {
    const hint = 'wait for a deploy that can still succeed, or that has';
    return [{ code: 'failed-dependency', path, message: `"${id}" has already ended ${state}`, hint }];
  }
  return [];
}

function taken(id: string, path: string): Problem {
  return {
    code: 'id-taken',
    path,
    message: `there is a deploy "${id}" already`,
    hint: 'a deploy runs once: give this one another id',
  };
}
