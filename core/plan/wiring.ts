import { dependencyId } from '../documents/deploy.ts';
import type { ReleaseDocument, ReleaseEntry } from '../documents/release.ts';

/** The id of a release's deploy: its descriptor's own, or `<release>.<name>`. */
export function deployId(releaseId: string, entry: ReleaseEntry): string {
  return entry.descriptor.id ?? `${releaseId}.${entry.name}`;
}

/** The id of the deploy that takes a release's deploy back. */
export function rollbackId(releaseId: string, name: string): string {
  return `${releaseId}.rollback.${name}`;
}

/** One line of an `after` list, in the release or in a descriptor, with what it stands for. */
export interface Arrow {
  readonly path: string;
  readonly written: string;
  readonly kind: 'inner' | 'external' | 'unknown';
  /** Name of the deploy of this release that it waits for; the text as written when it is none. */
  readonly target: string;
}

export interface Wire {
  readonly name: string;
  readonly id: string;
  readonly arrows: readonly Arrow[];
}

/**
 * What the `after` lists of a release stand for: those of the release name deploys of it, those of a descriptor are
 * ids, and an id that belongs to a deploy of the same release is an edge of its graph like any other.
 */
export function wiring(release: ReleaseDocument): Wire[] {
  const names = new Set(release.deploys.map((entry) => entry.name));
  const nameOf = new Map<string, string>();
  for (const entry of release.deploys) {
    const id = deployId(release.id, entry);
    if (!nameOf.has(id)) nameOf.set(id, entry.name);
  }
  return release.deploys.map((entry, at) => {
    const byName = entry.after.map((written, index): Arrow => {
      const kind = names.has(written) ? 'inner' : 'unknown';
      return { path: `deploys[${at}].after[${index}]`, written, kind, target: written };
    });
    const byId = entry.descriptor.after.map(dependencyId).map((written, index): Arrow => {
      const path = `deploys[${at}].descriptor.after[${index}]`;
      // Its own id, also when a second deploy has wrongly taken it, is an arrow to itself.
      const inner = written === deployId(release.id, entry) ? entry.name : nameOf.get(written);
      return { path, written, kind: inner === undefined ? 'external' : 'inner', target: inner ?? written };
    });
    return { name: entry.name, id: deployId(release.id, entry), arrows: [...byName, ...byId] };
  });
}

/** Names of the deploys of this release that one waits for, each once, in the order written. */
export function innerAfter(wire: Wire): string[] {
  return [...new Set(wire.arrows.filter((arrow) => arrow.kind === 'inner').map((arrow) => arrow.target))];
}

/** Ids outside this release that one waits for, each once, in the order written. */
export function externalAfter(wire: Wire): string[] {
  return [...new Set(wire.arrows.filter((arrow) => arrow.kind === 'external').map((arrow) => arrow.target))];
}

export type Order = 'dag' | 'sequential';

/**
 * `auto`: one by one as declared while no deploy waits for another of its release; a DAG as soon as one does. A name
 * that is not there counts as waiting, so that one mistake is not reported as two.
 */
export function orderOf(release: ReleaseDocument, wires: readonly Wire[] = wiring(release)): Order {
  if (release.mode !== 'auto') return release.mode;
  return wires.some((wire) => wire.arrows.some((arrow) => arrow.kind !== 'external')) ? 'dag' : 'sequential';
}
