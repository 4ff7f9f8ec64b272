/**
 * What a deploy will be carried out with: its parameters and what it imports, resolved once and stored, so that a deploy
 * that is resumed uses the same values.
 */
import { Configuration } from '../core/deploy/configuration.ts';
import { DeployDocument } from '../core/documents/deploy.ts';
import type { ExportValue } from '../core/exports/value.ts';
import type { Failure } from '../core/failure.ts';
import type { NextJob } from '../statemachines/deploy-machine.ts';
import { ENDED } from '../statemachines/functions.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Revision } from '../store/inventory.ts';
import { decideDeploy } from './decide.ts';
import { firstJob } from './next-job.ts';
import { type Ports, RENGA } from './ports.ts';
import { settleDeploy } from './settle.ts';

/** The deploy has ended: its machine goes to its end. */
class Ended extends Error {
  override readonly name = ENDED;
}

/** Configures a deploy, once; answers the job that its machine runs first. */
export async function configure(ports: Ports, id: string): Promise<NextJob> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  const configured = row.configuration === undefined ? await store(ports, row) : row;
  return firstJob(ports, configured);
}

async function store(ports: Ports, row: DeployRow): Promise<DeployRow> {
  const { id, restores } = row.deploy.identity;
  if (restores !== undefined) return noted(ports, id, restores.configuration);
  const resolved = await resolve(ports, row);
  if ('failure' in resolved) {
    const decided = await decideDeploy(ports, row, RENGA, { type: 'failed', failure: resolved.failure });
    if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
    throw new Ended(resolved.failure.message);
  }
  const [hash = ''] = await ports.store.bodies.put(resolved.configuration);
  return noted(ports, id, hash);
}

async function noted(ports: Ports, id: string, configuration: string): Promise<DeployRow> {
  const row = await ports.store.deploys.attach(id, { configuration });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  return row;
}

async function resolve(ports: Ports, row: DeployRow): Promise<{ configuration: Configuration } | { failure: Failure }> {
  const document = DeployDocument.parse(await ports.store.bodies.get(row.deploy.identity.document));
  const imports = new Map(Object.entries(document.imports));
  const producers = await ports.store.deploys.readMany(
    [...imports.values()].flatMap((each) => ('deployment' in each ? [each.deployment] : [])),
  );
  const provenance: Record<string, string> = {};
  const exported = new Map<string, Readonly<Record<string, ExportValue>>>();
  for (const [name, declared] of imports) {
    if (!('deployment' in declared)) continue;
    const { deployment } = declared;
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
      return missing(`parameter ${param}: the import "${reference.import}" has no export "${reference.export}"`);
    }
    params.set(param, value.format === 'string' ? value.value : JSON.stringify(value.targets));
  }
  const configuration = {
    artifact: document.artifact,
    plugin: document.deploy.plugin ?? '',
    params: Object.fromEntries(params),
    timeoutSeconds: row.deploy.identity.timeoutSeconds,
    exports: document.exports,
    provenance,
  };
  return { configuration: Configuration.parse(configuration) };
}

function missing(message: string): { failure: Failure } {
  return { failure: { code: 'import-missing', message } };
}

/** What a deploy, or a revision, was carried out with. */
export async function configurationOf(ports: Ports, of: DeployRow | Revision): Promise<Configuration> {
  if (of.configuration === undefined) throw new Error('a deploy without a configuration has nothing to run');
  return Configuration.parse(await ports.store.bodies.get(of.configuration));
}
