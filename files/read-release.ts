/**
 * A release's file with all that it names, inlined: the deploys' own files and other releases that it includes. What
 * comes out is what the API takes. Nothing outside of the first file's directory is read.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { importProblems } from '../core/documents/imports.ts';
import { LIMITS } from '../core/documents/limits.ts';
import { type NamedFile, placed } from '../core/documents/parse.ts';
import type { FileEntry, IncludedRelease, ReleaseDocument, ReleaseFile } from '../core/documents/release.ts';
import { shown } from '../core/documents/shown.ts';
import { byteLength, sizeProblem } from '../core/documents/source-text.ts';
import type { Problem } from '../core/errors.ts';
import { type Locate, readOne } from './one-document.ts';
import { type Origin, type PlacedEntry, releaseLocator } from './origin.ts';
import type { Reference, Root } from './text-file.ts';

export type ReadRelease =
  | { readonly release: ReleaseDocument; readonly origin: Origin; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly release?: undefined };

/**
 * Reads the release at `file`. Every problem of every file is reported at once, each with its place; paths are those of
 * the file that the problem's position names. Surprises of the disk are thrown.
 */
export async function readRelease(file: string): Promise<ReadRelease> {
  const top = await readOne(file, { path: '' }, { form: 'file', kind: 'Release' });
  const named = path.resolve(path.dirname(file));
  if (top.problems !== undefined) {
    if (top.real === undefined) return { problems: top.problems };
    const reader = new ReleaseReader(undefined, { named, real: await realpath(named) });
    await reader.readNamed(file, top.named, [top.real]);
    return { problems: [...top.problems, ...reader.problems] };
  }
  const reader = new ReleaseReader(top.value, { named, real: await realpath(named) });
  await reader.read(file, top.value, top.locate, [top.real]);

  const { includes: _, ...head } = top.value;
  const release = { ...head, deploys: reader.entries.map(({ entry }) => entry) };
  const locate = releaseLocator(reader.entries, top.locate);
  const whole = placed(wholeProblems(release, reader.problems.length > 0), locate);
  const problems = [...reader.problems, ...namesakes(reader.entries), ...whole];
  return problems.length > 0 ? { problems } : { release, origin: { files: reader.files, locate } };
}

class ReleaseReader {
  readonly entries: PlacedEntry[] = [];
  readonly problems: Problem[] = [];
  readonly files: string[] = [];
  /** Release files by their real path, with the name under which each was read. */
  readonly #releases = new Map<string, string>();

  /** `top`: the first file, unless it is not right and only problems are looked for. */
  constructor(
    readonly top: ReleaseFile | undefined,
    readonly root: Root,
  ) {}

  /** `trail`: the real paths of the files that include one another down to this one, itself the last. */
  async read(
    file: string,
    release: ReleaseFile | IncludedRelease,
    locate: Locate,
    trail: readonly string[],
  ): Promise<void> {
    this.files.push(file);
    this.#releases.set(trail.at(-1) ?? file, file);
    for (const [index, name] of release.includes.entries()) {
      const place = `includes[${index}]`;
      await this.#include(beside(file, name), { path: place, position: locate(place) }, trail);
    }
    for (const [index, entry] of release.deploys.entries()) await this.#deploy(file, index, entry, locate);
  }

  /** Looks for problems in the files that a release names which is not right itself. */
  async readNamed(file: string, named: readonly NamedFile[], trail: readonly string[]): Promise<void> {
    this.#releases.set(trail.at(-1) ?? file, file);
    for (const { kind, file: name, ...reference } of named) {
      const target = beside(file, name);
      if (kind === 'Release') await this.#include(target, reference, trail);
      else this.problems.push(...((await this.#descriptor(target, reference)).problems ?? []));
    }
  }

  async #include(file: string, reference: Reference, trail: readonly string[]): Promise<void> {
    const read = await readOne(file, reference, { form: 'include', kind: 'Release', root: this.root });
    if (read.real !== undefined) {
      const again = this.#readAlready(file, read.real, trail);
      if (again !== undefined) {
        this.problems.push({ ...reference, ...again, hint: 'include each file once' });
        return;
      }
    }
    if (read.problems !== undefined) {
      this.problems.push(...read.problems);
      if (read.real !== undefined) await this.readNamed(file, read.named, [...trail, read.real]);
      return;
    }
    for (const field of ['id', 'mode', 'start', 'onFailure'] as const) {
      const value = read.value[field];
      if (this.top === undefined || value === undefined || value === this.top[field]) continue;
      this.problems.push({
        code: 'include-differs',
        path: field,
        message: `the included file says ${field}: ${value}, the release ${field}: ${this.top[field]}`,
        hint: 'the first file decides; remove it here, or say the same',
        position: read.locate(field),
      });
    }
    await this.read(file, read.value, read.locate, [...trail, read.real]);
  }

  #readAlready(file: string, real: string, trail: readonly string[]): Pick<Problem, 'code' | 'message'> | undefined {
    const before = this.#releases.get(real);
    if (before === undefined) return undefined;
    if (!trail.includes(real)) {
      return { code: 'included-twice', message: `${shown(file)} is included already, as ${shown(before)}` };
    }
    const circle = [...trail.slice(trail.indexOf(real)), real].map((step) => this.#releases.get(step));
    return { code: 'include-cycle', message: `the includes go round in a circle: ${circle.join(' → ')}` };
  }

  #descriptor(file: string, reference: Reference) {
    return readOne(file, reference, { form: 'descriptor', kind: 'Deploy', root: this.root });
  }

  async #deploy(file: string, index: number, entry: FileEntry, locate: Locate): Promise<void> {
    const { file: name, descriptor, ...rest } = entry;
    if (descriptor !== undefined) {
      this.entries.push({ entry: { ...rest, descriptor }, file, index, locate });
      return;
    }
    if (name === undefined) throw new Error(`an entry of ${file} has neither file nor descriptor`);
    const place = `deploys[${index}].file`;
    const target = beside(file, name);
    const read = await this.#descriptor(target, { path: place, position: locate(place) });
    if (read.problems !== undefined) {
      this.problems.push(...read.problems);
      return;
    }
    if (!this.files.includes(target)) this.files.push(target);
    this.entries.push({
      entry: { ...rest, descriptor: read.value },
      file,
      index,
      locate,
      locateDescriptor: read.locate,
    });
  }
}

/** A file named in another one; an absolute name stays absolute, and is judged like any other. */
function beside(file: string, name: string): string {
  return path.isAbsolute(name) ? name : path.join(path.dirname(file), name);
}

/** Deploys of different files with one name. Those within a file are the release check's, as they are over the API. */
function namesakes(entries: readonly PlacedEntry[]): Problem[] {
  const first = new Map<string, PlacedEntry>();
  return entries.flatMap((placedEntry) => {
    const { entry, file, index, locate } = placedEntry;
    const other = first.get(entry.name);
    if (other === undefined) first.set(entry.name, placedEntry);
    if (other === undefined || other.file === file) return [];
    const place = `deploys[${index}].name`;
    const there = other.locate(`deploys[${other.index}].name`);
    const message = `the name ${shown(entry.name)} is taken by ${other.file}, line ${there?.line}`;
    return [{ code: 'duplicate-name', path: place, message, hint: 'give one another name', position: locate(place) }];
  });
}

/** Problems of the release as a whole; those of its size only when it was read completely. */
function wholeProblems(release: ReleaseDocument, incomplete: boolean): Problem[] {
  const imports = release.deploys.flatMap((entry, index) => importProblems(entry, `deploys[${index}]`));
  if (incomplete) return imports;
  const count = release.deploys.length;
  if (count === 0) return [{ code: 'too-few', path: 'deploys', message: 'the release has no deploys' }, ...imports];
  const large = sizeProblem(byteLength(JSON.stringify(release)), 'the release, with all its files,');
  if (large !== undefined) return [large, ...imports];
  if (count <= LIMITS.deploysInRelease) return imports;
  const message = `${count} deploys with those of the includes; the limit is ${LIMITS.deploysInRelease}`;
  return [{ code: 'too-many', path: 'deploys', message }, ...imports];
}
