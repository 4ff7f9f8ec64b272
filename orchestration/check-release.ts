/** Everything that can be said about a release before anything is stored, created or started (I1). */

import type { Actor } from '../core/access/actor.ts';
import { type Deploy, isFinal } from '../core/deploy/deploy.ts';
import { type DeployDocument, EXPECTED } from '../core/documents/deploy.ts';
import { importProblems } from '../core/documents/imports.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import type { Problem } from '../core/errors.ts';
import { type Plan, planRelease } from '../core/plan/plan.ts';
import { graphProblems } from '../core/plan/problems.ts';
import { rollbackIdOf } from '../core/release/ids.ts';
import { compile, sizeProblems } from '../statemachines/compile.ts';
import type { Ports } from './ports.ts';
import { readableDeploys } from './rights.ts';

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
    ...release.deploys.flatMap(({ descriptor }, index) =>
      pluginProblems(ports, descriptor, `deploys[${index}].descriptor`),
    ),
  ];
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

/** `path`: where the descriptor stands in the document; empty when it is the document. */
export function pluginProblems(ports: Ports, descriptor: DeployDocument, path: string): Problem[] {
  if (descriptor.deploy.plugin === undefined) return [];
  const plugin = ports.plugins.get(descriptor.deploy.plugin);
  const at = (field: string) => (path === '' ? field : `${path}.${field}`);
  if (plugin === undefined) {
    const known = [...ports.plugins.keys()].sort().join(', ') || 'none';
    const message = `there is no plugin "${descriptor.deploy.plugin}" here`;
    return [{ code: 'unknown-plugin', path: at('deploy.plugin'), message, hint: `installed: ${known}` }];
  }
  // A parameter that an import gives is not known yet; a stand-in keeps the plugin from missing it.
  const imported = Object.fromEntries(Object.keys(descriptor.deploy.paramsFrom).map((name) => [name, '']));
  return plugin
    .check({ ...imported, ...descriptor.deploy.params })
    .map((message) => ({ code: 'plugin-params', path: at('deploy.params'), message }));
}
