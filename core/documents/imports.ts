import type { Problem } from '../errors.ts';
import { writtenDependency } from './dependency.ts';
import { field, fields, items } from './fields.ts';
import { LIMITS } from './limits.ts';
import { formatPath } from './path.ts';
import type { CurrentImport } from './plugin-call.ts';
import { shown } from './shown.ts';
import { nearest } from './spelling.ts';

/**
 * Imports of a release's entry from something that it doesn't wait for. The producer must be in its own `after`, not in
 * that of one before it: the name of a deploy of the release, or the id of one outside that the descriptor waits for.
 * What is imported from what is current needs no waiting.
 *
 * `entry` is a ReleaseEntry, or what was written for one; `path` is where it stands, such as `deploys[2]`.
 */
export function importProblems(entry: unknown, path: string): Problem[] {
  const descriptor = field(entry, 'descriptor');
  const awaited = [...items(field(entry, 'after')), ...items(field(descriptor, 'after'))];
  const remedy = `add it to the after of ${shown(field(entry, 'name'))}`;
  return notAwaited(descriptor, awaited, `${path}.descriptor.`, remedy);
}

/** The same for a deploy that stands alone (a DeployDocument, or what was written for one): its own `after` counts. */
export function standaloneImportProblems(deploy: unknown): Problem[] {
  return notAwaited(deploy, items(field(deploy, 'after')), '', standaloneRemedy(deploy));
}

/** Adding to `after` is no way out for what can't have one. */
function standaloneRemedy(deploy: unknown): string {
  if (field(field(deploy, 'schedule'), 'cron') !== undefined) {
    return 'import what is `current`: a deploy that runs again and again can not wait for one deploy';
  }
  if (field(deploy, 'dryRun') === true) return 'import what is `current`: a dry run waits for nothing';
  return 'add it to after';
}

function notAwaited(deploy: unknown, after: readonly unknown[], prefix: string, remedy: string): Problem[] {
  const awaited = after.map(writtenDependency).filter((id) => id !== undefined);
  const known = new Set(awaited);
  return fields(field(deploy, 'imports')).flatMap(([name, declaration], index) => {
    const deployment = field(declaration, 'deployment');
    if (typeof deployment !== 'string' || known.has(deployment)) return [];
    // Looking for near names takes time, and what has more imports than may be is hostile.
    const near = index < LIMITS.problemsTold ? nearest(deployment, awaited) : undefined;
    return [
      {
        code: 'import-not-in-after',
        path: `${prefix}${formatPath(['imports', name, 'deployment'])}`,
        message: `${shown(deployment)} is imported from, and is not in after`,
        hint: near === undefined ? remedy : `did you mean ${shown(near)}? Else ${remedy}`,
      },
    ];
  });
}

/** What a deploy is about; a configuration, which is about all artifacts of its application, has no `artifact`. */
export interface Own {
  readonly application: string;
  readonly environment: string;
  readonly artifact?: string | undefined;
  readonly tenant?: string | undefined;
}

type Current = { readonly [field in keyof CurrentImport['current']]: CurrentImport['current'][field] | undefined };

/**
 * Whether an import of what is current reads what the importing deploy is itself about to replace. Environment and
 * tenant are its own when they are absent. Without an artifact the whole application is meant, itself included.
 */
export function isOwnCurrent(current: Current, own: Own): boolean {
  const { application, environment = own.environment, tenant = own.tenant, artifact } = current;
  if (application !== own.application || environment !== own.environment || tenant !== own.tenant) return false;
  return artifact === undefined || artifact === own.artifact;
}
