/** One document, already read into plain values: is it right by itself, and if not, everything that is wrong with it. */
import type { z } from 'zod';
import type { Problem } from '../errors.ts';
import { DeployDocument } from './deploy.ts';
import { field, fields, items } from './fields.ts';
import { importProblems, standaloneImportProblems } from './imports.ts';
import { problemsOf } from './issues.ts';
import { formatPath, isWithin, type Path } from './path.ts';
import { IncludedRelease, ReleaseDocument, ReleaseFile } from './release.ts';
import { deployRules } from './rules.ts';
import { shown } from './shown.ts';
import { suggestion } from './spelling.ts';
import { KINDS, LATER_KINDS, notYet, type Refusal, unsupported } from './unsupported.ts';

/**
 * Where a document comes from, which decides what it may have: a `file` of its own, a release file that another one
 * `include`s, a deploy's file named by a release (`descriptor`), or the `body` of a request, which can name no files.
 */
export type Form = 'file' | 'include' | 'descriptor' | 'body';

export interface Documents {
  file: DeployDocument | ReleaseFile;
  include: DeployDocument | IncludedRelease;
  descriptor: DeployDocument | ReleaseFile;
  body: DeployDocument | ReleaseDocument;
}

const RELEASES = { file: ReleaseFile, include: IncludedRelease, descriptor: ReleaseFile, body: ReleaseDocument };

export type Checked<Value> =
  | { readonly value: Value; readonly problems?: undefined }
  | { readonly problems: Problem[]; readonly value?: undefined };

export function checkDocument<F extends Form>(document: unknown, form: F): Checked<Documents[F]> {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    const message = `a document must be a mapping, not ${shown(document)}`;
    return { problems: [{ code: 'wrong-type', path: '', message, hint: 'start with apiVersion: renga/v1' }] };
  }
  const kind = field(document, 'kind');
  const wrong = kindProblem(document, kind);
  if (wrong !== undefined) return { problems: [wrong] };
  return (kind === 'Release' ? checkRelease(document, form) : checkDeploy(document, form)) as Checked<Documents[F]>;
}

function kindProblem(document: object, kind: unknown): Problem | undefined {
  if (kind === undefined) {
    if (!Object.hasOwn(document, 'deploys') && !Object.hasOwn(document, 'includes')) return undefined;
    const message = 'the field "kind" is missing, and without it this would be a Deploy';
    return { code: 'missing-field', path: 'kind', message, hint: 'write kind: Release' };
  }
  if (typeof kind === 'string' && LATER_KINDS.includes(kind)) return notYet('kind', `kind: ${kind}`);
  if (KINDS.some((known) => known === kind)) return undefined;
  const message = `${shown(kind)} is no kind of document`;
  return { code: 'invalid-value', path: 'kind', message, hint: suggestion(String(kind), KINDS) };
}

function checkDeploy(document: unknown, form: Form): Checked<DeployDocument> {
  const rules = deployRules(document, []);
  if (form === 'body') rules.push(...standaloneImportProblems(document));
  return conclude(DeployDocument, document, unsupported(document, [], form === 'descriptor'), rules);
}

function checkRelease(document: unknown, form: Form): Checked<ReleaseFile | IncludedRelease | ReleaseDocument> {
  const refusals: Refusal[] = [];
  const rules: Problem[] = [];
  if (form === 'body' && field(document, 'includes') !== undefined)
    refusals.push(onlyInFiles(['includes'], 'includes'));
  for (const [index, entry] of items(field(document, 'deploys')).entries()) {
    const place: Path = ['deploys', index];
    const descriptor = field(entry, 'descriptor');
    if (form === 'body') {
      const covered: Path[] = descriptor === undefined ? [[...place, 'descriptor']] : [];
      if (field(entry, 'file') !== undefined) refusals.push(onlyInFiles([...place, 'file'], 'file', covered));
      rules.push(...importProblems(entry, formatPath(place)));
    } else if (fields(entry).length > 0) {
      const given = [field(entry, 'file'), descriptor].filter((value) => value !== undefined).length;
      if (given !== 1) rules.push(oneOfFileAndDescriptor(place, given));
    }
    refusals.push(...unsupported(descriptor, [...place, 'descriptor'], true));
    rules.push(...deployRules(descriptor, [...place, 'descriptor']));
  }
  return conclude<ReleaseFile | IncludedRelease | ReleaseDocument>(RELEASES[form], document, refusals, rules);
}

function conclude<Value extends DeployDocument | ReleaseFile | IncludedRelease | ReleaseDocument>(
  schema: z.ZodType<Value>,
  document: unknown,
  refusals: readonly Refusal[],
  rules: readonly Problem[],
): Checked<Value> {
  const parsed = schema.safeParse(document);
  const found = [...(parsed.success ? [] : problemsOf(parsed.error, schema, document)), ...rules];
  const problems = [
    ...refusals.map(({ problem }) => problem),
    ...found.filter(({ path }) => !refusals.some(({ covers }) => covers.some((base) => isWithin(path, base)))),
  ];
  if (!parsed.success || problems.length > 0) return { problems };
  dropDryRun(parsed.data);
  return { value: parsed.data };
}

/** `dryRun: false` says nothing, so nothing of it may make two documents differ. The document is fresh from zod. */
function dropDryRun(document: DeployDocument | ReleaseFile | IncludedRelease | ReleaseDocument): void {
  const deploys = document.kind === 'Deploy' ? [document] : document.deploys.map(({ descriptor }) => descriptor);
  for (const deploy of deploys) delete deploy?.dryRun;
}

function onlyInFiles(path: Path, what: string, alsoCovered: readonly Path[] = []): Refusal {
  const problem = {
    code: 'only-in-files',
    path: formatPath(path),
    message: `${shown(what)} names a file, and a request has none beside it`,
    hint: 'send the deploys in `descriptor`; `renga release submit` reads the files and does so',
  };
  return { problem, covers: [path, ...alsoCovered].map(formatPath) };
}

function oneOfFileAndDescriptor(path: Path, given: number): Problem {
  const place = formatPath(path);
  return given === 0
    ? { code: 'missing-field', path: place, message: 'neither file nor descriptor is here', hint: 'write one of them' }
    : { code: 'file-and-descriptor', path: place, message: 'file and descriptor are both here', hint: 'remove one' };
}
