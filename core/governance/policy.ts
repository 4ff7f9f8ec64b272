/** What an environment lets a deploy say: plugins, types and sources of artifacts, parameters, hosts. */
import { globTest } from '../access/glob.ts';
import type { Configuration } from '../deploy/configuration.ts';
import type { DeployDocument } from '../documents/deploy.ts';
import type { EnvironmentDocument } from '../documents/environment.ts';
import { extendPath } from '../documents/path.ts';
import { shown } from '../documents/shown.ts';
import { targetOf } from '../documents/target.ts';
import type { Problem } from '../errors.ts';

/** What the document itself says, at submission. What its environment's configuration adds is the environment's own. */
export function policyProblems(document: DeployDocument, environment: EnvironmentDocument | undefined): Problem[] {
  const policy = environment?.policy;
  if (environment === undefined || policy === undefined) return [];
  const { artifact, deploy, steps, verify } = document;
  const problems: Problem[] = [];
  const refuse = (code: string, path: string, what: string, allowed: readonly string[]) =>
    problems.push({
      code,
      path,
      message: `${environment.name} does not allow ${what}`,
      hint: allowed.length === 0 ? 'it allows none' : `it allows ${allowed.slice(0, 10).join(', ')}`,
    });
  const { plugins, types, sources, params, targets } = policy;
  if (plugins !== undefined) {
    const used: [string, string | undefined][] = [
      ['deploy.plugin', deploy.plugin],
      ...steps.map(({ plugin }, index): [string, string] => [`steps[${index}].plugin`, plugin]),
      ['verify.plugin', verify?.plugin],
    ];
    for (const [path, plugin] of used) {
      if (plugin !== undefined && !plugins.includes(plugin))
        refuse('policy-plugin', path, `the plugin ${shown(plugin)}`, plugins);
    }
  }
  if (types !== undefined && !types.includes(artifact.type)) {
    refuse('policy-type', 'artifact.type', `artifacts of type ${shown(artifact.type)}`, types);
  }
  if (sources !== undefined && !sources.some((glob) => globTest(glob)(artifact.source ?? ''))) {
    const what =
      artifact.source === undefined ? 'an artifact without a source' : `the source ${shown(artifact.source)}`;
    refuse('policy-source', 'artifact.source', what, sources);
  }
  if (params !== undefined) {
    const named = (path: string, record: object) =>
      Object.keys(record).map((name): [string, string] => [extendPath(path, name), name]);
    for (const [path, name] of [
      ...named('deploy.params', deploy.params),
      ...named('deploy.paramsFrom', deploy.paramsFrom),
    ]) {
      if (!params.some((glob) => globTest(glob)(name)))
        refuse('policy-param', path, `the parameter ${shown(name)}`, params);
    }
  }
  if (targets !== undefined) {
    for (const [index, target] of (deploy.targets ?? []).entries()) {
      const { host } = targetOf(target);
      if (!targets.some((glob) => globTest(glob)(host)))
        refuse('policy-target', `deploy.targets[${index}]`, `the target ${shown(host)}`, targets);
    }
    if (targets.length === 0 && deploy.targetsFrom.length > 0)
      refuse('policy-target', 'deploy.targetsFrom', 'targets of a deploy', targets);
  }
  return problems;
}

/** Targets that the document has imported are additions of it like those that it writes. */
export function importedPolicyProblems(
  document: DeployDocument,
  { targets }: Pick<Configuration, 'targets'>,
  environment: EnvironmentDocument | undefined,
): Problem[] {
  const allowed = environment?.policy?.targets;
  if (environment === undefined || allowed === undefined || document.deploy.targetsFrom.length === 0) return [];
  const tests = allowed.map(globTest);
  const refused = targets.filter(({ host }) => !tests.some((test) => test(host)));
  if (refused.length === 0) return [];
  const hosts = refused.slice(0, 3).map(({ host }) => host);
  const rest = refused.length > 3 ? ` and ${refused.length - 3} more` : '';
  const message = `${environment.name} does not allow the imported targets ${hosts.join(', ')}${rest}`;
  return [{ code: 'policy-target', path: 'deploy.targetsFrom', message, hint: `it allows ${allowed.join(', ')}` }];
}
