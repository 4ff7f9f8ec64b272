/**
 * Text to checked documents. Every problem of a text is reported at once, with its place; only text that can't be read
 * at all (no text, no YAML, too deep, too large) ends the reading early.
 */
import { type Document, isNode } from 'yaml';
import type { Problem } from '../errors.ts';
import { checkDocument, type DocumentOf, type Form, type Kind } from './check.ts';
import { field, items } from './fields.ts';
import { LIMITS } from './limits.ts';
import { byteLength, notText, type Position, SourceText, sizeProblem } from './source-text.ts';
import { readYaml } from './yaml-stream.ts';
import { type Places, readValue } from './yaml-values.ts';

/** `named`: the place of the field's name instead of its value. */
type Locate = (path: string, named?: boolean) => Position;

/** A document that is right by itself. `locate` finds a problem's path, or the nearest field around it, in the text. */
export type ParsedDocument<F extends Form = 'file', K extends Kind = Kind> = K extends Kind
  ? { readonly kind: K; readonly value: DocumentOf<F, K>; readonly locate: Locate }
  : never;

export interface Parsed<F extends Form = 'file'> {
  readonly documents: ParsedDocument<F>[];
  readonly problems: Problem[];
  /** Files that its releases name, also those of a release that is not right: their problems can be told as well. */
  readonly named: readonly NamedFile[];
}

export interface NamedFile {
  readonly kind: 'Deploy' | 'Release';
  readonly file: string;
  readonly path: string;
  readonly position: Position;
}

/** Changes a document as it was read, before it is checked; what it adds has no place in the text. */
export type Amend = (document: unknown) => unknown;

/** Reads a file's text: YAML with one or several documents, or JSON when the file's name ends in `.json`. */
export function parseDocuments(text: string, file: string): Parsed;
export function parseDocuments<F extends Form>(text: string, file: string, form: F, amend?: Amend): Parsed<F>;
export function parseDocuments(text: string, file: string, form: Form = 'file', amend: Amend = same): Parsed<Form> {
  const large = sizeProblem(byteLength(text), file);
  if (large !== undefined) return { documents: [], named: [], problems: [large] };
  const source = new SourceText(text.replace(/^\uFEFF/, ''), file);
  const binary = notText(source);
  if (binary !== undefined) return { documents: [], named: [], problems: [binary] };
  return file.endsWith('.json') ? parseJson(source, form, amend) : parseYaml(source, form, amend);
}

function same(document: unknown): unknown {
  return document;
}

export type ParsedBody = ParsedDocument<'body'>;

/** Reads a request's body: one JSON document, complete in itself. Problems are the same as those of a file. */
export function parseJsonBody(text: string): { document: ParsedBody; problems?: undefined } | { problems: Problem[] } {
  const { documents, problems } = parseDocuments(text, 'body.json', 'body');
  const [document] = documents;
  return document === undefined || problems.length > 0 ? { problems } : { document };
}

/** The same problems with their position, where they have none yet. */
export function placed(
  problems: readonly Problem[],
  locate: (path: string, named?: boolean) => Position | undefined,
): Problem[] {
  return problems.map((problem) =>
    problem.position === undefined
      ? { ...problem, position: locate(problem.path, ABOUT_NAMES.has(problem.code)) }
      : problem,
  );
}

/** Problems of a field being there at all, whatever its value. */
const ABOUT_NAMES = new Set(['unknown-field', 'not-supported-yet', 'not-in-release', 'only-in-files', 'unused-import']);

function parseJson(source: SourceText, form: Form, amend: Amend): Parsed<Form> {
  if (source.text.trim() === '') return parseYaml(source, form, amend);
  try {
    JSON.parse(source.text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { documents: [], named: [], problems: [notJson(source, error.message)] };
  }
  // Tabs can only be indentation here (JSON has none in texts); to YAML they would be none.
  return parseYaml(new SourceText(source.text.replaceAll('\t', ' '), source.file), form, amend);
}

function notJson(source: SourceText, reason: string): Problem {
  const offset = /position (\d+)/.exec(reason)?.[1];
  const position = source.position(offset === undefined ? firstError(source) : Number(offset));
  return { code: 'not-json', path: '', message: `this is no JSON: ${reason.split('\n')[0]}`, position };
}

/** Where YAML, of which JSON is a part, gives up; the start when only JSON does. */
function firstError(source: SourceText): number {
  const read = readYaml(source);
  return 'documents' in read ? (read.documents[0]?.errors[0]?.pos[0] ?? 0) : 0;
}

function parseYaml(source: SourceText, form: Form, amend: Amend): Parsed<Form> {
  const read = readYaml(source);
  if ('problem' in read) return { documents: [], named: [], problems: [read.problem] };
  const syntax = syntaxProblems(source, read.documents);
  if (syntax.length > 0) return { documents: [], named: [], problems: syntax };
  const contents = read.documents.map(({ contents }) => (isNode(contents) ? contents : null));
  if (contents.every((node) => isEmpty(node))) return { documents: [], named: [], problems: [nothing(source)] };

  const documents: ParsedDocument<Form>[] = [];
  const problems: Problem[] = [];
  const named: NamedFile[] = [];
  for (const node of contents) {
    if (isEmpty(node)) {
      problems.push(emptyDocument(source, node?.range?.[0] ?? 0));
      continue;
    }
    const { value, places, problems: unread } = readValue(node, source);
    if (value === undefined) {
      problems.push(...unread);
      continue;
    }
    const locate = locator(source, places);
    named.push(...filesOf(value, locate));
    const { value: checked, problems: wrong = [] } = checkDocument(amend(value), form);
    const all = [...unread, ...placed(wrong, locate)].sort(byPosition);
    problems.push(...all);
    if (checked !== undefined && all.length === 0) {
      documents.push({ kind: checked.kind, value: checked, locate } as ParsedDocument<Form>);
    }
  }
  return { documents, problems: told(problems), named };
}

/** What makes a text no YAML: the first mistake of each of its documents. */
export function syntaxProblems(source: SourceText, documents: readonly Document.Parsed[]): Problem[] {
  const errors = documents.flatMap((document) => document.errors.slice(0, 1));
  return errors.slice(0, 10).map(({ code, message, pos }): Problem => {
    const position = source.position(Math.min(pos[0], source.text.length));
    const tab = code === 'TAB_AS_INDENT' ? 'indent with spaces' : undefined;
    return { code: tab === undefined ? 'yaml-syntax' : 'yaml-tab', path: '', message, hint: tab, position };
  });
}

function told(problems: Problem[]): Problem[] {
  if (problems.length <= LIMITS.problemsTold) return problems;
  const first = problems.slice(0, LIMITS.problemsTold);
  const message = `the file has more than ${LIMITS.problemsTold} problems; these are the first`;
  return [...first, { code: 'more-problems', path: '', message, position: first.at(-1)?.position }];
}

/** Files that a release names, read from what was written: the release may be wrong elsewhere. */
function filesOf(document: unknown, locate: Locate): NamedFile[] {
  if (field(document, 'kind') !== 'Release') return [];
  const name = (kind: NamedFile['kind'], file: unknown, path: string): NamedFile[] =>
    typeof file === 'string' && file !== '' ? [{ kind, file, path, position: locate(path) }] : [];
  return [
    ...items(field(document, 'includes')).flatMap((file, index) => name('Release', file, `includes[${index}]`)),
    ...items(field(document, 'deploys')).flatMap((entry, index) =>
      name('Deploy', field(entry, 'file'), `deploys[${index}].file`),
    ),
  ];
}

function isEmpty(node: { toJSON(): unknown; range?: unknown } | null): boolean {
  return node === null || ('value' in node && node.value === null);
}

function nothing({ file, ...source }: SourceText): Problem {
  return {
    code: 'no-document',
    path: '',
    message: `no release found in ${file}, and no deploy either: it is empty or has only comments`,
    position: { file, line: 1, column: 1, source: source.text.split('\n', 1)[0] ?? '' },
  };
}

function emptyDocument(source: SourceText, offset: number): Problem {
  const message = 'this document is empty';
  const hint = 'remove the --- that begins it';
  return { code: 'empty-document', path: '', message, hint, position: source.position(offset) };
}

/** A plain value is shown where it begins; a mapping, a list, or what is missing, at the name around it. */
export function locator(source: SourceText, places: Places): Locate {
  return (path, named = false) => {
    const exact = places.get(path);
    if (exact?.plain === true && !named) return source.position(exact.value);
    if (exact !== undefined) return source.position(exact.key ?? exact.value);
    for (let end = path.length - 1; end > 0; end -= 1) {
      const around = path[end] === '.' || path[end] === '[' ? places.get(path.slice(0, end)) : undefined;
      if (around !== undefined) return source.position(around.key ?? around.value);
    }
    return source.position(places.get('')?.value ?? 0);
  };
}

function byPosition(one: Problem, other: Problem): number {
  const [a, b] = [one.position, other.position];
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}
