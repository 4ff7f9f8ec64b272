/**
 * What a deploy is carried out with, made of its document and of what its application has in its environment. A parameter
 * that both set to different values is a conflict, unless the environment lets deploys override it; targets have one
 * owner, and importing them is setting them.
 */
import { Configuration } from '../deploy/configuration.ts';
import { canonicalJson } from '../documents/content.ts';
import type { DeployDocument } from '../documents/deploy.ts';
import { seconds } from '../documents/duration.ts';
import type { EnvironmentConfigDocument } from '../documents/environment.ts';
import { LIMITS } from '../documents/limits.ts';
import { extendPath, formatPath } from '../documents/path.ts';
import type { ExportReference, Param } from '../documents/plugin-call.ts';
import { shown } from '../documents/shown.ts';
import { type Target, targetOf } from '../documents/target.ts';
import type { Problem } from '../errors.ts';
import { type ExportValue, importedParam, importedTargets } from '../exports/value.ts';
import { waveSizes } from './waves.ts';

/** An import that has been read: which deploy gave it, and what it exports to this one. */
export interface Imported {
  readonly deploy: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, ExportValue>>;
}
type Imports = ReadonlyMap<string, Imported>;

export interface Sources {
  readonly document: DeployDocument;
  readonly environment: EnvironmentConfigDocument | undefined;
  /** By the name that they have in the document, and in the environment's configuration: two name spaces. */
  readonly imports: Imports;
  readonly environmentImports: Imports;
}

export type Fused =
  | { readonly configuration: Configuration; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly configuration?: undefined };

/** What is wrong between a document and the configuration of its environment, whatever is imported. */
export function fusionProblems(
  document: DeployDocument,
  environment: EnvironmentConfigDocument | undefined,
): Problem[] {
  const { deploy } = document;
  const problems: Problem[] = [];
  const where = `the configuration of ${document.application} in ${document.environment}`;
  if (deploy.plugin === undefined && environment?.plugin === undefined) {
    const hint = `name it here, or in ${where}`;
    problems.push({ code: 'missing-plugin', path: 'deploy.plugin', message: 'no plugin is named', hint });
  }
  if (deploy.plugin !== undefined && environment?.plugin !== undefined && deploy.plugin !== environment.plugin) {
    const message = `the plugin is ${shown(deploy.plugin)} here and ${shown(environment.plugin)} in ${where}`;
    problems.push({ code: 'plugin-conflict', path: 'deploy.plugin', message, hint: 'remove it from one of them' });
  }
  for (const [name, value] of Object.entries(deploy.params)) {
    const other = own(environment?.params, name);
    if (other === undefined || canonicalJson(value) === canonicalJson(other)) continue;
    if (environment?.overridable.includes(name)) continue;
    problems.push(parameterConflict(name, formatPath(['deploy', 'params', name]), where));
  }
  const targets = ownsTargets(deploy);
  if (targets && environment !== undefined && ownsTargets(environment)) {
    const path = deploy.targets === undefined ? 'deploy.targetsFrom' : 'deploy.targets';
    const message = `targets are set here and in ${where}, and only one of them may`;
    problems.push({ code: 'targets-conflict', path, message, hint: 'remove them from one of them' });
  }
  if (deploy.waves !== undefined && !targets && (environment === undefined || !ownsTargets(environment))) {
    const message = 'waves are batches of targets, and there are none';
    const hint = `set deploy.targets or deploy.targetsFrom, or targets in ${where}`;
    problems.push({ code: 'waves-without-targets', path: 'deploy.waves', message, hint });
  }
  return problems;
}

interface Targeting {
  readonly targets?: readonly unknown[] | undefined;
  readonly targetsFrom: readonly unknown[];
}

export function ownsTargets({ targets, targetsFrom }: Targeting): boolean {
  return targets !== undefined || targetsFrom.length > 0;
}

/** The configuration of a deploy; problems have paths of its document. */
export function fuse({ document, environment, imports, environmentImports }: Sources): Fused {
  const problems = fusionProblems(document, environment);
  const { deploy, steps, verify } = document;
  const readParams = (from: Readonly<Record<string, ExportReference>>, given: Imports, path: string) => {
    const read: [string, string][] = [];
    for (const [name, reference] of Object.entries(from)) {
      const value = exported(given, reference, extendPath(path, name), problems);
      if (value !== undefined) read.push([name, importedParam(value)]);
    }
    return read;
  };
  const readTargets = (from: readonly ExportReference[], given: Imports, path: string) =>
    from.flatMap((reference, index): readonly Target[] => {
      const value = exported(given, reference, `${path}[${index}]`, problems);
      if (value === undefined) return [];
      const read = importedTargets(value, reference);
      if (read.targets !== undefined) return read.targets;
      problems.push({ ...read.failure, path: `${path}[${index}]` });
      return [];
    });

  const ours = new Map<string, Param>([
    ...Object.entries(deploy.params),
    ...readParams(deploy.paramsFrom, imports, 'deploy.paramsFrom'),
  ]);
  const theirs = new Map<string, Param>([
    ...Object.entries(environment?.params ?? {}),
    ...readParams(environment?.paramsFrom ?? {}, environmentImports, 'the environment’s paramsFrom'),
  ]);
  for (const [name, value] of theirs) {
    const mine = ours.get(name);
    if (mine === undefined) ours.set(name, value);
    else if (canonicalJson(mine) !== canonicalJson(value) && !environment?.overridable.includes(name)) {
      const path = formatPath(['deploy', Object.hasOwn(deploy.params, name) ? 'params' : 'paramsFrom', name]);
      if (problems.some((other) => other.path === path && other.code === 'parameter-conflict')) continue;
      problems.push(
        parameterConflict(name, path, `the configuration of ${document.application} in ${document.environment}`),
      );
    }
  }
  const targets = [
    ...(deploy.targets ?? []).map(targetOf),
    ...readTargets(deploy.targetsFrom, imports, 'deploy.targetsFrom'),
    ...(environment?.targets ?? []).map(targetOf),
    ...readTargets(environment?.targetsFrom ?? [], environmentImports, 'the environment’s targetsFrom'),
  ];
  if (targets.length > LIMITS.targetsPerDeploy) {
    const message = `there are ${targets.length} targets; the limit is ${LIMITS.targetsPerDeploy}`;
    problems.push({ code: 'too-many', path: 'deploy.targetsFrom', message });
  }
  const configuration: Configuration = {
    artifact: document.artifact,
    plugin: deploy.plugin ?? environment?.plugin ?? '',
    params: Object.fromEntries(ours),
    targets: distinct(targets),
    waves: waveSizes(deploy.waves, distinct(targets).length),
    timeoutSeconds: secondsOf(deploy.timeout),
    steps: steps.map((step, index) => ({
      name: step.name,
      when: step.when,
      plugin: step.plugin,
      params: {
        ...step.params,
        ...Object.fromEntries(readParams(step.paramsFrom, imports, `steps[${index}].paramsFrom`)),
      },
      outputs: [...step.outputs],
      timeoutSeconds: secondsOf(step.timeout),
    })),
    ...(verify !== undefined && {
      verify: {
        plugin: verify.plugin,
        params: {
          ...verify.params,
          ...Object.fromEntries(readParams(verify.paramsFrom, imports, 'verify.paramsFrom')),
        },
        intervalSeconds: secondsOf(verify.interval),
        timeoutSeconds: secondsOf(verify.timeout),
        successes: verify.successes,
      },
    }),
    exports: document.exports,
    provenance: { ...provenanceOf(imports, 'import.'), ...provenanceOf(environmentImports, 'environment.import.') },
  };
  return problems.length > 0 ? { problems } : { configuration: Configuration.parse(configuration) };
}

function exported(
  imports: Imports,
  reference: ExportReference,
  path: string,
  problems: Problem[],
): ExportValue | undefined {
  const imported = imports.get(reference.import);
  const value = own(imported?.exports, reference.export);
  if (imported === undefined || value !== undefined) return value;
  const message = `${imported.deploy} has no export ${shown(reference.export)}`;
  problems.push({ code: 'missing-export', path, message, hint: 'it must declare it under `exports`, and succeed' });
  return undefined;
}

function parameterConflict(name: string, path: string, where: string): Problem {
  return {
    code: 'parameter-conflict',
    path,
    message: `the parameter ${shown(name)} has another value in ${where}`,
    hint: 'remove it from one of them, or list it under `overridable` there',
  };
}

function provenanceOf(imports: Imports, prefix: string): Record<string, string> {
  return Object.fromEntries(
    [...imports].map(([name, { deploy, version }]) => [`${prefix}${name}`, `${deploy}@${version}`]),
  );
}

/** Each target once, in the order in which they were first named. */
function distinct(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map((target) => [canonicalJson(target), target])).values()];
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

function secondsOf(duration: string): number {
  const value = seconds(duration);
  if (value === undefined) throw new Error(`"${duration}" was accepted as a duration and is none`);
  return value;
}
