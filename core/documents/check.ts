/** One document, already read into plain values: is it right by itself, and if not, everything that is wrong with it. */
import type { z } from 'zod';
import type { Problem } from '../errors.ts';
import { AccessDocument } from './access.ts';
import { DeployDocument } from './deploy.ts';
import { EnvironmentConfigDocument, EnvironmentDocument } from './environment.ts';
import { field, fields, items } from './fields.ts';
import { importProblems, standaloneImportProblems } from './imports.ts';
import { problemsOf } from './issues.ts';
import { formatPath, isWithin, type Path } from './path.ts';
import { PipelineDocument } from './pipeline.ts';
import { IncludedRelease, ReleaseDocument, ReleaseFile } from './release.ts';
import { withRemedy } from './remedies.ts';
import { accessRules } from './rules/access.ts';
import { deployRules } from './rules/deploy.ts';
import { environmentConfigRules, environmentRules } from './rules/environment.ts';
import { notInRelease } from './rules/timing.ts';
import { shown } from './shown.ts';
import { suggestion } from './spelling.ts';
import { type Refusal, unsupportedInConfig, unsupportedInDeploy } from './unsupported.ts';

/**
 * Where a document comes from, which decides what it may have: a `file` of its own, a release file that another one
 * `include`s, a deploy's file named by a release (`descriptor`), or the `body` of a request, which can name no files.
 */
export type Form = 'file' | 'include' | 'descriptor' | 'body';

/** Documents that are kept under a name and hold for deploys from then on; no part of a release. */
export type StandingDocument = EnvironmentDocument | EnvironmentConfigDocument | AccessDocument | PipelineDocument;

export interface Documents {
  file: DeployDocument | ReleaseFile | StandingDocument;
  include: DeployDocument | IncludedRelease;
  descriptor: DeployDocument | ReleaseFile;
  body: DeployDocument | ReleaseDocument | StandingDocument;
}

/** The document of a kind, as it comes out of a form. */
export type DocumentOf<F extends Form, K extends Kind> = Extract<Documents[F], { kind: K }>;

const RELEASES = { file: ReleaseFile, include: IncludedRelease, descriptor: ReleaseFile, body: ReleaseDocument };
const STANDING = {
  Environment: EnvironmentDocument,
  EnvironmentConfig: EnvironmentConfigDocument,
  Access: AccessDocument,
  Pipeline: PipelineDocument,
} as const;
const KINDS = ['Deploy', 'Release', ...Object.keys(STANDING)];
export type Kind = Documents[Form]['kind'];

export type Checked<Value> =
  | { readonly value: Value; readonly problems?: undefined }
  | { readonly problems: Problem[]; readonly value?: undefined };

export function checkDocument<F extends Form>(document: unknown, form: F): Checked<Documents[F]> {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    const message = `a document must be a mapping, not ${shown(document)}`;
    return { problems: [{ code: 'wrong-type', path: '', message, hint: 'start with apiVersion: renga/v1' }] };
  }
  const kind = field(document, 'kind');
  const wrong = kindProblem(document, kind, form);
  if (wrong !== undefined) return { problems: [wrong] };
  if (isStanding(kind)) return checkStanding(document, kind) as Checked<Documents[F]>;
  return (kind === 'Release' ? checkRelease(document, form) : checkDeploy(document, form)) as Checked<Documents[F]>;
}

function isStanding(kind: unknown): kind is keyof typeof STANDING {
  return typeof kind === 'string' && Object.hasOwn(STANDING, kind);
}

function kindProblem(document: object, kind: unknown, form: Form): Problem | undefined {
  if (kind === undefined) {
    if (!Object.hasOwn(document, 'deploys') && !Object.hasOwn(document, 'includes')) return undefined;
    const message = 'the field "kind" is missing, and without it this would be a Deploy';
    return { code: 'missing-field', path: 'kind', message, hint: 'write kind: Release' };
  }
  if (isStanding(kind) && (form === 'include' || form === 'descriptor')) {
    const message = `kind: ${kind} is no part of a release, and a release names this file`;
    return {
      code: 'wrong-kind',
      path: 'kind',
      message,
      hint: 'apply it by itself, with renga env apply or renga access apply',
    };
  }
  if (KINDS.some((known) => known === kind)) return undefined;
  const message = `${shown(kind)} is no kind of document`;
  return { code: 'invalid-value', path: 'kind', message, hint: suggestion(String(kind), KINDS) };
}

function checkStanding(document: unknown, kind: keyof typeof STANDING): Checked<StandingDocument> {
  switch (kind) {
    case 'Environment':
      return conclude(EnvironmentDocument, document, [], environmentRules(document));
    case 'EnvironmentConfig':
      return conclude(
        EnvironmentConfigDocument,
        document,
        unsupportedInConfig(document),
        environmentConfigRules(document),
      );
    case 'Access':
      return conclude(AccessDocument, document, [], accessRules(document));
    case 'Pipeline':
      return conclude(PipelineDocument, document, [], []);
  }
}

function checkDeploy(document: unknown, form: Form): Checked<DeployDocument> {
  const rules = deployRules(document, []);
  if (form === 'body') rules.push(...standaloneImportProblems(document));
  const inRelease = form === 'descriptor' ? notInRelease(document, []) : [];
  return withoutDryRun(conclude(DeployDocument, document, [...unsupportedInDeploy(document, []), ...inRelease], rules));
}

type AnyRelease = ReleaseFile | IncludedRelease | ReleaseDocument;

function checkRelease(document: unknown, form: Form): Checked<AnyRelease> {
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
    const inside: Path = [...place, 'descriptor'];
    refusals.push(...unsupportedInDeploy(descriptor, inside), ...notInRelease(descriptor, inside));
    rules.push(...deployRules(descriptor, inside));
  }
  return withoutDryRun(conclude<AnyRelease>(RELEASES[form], document, refusals, rules));
}

function conclude<Value>(
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
  if (!parsed.success || problems.length > 0) return { problems: problems.map(withRemedy) };
  return { value: parsed.data };
}

/** `dryRun: false` says nothing, so nothing of it may make two documents differ. The document is fresh from zod. */
function withoutDryRun<Value extends DeployDocument | AnyRelease>(checked: Checked<Value>): Checked<Value> {
  const document: DeployDocument | AnyRelease | undefined = checked.value;
  if (document === undefined) return checked;
  const deploys = document.kind === 'Deploy' ? [document] : document.deploys.map(({ descriptor }) => descriptor);
  for (const deploy of deploys) if (deploy?.dryRun === false) delete deploy.dryRun;
  return checked;
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
