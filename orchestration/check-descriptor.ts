/**
 * What a deploy's document must be beside what stands in it: with the configuration of its environment, under its
 * policy, with what it imports. The same for a deploy that is submitted by itself and for each of a release.
 */
import { fusionProblems } from '../core/configuration/fuse.ts';
import { type DeployDocument, EXPECTED, type Export, type Import } from '../core/documents/deploy.ts';
import type { EnvironmentConfigDocument, EnvironmentDocument } from '../core/documents/environment.ts';
import { extendPath } from '../core/documents/path.ts';
import type { Problem } from '../core/errors.ts';
import type { ExportValue } from '../core/exports/value.ts';
import { type Freezable, freezeProblem } from '../core/governance/freeze.ts';
import { policyProblems } from '../core/governance/policy.ts';
import { promotionProblems } from './governance.ts';
import { exportProblem, exportsToCome, readImport } from './imports.ts';
import { pluginProblems } from './plugin-problems.ts';
import type { Ports } from './ports.ts';
import type { Rights } from './rights.ts';

export interface Surroundings {
  readonly rights: Rights;
  readonly environment: EnvironmentDocument | undefined;
  readonly config: EnvironmentConfigDocument | undefined;
  /** What is to be asked of freezes; absent where a freeze does not matter. */
  readonly freezable: Freezable;
  /** It puts back what was let in before: nothing need be promoted. */
  readonly putsBack?: boolean;
  /** What other deploys of its release export that it comes after, and which places they go to. */
  readonly inRelease?: InRelease;
}

export interface InRelease {
  /** By the name or id that an import may have: the declared exports. */
  readonly exportsOf: (producer: string) => Readonly<Record<string, Export>> | undefined;
  /** A deploy that comes before and goes to this place. */
  readonly before: (place: Place) => DeployDocument | undefined;
}

interface Place {
  readonly application: string;
  readonly environment: string;
  readonly tenant?: string | undefined;
  readonly artifact?: string | undefined;
}

export async function descriptorProblems(
  ports: Ports,
  document: DeployDocument,
  around: Surroundings,
): Promise<Problem[]> {
  const { environment, config, freezable } = around;
  const frozen = freezeProblem(environment, freezable, ports.now(), 'environment');
  const problems = [
    ...(frozen === undefined ? [] : [frozen]),
    ...policyProblems(document, environment),
    ...fusionProblems(document, config),
    ...pluginProblems(ports, document, config),
    ...(around.putsBack === true ? [] : await promotion(ports, document, around)),
  ];
  for (const [name, declared] of Object.entries(document.imports)) {
    problems.push(...(await importProblems(ports, document, around, name, declared)));
  }
  for (const [name, declared] of Object.entries(config?.imports ?? {})) {
    const path = `imports of the configuration of ${document.application} in ${document.environment}: ${name}`;
    const read = await readImport(ports, document, declared, path);
    if (read.problem !== undefined && !comesBefore(document, declared, around)) problems.push(read.problem);
  }
  return problems;
}

async function promotion(ports: Ports, document: DeployDocument, around: Surroundings): Promise<Problem[]> {
  const problems = await promotionProblems(ports, document, around.environment);
  const from = around.environment?.promotion?.from;
  if (problems.length === 0 || from === undefined) return problems;
  const { application, tenant, artifact } = document;
  const before = around.inRelease?.before({ application, environment: from, tenant, artifact: artifact.name });
  return before?.artifact.version === artifact.version ? [] : problems;
}

async function importProblems(
  ports: Ports,
  document: DeployDocument,
  around: Surroundings,
  name: string,
  declared: Import,
): Promise<Problem[]> {
  const path = extendPath('imports', name);
  const producer =
    'deployment' in declared ? declared.deployment : `what is current of ${declared.current.application}`;
  const exported = await exportsKnown(ports, document, around, path, declared);
  if ('problem' in exported) return [exported.problem];
  const { known } = exported;
  if (known === undefined) return [];
  return usesOf(document, name).flatMap((use) => exportProblem(name, known, use, producer) ?? []);
}

type Known =
  | { readonly known: Readonly<Record<string, ExportValue | Export>> | undefined }
  | { readonly problem: Problem };

/** What an import will give; undefined as far as that is only known later. */
async function exportsKnown(
  ports: Ports,
  document: DeployDocument,
  around: Surroundings,
  path: string,
  declared: Import,
): Promise<Known> {
  const readable = (place: { application: string; environment: string }) => around.rights.may('deployment.read', place);
  if ('deployment' in declared) {
    const { deployment } = declared;
    const inRelease = around.inRelease?.exportsOf(deployment);
    if (inRelease !== undefined) return { known: inRelease };
    return { known: deployment.startsWith(EXPECTED) ? undefined : await exportsToCome(ports, deployment, readable) };
  }
  const before = comesBefore(document, declared, around);
  if (before !== undefined) return { known: before.exports };
  const read = await readImport(ports, document, declared, path, readable);
  return read.problem === undefined ? { known: read.found.exports } : { problem: read.problem };
}

/** What will be current by then, since a deploy of the same release that comes before brings it. */
function comesBefore(
  document: DeployDocument,
  declared: Import,
  { inRelease }: Surroundings,
): DeployDocument | undefined {
  if (!('current' in declared) || inRelease === undefined) return undefined;
  const { application, environment = document.environment, tenant = document.tenant, artifact } = declared.current;
  return inRelease.before({ application, environment, tenant, artifact });
}

interface Use {
  readonly export: string;
  readonly path: string;
  readonly targets: boolean;
}

/** Where a document uses an import. */
function usesOf({ deploy, steps, verify }: DeployDocument, name: string): Use[] {
  const params = (from: DeployDocument['deploy']['paramsFrom'], path: string): Use[] =>
    Object.entries(from).flatMap(([param, reference]) =>
      reference.import === name ? [{ export: reference.export, path: extendPath(path, param), targets: false }] : [],
    );
  return [
    ...deploy.targetsFrom.flatMap((reference, index) =>
      reference.import === name
        ? [{ export: reference.export, path: `deploy.targetsFrom[${index}]`, targets: true }]
        : [],
    ),
    ...params(deploy.paramsFrom, 'deploy.paramsFrom'),
    ...steps.flatMap((step, index) => params(step.paramsFrom, `steps[${index}].paramsFrom`)),
    ...(verify === undefined ? [] : params(verify.paramsFrom, 'verify.paramsFrom')),
  ];
}

/** Problems of a document with paths of the whole that it stands in. */
export function within(path: string, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: problem.path === '' ? path : `${path}.${problem.path}` }));
}
