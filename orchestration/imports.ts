/** Where imports come from: a deploy that is waited for, or what is current somewhere. Read strongly, each time anew. */
import type { Imported } from '../core/configuration/fuse.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import type { Export } from '../core/documents/deploy.ts';
import { DeployDocument, type Import } from '../core/documents/deploy.ts';
import type { CurrentImport } from '../core/documents/plugin-call.ts';
import { shown } from '../core/documents/shown.ts';
import type { Problem } from '../core/errors.ts';
import type { ExportValue } from '../core/exports/value.ts';
import type { InventoryEntry } from '../store/inventory.ts';
import type { Ports } from './ports.ts';

/** Whose imports they are. */
export interface Importer {
  readonly application: string;
  readonly environment: string;
  readonly tenant?: string | undefined;
}

type Found<T> =
  | { readonly found: T; readonly problem?: undefined }
  | { readonly problem: Problem; readonly found?: undefined };

/** Tells whether the importer may know of what is current at a place. */
export type Readable = (place: { readonly application: string; readonly environment: string }) => boolean;

/** What an import reads now. `path`: where it stands, such as `imports.infra`. */
export async function readImport(
  ports: Ports,
  importer: Importer,
  declared: Import,
  path: string,
  readable: Readable = () => true,
): Promise<Found<Imported>> {
  if ('current' in declared) return readCurrent(ports, importer, declared, path, readable);
  const row = await ports.store.deploys.read(declared.deployment);
  if (row?.deploy.status.state !== 'SUCCESS') {
    const message = `${declared.deployment} has not succeeded`;
    return { problem: { code: 'import-missing', path, message } };
  }
  const { artifact } = row.deploy.identity;
  const exports = await ports.store.deploys.exportsOf(declared.deployment);
  return { found: { deploy: declared.deployment, version: artifact.version, exports } };
}

async function readCurrent(
  ports: Ports,
  importer: Importer,
  declared: CurrentImport,
  path: string,
  readable: Readable,
): Promise<Found<Imported>> {
  const found = await findCurrent(ports, importer, declared, path, readable);
  if (found.problem !== undefined) return found;
  const { entry, foreign } = found.found;
  const all = await ports.store.deploys.exportsOf(entry.deploy);
  const exports = foreign ? Object.fromEntries(Object.entries(all).filter(([, value]) => value.public === true)) : all;
  return { found: { deploy: entry.deploy, version: entry.artifact.version, exports } };
}

/** The deploy that is current for an import. `foreign`: it is another tenant's, whose public exports alone are read. */
async function findCurrent(
  ports: Ports,
  importer: Importer,
  { current: wanted }: CurrentImport,
  path: string,
  readable: Readable,
): Promise<Found<{ readonly entry: InventoryEntry; readonly foreign: boolean }>> {
  const { application, environment = importer.environment, artifact } = wanted;
  const problem = (code: string, message: string, hint?: string) => ({
    problem: { code, path: `${path}.current`, message, ...(hint !== undefined && { hint }) },
  });
  const nothing = () =>
    problem('nothing-current', `nothing of ${application} is current in ${environment}`, 'deploy it there first');
  if (!readable({ application, environment })) return nothing();
  const places = await ports.store.inventory.placesOf(application);
  const tenants = [...new Set(places.map(({ tenant }) => tenant))];
  const tenant = tenantOf(wanted.tenant, importer.tenant, tenants);
  if (tenant === 'ambiguous') {
    const names = tenants.map((each) => each ?? 'none').join(', ');
    return problem('ambiguous-tenant', `${application} is in several tenants: ${names}`, 'name one with `tenant`');
  }
  const entries = await ports.store.inventory.current({ application, environment, tenant: tenant.name });
  const all = Object.values(entries);
  const [entry, second] = artifact === undefined ? all : all.filter((each) => each.artifact.name === artifact);
  if (entry === undefined) return nothing();
  if (second !== undefined) {
    const names = all.map((each) => each.artifact.name).join(', ');
    const message = `several artifacts of ${application} are current in ${environment}: ${names}`;
    return problem('ambiguous-artifact', message, 'name one with `artifact`');
  }
  return { found: { entry, foreign: tenant.name !== importer.tenant } };
}

/** The tenant that is named; else the importer's own, if it has the application; else the only one that has it. */
function tenantOf(
  named: string | undefined,
  own: string | undefined,
  tenants: readonly (string | undefined)[],
): { readonly name: string | undefined } | 'ambiguous' {
  if (named !== undefined) return { name: named };
  if (tenants.includes(own) || tenants.length === 0) return { name: own };
  return tenants.length === 1 ? { name: tenants[0] } : 'ambiguous';
}

/** What is wrong with reading an export, as far as it is known before the importing deploy starts. */
export function exportProblem(
  importName: string,
  exported: Readonly<Record<string, ExportValue | Export>>,
  { export: name, path, targets }: { readonly export: string; readonly path: string; readonly targets: boolean },
  producer: string,
): Problem | undefined {
  const value = Object.hasOwn(exported, name) ? exported[name] : undefined;
  if (value === undefined) {
    const names = Object.keys(exported);
    const hint = names.length === 0 ? 'it exports nothing' : `it exports ${names.slice(0, 10).join(', ')}`;
    return { code: 'missing-export', path, message: `${producer} has no export ${shown(name)}`, hint };
  }
  if (!targets || value.format === 'targets') return undefined;
  const message = `the export ${shown(name)} of the import ${shown(importName)} is text, and targets are wanted`;
  return {
    code: 'import-not-targets',
    path,
    message,
    hint: 'let it be exported with format: targets, or use paramsFrom',
  };
}

/** What a deploy will export, or has exported; undefined when that can't be known before it has succeeded, or by this importer. */
export async function exportsToCome(
  ports: Ports,
  id: string,
  readable: Readable,
): Promise<Readonly<Record<string, ExportValue | Export>> | undefined> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined) return undefined;
  const { identity, status } = row.deploy;
  if (!readable(identity)) return undefined;
  if (status.state === 'SUCCESS') return ports.store.deploys.exportsOf(id);
  if (isFinal(status.state) || identity.document === '' || identity.kind !== 'deploy') return undefined;
  return DeployDocument.parse(await ports.store.bodies.get(identity.document)).exports;
}
