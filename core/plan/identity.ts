import { LIMITS } from '../documents/limits.ts';
import type { ReleaseDocument } from '../documents/release.ts';
import type { Problem } from '../errors.ts';
import { deployId, rollbackId } from './wiring.ts';

/** Whether each deploy of a release has a name and an id of its own, also beside the ids that rollbacks would get. */
export function identityProblems(release: ReleaseDocument): Problem[] {
  const names = new Map<string, number>();
  const ids = new Map<string, string>();
  const rollbacks = new Map(release.deploys.map(({ name }) => [rollbackId(release.id, name), name]));
  return release.deploys.flatMap((entry, at): Problem[] => {
    const { name } = entry;
    const taken = names.get(name);
    if (taken !== undefined) {
      const message = `"${name}" is already the name of deploys[${taken}]`;
      const hint = 'names are unique over a release and everything it includes';
      return [{ code: 'duplicate-name', path: `deploys[${at}].name`, message, hint }];
    }
    names.set(name, at);

    const id = deployId(release.id, entry);
    const path = entry.descriptor.id === undefined ? `deploys[${at}].name` : `deploys[${at}].descriptor.id`;
    const longest = Math.max(id.length, rollbackId(release.id, name).length);
    if (longest > LIMITS.derivedIdLength) {
      const message = `the id of "${name}" or of its rollback has ${longest} characters; at most ${LIMITS.derivedIdLength} are allowed`;
      return [{ code: 'id-too-long', path, message, hint: "shorten the deploy's name or the release's id" }];
    }
    const owner = ids.get(id);
    ids.set(id, owner ?? name);
    if (owner !== undefined) {
      const message = `"${name}" and "${owner}" would both have the id "${id}"`;
      return [{ code: 'duplicate-id', path, message, hint: 'give one of them another id' }];
    }
    const undone = rollbacks.get(id);
    if (undone === undefined) return [];
    const message = `"${name}" would have the id "${id}", which belongs to the rollback of "${undone}"`;
    return [{ code: 'duplicate-id', path, message, hint: 'give it another name or id' }];
  });
}
