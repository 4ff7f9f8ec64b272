import type { Problem } from '../errors.ts';
import { field, fields, items } from './fields.ts';
import { formatPath } from './path.ts';
import { shown } from './shown.ts';
import { nearest } from './spelling.ts';

/**
 * Imports of a release's entry from something that it doesn't wait for. The producer must be in its own `after`, not in
 * that of one before it: the name of a deploy of the release, or the id of one outside that the descriptor waits for.
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
  return notAwaited(deploy, items(field(deploy, 'after')), '', 'add it to after');
}

function notAwaited(deploy: unknown, awaited: readonly unknown[], prefix: string, remedy: string): Problem[] {
  return fields(field(deploy, 'imports')).flatMap(([name, declaration]) => {
    const deployment = field(declaration, 'deployment');
    if (typeof deployment !== 'string' || awaited.includes(deployment)) return [];
    const near = nearest(
      deployment,
      awaited.filter((id) => typeof id === 'string'),
    );
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
