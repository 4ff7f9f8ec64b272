import type { ReleaseEntry } from '../core/documents/release.ts';
import type { Locate } from './one-document.ts';

/** Where a document that was read from one or many files comes from. */
export interface Origin {
  /** Every file that was read, the first one first, as problems name them. */
  readonly files: readonly string[];
  /** The place of a path of the whole document, in whichever file it stands. */
  readonly locate: Locate;
}

/** A deploy of a release, with the file and index of its entry, and its descriptor's file when it has one. */
export interface PlacedEntry {
  readonly entry: ReleaseEntry;
  readonly file: string;
  readonly index: number;
  readonly locate: Locate;
  readonly locateDescriptor?: Locate | undefined;
}

/** Finds paths of the inlined release, such as `deploys[7].descriptor.artifact.version`, in the files it came from. */
export function releaseLocator(entries: readonly PlacedEntry[], top: Locate): Locate {
  return (path, named) => {
    const [, index, rest = ''] = /^deploys\[(\d+)\](.*)$/.exec(path) ?? [];
    const placed = index === undefined ? undefined : entries[Number(index)];
    if (placed === undefined) return top(path, named);
    const [, inside] = /^\.descriptor\.?(.+)$/.exec(rest) ?? [];
    if (inside !== undefined && placed.locateDescriptor !== undefined) return placed.locateDescriptor(inside, named);
    return placed.locate(`deploys[${placed.index}]${rest}`, named);
  };
}
