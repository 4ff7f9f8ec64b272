/**
 * What a deploy will be carried out with: its parameters and what it imports, resolved once and stored, so that a deploy
 * that is resumed uses the same values.
 */
import * as z from 'zod';
import { Artifact, DeployDocument } from '../core/documents/deploy.ts';
import type { Failure } from '../core/failure.ts';
import { PluginRequest } from '../plugins/contract.ts';
import { ENDED } from '../statemachines/functions.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Revision } from '../store/inventory.ts';
import { decideDeploy } from './decide.ts';
import { type Ports, RENGA } from './ports.ts';
import { settleDeploy } from './settle.ts';

export const Configuration = z.object({
  artifact: Artifact,
  params: PluginRequest.shape.params,
  /** Where each import came from: `import.infra` → `infra-42@3.1.0`. */
  provenance: z.record(z.string(), z.string()),
});
export type Configuration = z.infer<typeof Configuration>;

/** The deploy has ended: its machine goes to its end. */
class Ended extends Error {
  override readonly name = ENDED;
}

export async function configure(ports: Ports, id: string): Promise<void> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  if (row.configuration !== undefined) return;
  const { identity } = row.deploy;
  if (identity.restores !== undefined) {
    await ports.store.deploys.attach(id, { configuration: identity.restores.configuration });
    return;
  }
  const resolved = await resolve(ports, row);
  if ('failure' in resolved) {
    const decided = await decideDeploy(ports, row, RENGA, { type: 'failed', failure: resolved.failure });
    if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
    throw new Ended(resolved.failure.message);
  }
  const [hash] = await ports.store.bodies.put(resolved.configuration);
  if (hash !== undefined) await ports.store.deploys.attach(id, { configuration: hash });
}

async function resolve(ports: Ports, row: DeployRow): Promise<{ configuration: Configuration } | { failure: Failure }> {
  const document = DeployDocument.parse(await ports.store.bodies.get(row.deploy.identity.document));
  const imports = new Map(Object.entries(document.imports));
  const producers = await ports.store.deploys.readMany([...imports.values()].map(({ deployment }) => deployment));
  const provenance: Record<string, string> = {};
  const exported = new Map<string, Readonly<Record<string, string>>>();
  for (const [name, { deployment }] of imports) {
    const producer = producers.get(deployment)?.deploy;
    if (producer?.status.state !== 'SUCCESS') return missing(`import "${name}": ${deployment} has not succeeded`);
    provenance[`import.${name}`] = `${deployment}@${producer.identity.artifact.version}`;
    exported.set(name, await ports.store.deploys.exportsOf(deployment));
  }
  const params = new Map(Object.entries(document.deploy.params));
  for (const [param, reference] of Object.entries(document.deploy.paramsFrom)) {
    const values = exported.get(reference.import) ?? {};
    const value = Object.hasOwn(values, reference.export) ? values[reference.export] : undefined;
    if (value === undefined) {
      return missing(
        `parameter ${param}: ${imports.get(reference.import)?.deployment} has no export "${reference.export}"`,
      );
    }
    params.set(param, value);
  }
  return { configuration: { artifact: document.artifact, params: Object.fromEntries(params), provenance } };
}

function missing(message: string): { failure: Failure } {
  return { failure: { code: 'import-missing', message } };
}

/** What a deploy, or a revision, was carried out with. */
export async function configurationOf(ports: Ports, of: DeployRow | Revision): Promise<Configuration> {
  if (of.configuration === undefined) throw new Error('a deploy without a configuration has nothing to run');
  return Configuration.parse(await ports.store.bodies.get(of.configuration));
}
