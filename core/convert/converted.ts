/** Units of any source to a release document, with what it cannot say as notes. */
import { checkDocument } from '../documents/check.ts';
import { API_VERSION } from '../documents/deploy.ts';
import { LIMITS } from '../documents/limits.ts';
import type { Mode, ReleaseDocument, Start } from '../documents/release.ts';
import type { Problem } from '../errors.ts';
import { graphProblems } from '../plan/problems.ts';
import type { Findings, Note } from './findings.ts';
import { shapeOf, validNames } from './names.ts';
import type { Place } from './place.ts';
import type { ConvertOptions, Unit } from './unit.ts';
import { unitProblems } from './unit-problems.ts';
import { unitWaits } from './unit-waits.ts';

const COMMAND_PLUGIN = 'command';

/** Problems that leave units unread. */
const INCOMPLETE = new Set(['template', 'interpolated', 'not-convertible', 'missing-field', 'wrong-type']);

/** What a version is called that nobody has said. */
const NO_VERSION = 'unknown';

/** A release as a person writes it: what is a default is left out. */
export interface PlainRelease {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Release';
  readonly id: string;
  readonly mode: Mode;
  readonly start?: Start;
  readonly deploys: readonly PlainEntry[];
}

interface PlainEntry {
  readonly name: string;
  readonly after?: readonly string[];
  readonly tags?: readonly string[];
  readonly descriptor: {
    readonly apiVersion: typeof API_VERSION;
    readonly application: string;
    readonly environment: string;
    readonly tenant?: string;
    readonly artifact: {
      readonly type: string;
      readonly name: string;
      readonly version: string;
      readonly source?: string;
    };
    readonly deploy: { readonly plugin: string; readonly params: Readonly<Record<string, string>> };
  };
}

export interface Converted {
  /** Absent when there are problems. It is right by itself: `renga check --offline` finds nothing. */
  readonly release?: PlainRelease | undefined;
  readonly notes: readonly Note[];
  readonly problems: readonly Problem[];
  /** What is worth a line beside a deploy, by its name. */
  readonly remarks: ReadonlyMap<string, Remark>;
}

export interface Remark {
  readonly command?: readonly string[] | undefined;
  readonly about?: string | undefined;
}

export interface Source {
  readonly units: readonly Unit[];
  readonly noun: string;
  /** Where the source as a whole stands. */
  readonly top: Place;
  readonly order: { readonly mode: Mode; readonly start?: Start };
}

export function convert(source: Source, options: ConvertOptions, findings: Findings): Converted {
  const { units, noun, top } = source;
  const failed = (problems: readonly Problem[]): Converted => ({ notes: [], problems, remarks: new Map() });
  if (findings.problems.length === 0 && units.every(({ left }) => left !== undefined)) {
    findings.problem('too-few', top, `no ${noun} found in ${top.document.file} that would be deployed`);
  }
  tooMany(units.length, top, noun, findings);
  if (findings.problems.some(({ code }) => code === 'too-many')) return failed(findings.problems);
  const environment = environmentOf(options, top, findings);
  // What could not be read may be what another waits for.
  const incomplete = findings.problems.some(({ code }) => INCOMPLETE.has(code));
  const wrong = unitProblems(units, noun).filter(({ code }) => !incomplete || code !== 'unknown-dependency');
  const problems = [...findings.problems, ...wrong];
  if (problems.length > 0 || environment === undefined) return failed(problems);

  const kept = units.filter(({ left }) => left === undefined);
  const names = validNames(kept.map(({ wanted }) => wanted));
  const nameOf = new Map(kept.map(({ key, wanted }) => [key, names.get(wanted) ?? wanted]));
  const waits = unitWaits(units, findings);
  renamed(kept, nameOf, findings);
  const tags = tagsOf(kept, findings);
  unversioned(kept, options, top, findings);
  if (options.plugin === COMMAND_PLUGIN) {
    findings.note('no-command', top, undefined, {
      what: 'the COMMAND of each deploy',
      why: 'the import runs nothing that you have not written, and a server refuses a deploy without one',
      instead: 'fill it in; the file made has a proposal for each',
    });
  }
  const release: PlainRelease = {
    apiVersion: API_VERSION,
    kind: 'Release',
    id: options.id,
    ...source.order,
    deploys: kept.map((unit) => {
      const name = nameOf.get(unit.key) ?? unit.key;
      const after = (waits.get(unit.key) ?? []).map((key) => nameOf.get(key) ?? key);
      const { type, version = options.version ?? NO_VERSION, source: from } = unit.artifact;
      const own = [...new Set(unit.tags.map((tag) => tags.get(tag) ?? tag))];
      return {
        name,
        ...(after.length > 0 && { after }),
        ...(own.length > 0 && { tags: own }),
        descriptor: {
          apiVersion: API_VERSION,
          application: name,
          environment,
          ...(options.tenant !== undefined && { tenant: options.tenant }),
          artifact: { type, name, version, ...(from !== undefined && { source: from }) },
          deploy: { plugin: options.plugin, params: unit.params },
        },
      };
    }),
  };
  const refused = releaseProblems(release, kept, top);
  if (refused.length > 0) return failed(refused);
  const notes = findings.notes.flatMap(({ key, ...note }): Note[] => {
    if (key === undefined) return [note];
    // What is left out needs no note on the rest of it.
    const deploy = nameOf.get(key);
    return deploy === undefined ? [] : [{ ...note, deploy }];
  });
  const remarks = new Map(
    kept.map(({ key, command, about }): [string, Remark] => [
      nameOf.get(key) ?? key,
      { about, command: options.plugin === COMMAND_PLUGIN ? (command ?? ['./deploy.sh']) : undefined },
    ]),
  );
  return { release, notes: inFileOrder(notes, top), problems: [], remarks };
}

/** Says, once, that there is more than a release may have; the rest of the work grows faster than the count. */
export function tooMany(count: number, top: Place, noun: string, findings: Findings): boolean {
  if (count <= LIMITS.deploysInRelease) return false;
  if (!findings.problems.some(({ code }) => code === 'too-many')) {
    const message = `${count} ${noun}s; a release has at most ${LIMITS.deploysInRelease} deploys`;
    findings.problem('too-many', top, message, 'import it in parts, as several releases');
  }
  return true;
}

function environmentOf({ environment }: ConvertOptions, top: Place, findings: Findings): string | undefined {
  if (environment === undefined) {
    if (findings.problems.some(({ code }) => code === 'missing-environment')) return undefined;
    const message = `${top.document.file} does not say which environment its deploys are for`;
    findings.problem('missing-environment', top, message, 'name it, such as --environment prod');
    return undefined;
  }
  const name = shapeOf(environment);
  if (name !== environment) {
    const why = `no environment can be called "${environment}" here`;
    findings.note('renamed', top, undefined, { what: 'environment', why, instead: `it is called "${name}"` });
  }
  return name;
}

function renamed(units: readonly Unit[], nameOf: ReadonlyMap<string, string>, findings: Findings): void {
  for (const { key, wanted, place } of units) {
    const name = nameOf.get(key);
    if (name === wanted) continue;
    const why = `names here match [a-z0-9][a-z0-9._-]*, have at most ${LIMITS.nameLength} characters and are unique`;
    findings.note('renamed', place, key, { what: `the name ${wanted}`, why, instead: `it is called ${name}` });
  }
}

function tagsOf(units: readonly Unit[], findings: Findings): Map<string, string> {
  const tags = validNames([...new Set(units.flatMap((unit) => unit.tags))]);
  const noted = new Set<string>();
  for (const unit of units) {
    for (const tag of unit.tags) {
      const name = tags.get(tag) ?? tag;
      if (name === tag || noted.has(tag)) continue;
      noted.add(tag);
      const why = 'tags here match [a-z0-9][a-z0-9._-]*';
      findings.note('renamed', unit.place, unit.key, { what: `the tag ${tag}`, why, instead: `it is called ${name}` });
    }
  }
  return tags;
}

function unversioned(units: readonly Unit[], { version }: ConvertOptions, top: Place, findings: Findings): void {
  const without = units.filter(({ artifact }) => artifact.version === undefined).map(({ wanted }) => wanted);
  if (without.length === 0 || version !== undefined) return;
  findings.note('no-version', top, undefined, {
    what: `the version of ${listed(without)}`,
    why: 'the source says none',
    instead: `fill it in where it is "${NO_VERSION}", or import with --artifact-version`,
  });
}

/** The first few of a long list. */
export function listed(words: readonly string[]): string {
  return words.length <= 5 ? words.join(', ') : `${words.slice(0, 4).join(', ')} and ${words.length - 4} more`;
}

/** What is still wrong with the release: limits of ours that the source does not have. */
function releaseProblems(release: PlainRelease, units: readonly Unit[], top: Place): Problem[] {
  const { value, problems = [] } = checkDocument(release, 'body');
  const found = value?.kind === 'Release' ? graphProblems(value as ReleaseDocument) : problems;
  return found.map((problem) => {
    const [, index] = /^deploys\[(\d+)\]/.exec(problem.path) ?? [];
    const place = (index === undefined ? undefined : units[Number(index)]?.place) ?? top;
    return { ...problem, position: place.position };
  });
}

/** What is about the whole comes first, then each file from its top to its end. */
function inFileOrder(notes: readonly Note[], top: Place): Note[] {
  const files = [...new Set([top.document.file, ...notes.map(({ position }) => position?.file)])];
  const rank = ({ deploy, position }: Note) => (deploy === undefined ? -1 : files.indexOf(position?.file));
  const line = ({ position }: Note) => position?.line ?? 0;
  return [...notes].sort((one, other) => rank(one) - rank(other) || line(one) - line(other));
}
