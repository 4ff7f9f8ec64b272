/**
 * What a deploy will be carried out with: its document, what it imports and what its environment sets, fused once and
 * stored, so that a deploy that is resumed uses the same values.
 */
import { type Fused, fuse, type Imported } from '../core/configuration/fuse.ts';
import { withoutDeployments } from '../core/configuration/without-deployments.ts';
import { Configuration } from '../core/deploy/configuration.ts';
import type { DeployIdentity } from '../core/deploy/deploy.ts';
import { DeployDocument, type Import } from '../core/documents/deploy.ts';
import type { EnvironmentConfigDocument } from '../core/documents/environment.ts';
import type { Problem } from '../core/errors.ts';
import type { Failure } from '../core/failure.ts';
import { importedPolicyProblems, policyProblems } from '../core/governance/policy.ts';
import type { NextJob } from '../statemachines/deploy-machine.ts';
import { ENDED } from '../statemachines/functions.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Revision } from '../store/inventory.ts';
import { decideDeploy } from './decide.ts';
import { bound } from './dependencies.ts';
import { promotionProblems } from './governance.ts';
import { readImport } from './imports.ts';
import { nextJob, standingAt } from './next-job.ts';
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
  const configured = row.configuration === undefined ? await resolve(ports, row) : row;
  return nextJob(await standingAt(ports, configured), ports.now());
}

async function resolve(ports: Ports, row: DeployRow): Promise<DeployRow> {
  const { id } = row.deploy.identity;
  const fused = await fusedFor(ports, row);
  if (fused.problems !== undefined) {
    const failure = failureOf(fused.problems);
    const decided = await decideDeploy(ports, row, RENGA, { type: 'failed', failure });
    if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
    throw new Ended(failure.message);
  }
  const [configuration = ''] = await ports.store.bodies.put(fused.configuration);
  const configured = await ports.store.deploys.attach(id, { configuration });
  if (configured === undefined) throw new Error(`there is no deploy ${id}`);
  return configured;
}

function failureOf(problems: readonly Problem[]): Failure {
  const [first] = problems;
  const told = problems.map(({ path, message, hint }) => {
    const where = path === '' ? message : `${path}: ${message}`;
    return hint === undefined ? where : `${where} (${hint})`;
  });
  return { code: first?.code ?? 'internal', message: told.join('; ') };
}

async function fusedFor(ports: Ports, row: DeployRow): Promise<Fused> {
  const { identity } = row.deploy;
  const environment = await ports.store.settings.environment(identity.environment);
  const config = await ports.store.settings.configOf(identity);
  const again = identity.restores === undefined ? undefined : await restored(ports, identity, config);
  if (again !== undefined && 'configuration' in again) return again;
  const document = again?.document ?? DeployDocument.parse(await ports.store.bodies.get(identity.document));
  const problems: Problem[] = [...policyProblems(document, environment), ...(again?.problems ?? [])];
  // What is put back was let in when it came; promoting is about what comes new.
  if (identity.kind !== 'rollback') problems.push(...(await promotionProblems(ports, document, environment)));
  const aliases = await aliasesOf(ports, identity);
  const read = async (imports: Readonly<Record<string, Import>>, path: string) => {
    const found = new Map<string, Imported>();
    for (const [name, declared] of Object.entries(imports)) {
      const where = `${path}.${name}`;
      const one = await readImport(ports, identity, renamed(declared, aliases), where);
      if (one.problem !== undefined) problems.push(one.problem);
      else found.set(name, one.found);
    }
    return found;
  };
  const imports = await read(document.imports, 'imports');
  const environmentImports = await read(config?.imports ?? {}, 'the environment’s imports');
  if (problems.length > 0) return { problems };
  const fused = fuse({ document, environment: config, imports, environmentImports });
  if (fused.problems !== undefined) return fused;
  const refused = importedPolicyProblems(document, fused.configuration, environment);
  return refused.length > 0 ? { problems: refused } : fused;
}

/** What was only expected at submission is imported under the id that it was started with. */
async function aliasesOf(ports: Ports, identity: DeployIdentity): Promise<ReadonlyMap<string, string>> {
  const ids = await bound(ports, identity);
  return new Map(identity.after.map((id, index) => [id, ids[index] ?? id]));
}

function renamed(declared: Import, aliases: ReadonlyMap<string, string>): Import {
  return 'deployment' in declared ? { deployment: aliases.get(declared.deployment) ?? declared.deployment } : declared;
}

/**
 * What a rollback puts back: the document of its revision, without what it once waited for; or, of a revision that kept
 * none, what it was carried out with.
 */
async function restored(
  ports: Ports,
  { restores }: DeployIdentity,
  config: EnvironmentConfigDocument | undefined,
): Promise<
  | { readonly configuration: Configuration; readonly problems?: undefined }
  | { readonly document: DeployDocument; readonly problems: readonly Problem[] }
  | undefined
> {
  if (restores === undefined) return undefined;
  const stored = Configuration.parse(await ports.store.bodies.get(restores.configuration));
  if (restores.document === undefined) return { configuration: stored };
  const document = DeployDocument.parse(await ports.store.bodies.get(restores.document));
  return withoutDeployments(document, config, stored);
}

/** What a deploy, or a revision, was carried out with. */
export async function configurationOf(ports: Ports, of: DeployRow | Revision): Promise<Configuration> {
  if (of.configuration === undefined) throw new Error('a deploy without a configuration has nothing to run');
  const configuration = Configuration.parse(await ports.store.bodies.get(of.configuration));
  if (configuration.plugin !== '') return configuration;
  return { ...configuration, plugin: 'plugin' in of ? of.plugin : of.deploy.identity.plugin };
}
