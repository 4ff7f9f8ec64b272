import type { Problem } from '../errors.ts';
import type { DeployDocument } from './deploy.ts';
import { formatPath } from './path.ts';
import type { ReleaseEntry } from './release.ts';
import { shown } from './shown.ts';
import { suggestion } from './spelling.ts';

/**
 * Imports of a release's deploy from something that it doesn't wait for. The producer must be in its own `after`, not
 * in that of one before it: the name of a deploy of the release, or the id of one outside that the descriptor waits for.
 *
 * `path` is where the entry stands, such as `deploys[2]`.
 */
export function importProblems(entry: Pick<ReleaseEntry, 'name' | 'after' | 'descriptor'>, path: string): Problem[] {
  const awaited = [...entry.after, ...entry.descriptor.after];
  return notAwaited(entry.descriptor, awaited, `${path}.descriptor.`, `add it to the after of ${shown(entry.name)}`);
}

/** The same for a deploy that stands alone: its own `after` counts. */
export function standaloneImportProblems(deploy: DeployDocument): Problem[] {
  return notAwaited(deploy, deploy.after, '', 'add it to after');
}

function notAwaited(deploy: DeployDocument, awaited: readonly string[], prefix: string, remedy: string): Problem[] {
  return Object.entries(deploy.imports)
    .filter(([, { deployment }]) => !awaited.includes(deployment))
    .map(([name, { deployment }]) => ({
      code: 'import-not-in-after',
      path: `${prefix}${formatPath(['imports', name, 'deployment'])}`,
      message: `${shown(deployment)} is imported from, and is not in after`,
      hint: suggestion(deployment, awaited) ?? remedy,
    }));
}
