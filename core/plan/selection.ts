import { dependencyId } from '../documents/deploy.ts';
import type { ReleaseDocument } from '../documents/release.ts';
import type { Problem } from '../errors.ts';
import { ancestors } from './graph.ts';
import { deployId, innerAfter, orderOf, wiring } from './wiring.ts';

export interface SelectionOptions {
  /** Adds what the picked deploys wait for, directly or not. */
  readonly withDependencies?: boolean;
  /** Names of deploys of the release that are current as it declares them: nothing need wait for them again. */
  readonly current?: ReadonlySet<string>;
}

export type Selection =
  | { readonly release: ReleaseDocument; readonly problems?: undefined }
  | { readonly release?: undefined; readonly problems: readonly Problem[] };

/**
 * The part of a release whose deploys carry one of `tags`, in the order of declaration. What a picked deploy waits
 * for must be picked as well, be added by `withDependencies`, or be current already; a dependency that is current is
 * left out of `after`. Order is the whole release's: picking two deploys of a DAG does not make them a sequence.
 * Takes a release in which `graphProblems` found nothing.
 */
export function select(release: ReleaseDocument, tags: readonly string[], options: SelectionOptions = {}): Selection {
  const { withDependencies = false, current = new Set<string>() } = options;
  const unknown = unknownTags(release, tags);
  if (unknown.length > 0) return { problems: unknown };

  const wires = wiring(release);
  const nodes = wires.map((wire) => ({ name: wire.name, after: innerAfter(wire) }));
  const wanted = new Set(tags);
  const picked = new Set(
    release.deploys.filter((entry) => entry.tags.some((tag) => wanted.has(tag))).map(({ name }) => name),
  );
  if (withDependencies) {
    // The way back ends at what is current: what that waited for has succeeded.
    const open = nodes.map(({ name, after }) => ({ name, after: current.has(name) && !picked.has(name) ? [] : after }));
    for (const name of ancestors(open, picked)) if (!current.has(name)) picked.add(name);
  }

  const problems = wires.flatMap((wire): Problem[] => {
    if (!picked.has(wire.name)) return [];
    return wire.arrows.flatMap(({ kind, target, path }): Problem[] => {
      if (kind !== 'inner' || picked.has(target) || current.has(target)) return [];
      const message = `"${wire.name}" is picked but waits for "${target}", which is neither picked nor current`;
      const hint = `add --with-dependencies, or pick a tag of "${target}" as well`;
      return [{ code: 'unselected-dependency', path, message, hint }];
    });
  });
  if (problems.length > 0) return { problems };
  return { release: narrowed(release, picked) };
}

function unknownTags(release: ReleaseDocument, tags: readonly string[]): Problem[] {
  const known = new Set(release.deploys.flatMap((entry) => entry.tags));
  return tags
    .filter((tag) => !known.has(tag))
    .map((tag) => {
      const message = `no deploy of the release carries the tag "${tag}"`;
      const hint = known.size === 0 ? 'the release has no tags' : `its tags are ${[...known].sort().join(', ')}`;
      return { code: 'unknown-tag', path: 'deploys', message, hint };
    });
}

function narrowed(release: ReleaseDocument, picked: ReadonlySet<string>): ReleaseDocument {
  const left = new Set(
    release.deploys.filter(({ name }) => !picked.has(name)).map((entry) => deployId(release.id, entry)),
  );
  const deploys = release.deploys
    .filter(({ name }) => picked.has(name))
    .map((entry) => ({
      ...entry,
      after: entry.after.filter((name) => picked.has(name)),
      descriptor: { ...entry.descriptor, after: entry.descriptor.after.filter((id) => !left.has(dependencyId(id))) },
    }));
  return { ...release, mode: orderOf(release), deploys };
}
