/** Whether the plugins that a document names are here, and take what it gives them. */
import type { DeployDocument } from '../core/documents/deploy.ts';
import type { EnvironmentConfigDocument } from '../core/documents/environment.ts';
import type { ExportReference, Param } from '../core/documents/plugin-call.ts';
import type { Problem } from '../core/errors.ts';
import type { Ports } from './ports.ts';

export function pluginProblems(
  ports: Ports,
  { deploy, steps, verify }: DeployDocument,
  config: EnvironmentConfigDocument | undefined,
): Problem[] {
  const plugin = deploy.plugin ?? config?.plugin;
  const ours = { ...config?.params, ...deploy.params };
  return [
    ...(plugin === undefined
      ? []
      : called(ports, plugin, ours, { ...config?.paramsFrom, ...deploy.paramsFrom }, 'deploy')),
    ...steps.flatMap((step, index) => called(ports, step.plugin, step.params, step.paramsFrom, `steps[${index}]`)),
    ...(verify === undefined ? [] : called(ports, verify.plugin, verify.params, verify.paramsFrom, 'verify')),
  ];
}

function called(
  ports: Ports,
  name: string,
  params: Readonly<Record<string, Param>>,
  from: Readonly<Record<string, ExportReference>>,
  path: string,
): Problem[] {
  const plugin = ports.plugins.get(name);
  if (plugin === undefined) {
    const known = [...ports.plugins.keys()].sort().join(', ') || 'none';
    const message = `there is no plugin "${name}" here`;
    return [{ code: 'unknown-plugin', path: `${path}.plugin`, message, hint: `installed: ${known}` }];
  }
  // A parameter that an import gives is not known yet; a stand-in keeps the plugin from missing it.
  const imported = Object.fromEntries(Object.keys(from).map((param) => [param, '']));
  return plugin
    .check({ ...imported, ...params })
    .map((message) => ({ code: 'plugin-params', path: `${path}.params`, message }));
}
