/**
 * A document that is carried out again, elsewhere or later: it no longer waits for the deploys that it was submitted after,
 * and what it imported from them is not read again. What referred to such an import takes what its environment sets
 * instead, else the environment's import of that name; a rollback in the same environment takes the parameter that was
 * stored with the revision, and never its targets. What is left then has lost its import.
 */
import type { Configuration } from '../deploy/configuration.ts';
import type { DeployDocument, Import } from '../documents/deploy.ts';
import type { EnvironmentConfigDocument } from '../documents/environment.ts';
import { extendPath } from '../documents/path.ts';
import type { ExportReference, Param } from '../documents/plugin-call.ts';
import { shown } from '../documents/shown.ts';
import type { Problem } from '../errors.ts';
import { ownsTargets } from './fuse.ts';

export interface Reduced {
  readonly document: DeployDocument;
  readonly problems: readonly Problem[];
}

/** `stored`: what the revision was carried out with, for a rollback in the same environment. */
export function withoutDeployments(
  document: DeployDocument,
  environment: EnvironmentConfigDocument | undefined,
  stored: Configuration | undefined,
): Reduced {
  const problems: Problem[] = [];
  const dropped = new Set(
    Object.entries(document.imports).flatMap(([name, each]) => ('deployment' in each ? [name] : [])),
  );
  const replaced = new Map<string, Import>();
  const replacement = (name: string): boolean => {
    const declared =
      environment !== undefined && Object.hasOwn(environment.imports, name) ? environment.imports[name] : undefined;
    if (declared !== undefined) replaced.set(name, declared);
    return declared !== undefined;
  };
  const lost = (reference: ExportReference, path: string) => {
    const message = `${path} used the import ${shown(reference.import)}, which is not read again`;
    const hint = `give ${document.application} an import of that name, or the value itself, in the configuration of ${document.environment}`;
    problems.push({ code: 'import-lost', path, message, hint });
  };
  const again = (
    params: Readonly<Record<string, Param>>,
    from: Readonly<Record<string, ExportReference>>,
    path: string,
    {
      given,
      kept,
    }: { readonly given?: (name: string) => boolean; readonly kept: Readonly<Record<string, Param>> | undefined },
  ) => {
    const values: Record<string, Param> = { ...params };
    const references: Record<string, ExportReference> = {};
    for (const [name, reference] of Object.entries(from)) {
      if (!dropped.has(reference.import)) references[name] = reference;
      else if (given?.(name)) continue;
      else if (replacement(reference.import)) references[name] = reference;
      else {
        const value = kept !== undefined && Object.hasOwn(kept, name) ? kept[name] : undefined;
        if (value !== undefined) values[name] = value;
        else lost(reference, extendPath(path, name));
      }
    }
    return { params: values, paramsFrom: references };
  };

  const { deploy } = document;
  const inEnvironment = (name: string) =>
    environment !== undefined &&
    (Object.hasOwn(environment.params, name) || Object.hasOwn(environment.paramsFrom, name));
  const targetsFrom = deploy.targetsFrom.flatMap((reference, index) => {
    if (!dropped.has(reference.import)) return [reference];
    if (environment !== undefined && ownsTargets(environment)) return [];
    if (replacement(reference.import)) return [reference];
    lost(reference, `deploy.targetsFrom[${index}]`);
    return [];
  });
  const steps = document.steps.map((step, index) => ({
    ...step,
    ...again(step.params, step.paramsFrom, `steps[${index}].paramsFrom`, {
      kept: stored?.steps.find(({ name }) => name === step.name)?.params,
    }),
  }));
  const verify = document.verify && {
    ...document.verify,
    ...again(document.verify.params, document.verify.paramsFrom, 'verify.paramsFrom', { kept: stored?.verify?.params }),
  };
  const deployAgain = again(deploy.params, deploy.paramsFrom, 'deploy.paramsFrom', {
    given: inEnvironment,
    kept: stored?.params,
  });
  const { schedule: _, freezeOverride: __, verify: ___, ...rest } = document;
  const imports = Object.entries(document.imports).filter(([name]) => !dropped.has(name));
  return {
    document: {
      ...rest,
      after: [],
      imports: Object.fromEntries([...imports, ...replaced]),
      deploy: { ...deploy, ...deployAgain, targetsFrom },
      steps,
      ...(verify !== undefined && { verify }),
    },
    problems,
  };
}
