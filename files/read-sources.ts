/** A file of another tool with all that it names. Nothing outside of the first file's directory is read. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { Place, type SourceDocument } from '../core/convert/place.ts';
import { readSource, type SourceFormat } from '../core/convert/source.ts';
import type { Reference, Sources } from '../core/convert/sources.ts';
import { shown } from '../core/documents/shown.ts';
import type { Problem } from '../core/errors.ts';
import { type Root, readText } from './text-file.ts';

export interface SourceKind extends SourceFormat {
  /** Files that a document names, relative to its own. */
  readonly references: (top: Place) => readonly Reference[];
  /** How to get one file with nothing outside of it. */
  readonly whole?: string | undefined;
}

export type ReadSources =
  | { readonly sources: Sources; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly sources?: undefined };

/** Every problem of every file is reported at once. Surprises of the disk are thrown. */
export async function readSources(file: string, kind: SourceKind): Promise<ReadSources> {
  const read = await readText(file, { path: '' });
  if (read.problem !== undefined) return { problems: [read.problem] };
  const named = path.resolve(path.dirname(file));
  const reader = new SourceReader(kind, { named, real: await realpath(named) });
  const documents = await reader.read(file, read.text, [read.real]);
  const [first, ...rest] = documents;
  if (first === undefined || reader.problems.length > 0) return { problems: reader.problems };
  return { sources: { top: [first, ...rest], named: (place) => reader.found(place) } };
}

class SourceReader {
  readonly problems: Problem[] = [];
  /** Files by their real path, and where each was named. */
  readonly #files = new Map<string, readonly SourceDocument[]>();
  readonly #named = new Map<string, readonly SourceDocument[]>();

  constructor(
    readonly kind: SourceKind,
    readonly root: Root,
  ) {}

  found(place: Place): readonly SourceDocument[] | undefined {
    return this.#named.get(keyOf(place));
  }

  /** `trail`: the real paths of the files that include one another down to this one, itself the last. */
  async read(file: string, text: string, trail: readonly string[]): Promise<readonly SourceDocument[]> {
    const { documents, problems } = readSource(text, file, this.kind);
    this.problems.push(...problems);
    this.#files.set(trail.at(-1) ?? file, documents);
    for (const document of documents) {
      for (const reference of this.kind.references(Place.root(document))) await this.#follow(file, reference, trail);
    }
    return documents;
  }

  async #follow(from: string, { kind, name, place }: Reference, trail: readonly string[]): Promise<void> {
    const file = path.isAbsolute(name) ? name : path.join(path.dirname(from), name);
    const at = { path: place.path, position: place.position };
    const read = await readText(file, at, this.root);
    if (read.problem !== undefined) {
      const { hint } = read.problem;
      const outside = read.problem.code === 'file-outside' && this.kind.whole !== undefined;
      this.problems.push({ ...read.problem, hint: outside ? this.kind.whole : hint });
      return;
    }
    if (kind === 'include' && trail.includes(read.real)) {
      const message = `the includes go round in a circle: ${shown(file)} is being read already`;
      this.problems.push({ ...at, code: 'include-cycle', message, hint: 'remove one of them' });
      return;
    }
    const known = this.#files.get(read.real);
    this.#named.set(keyOf(place), known ?? (await this.read(file, read.text, [...trail, read.real])));
  }
}

function keyOf(place: Place): string {
  const { file, line, column } = place.position;
  return `${line}:${column} ${place.path} ${file}`;
}
