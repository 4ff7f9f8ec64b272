/** What a request brings, parsed once: its body within the limit, its document with positions, its query by name. */

import type { z } from 'zod';
import type { DeployDocument } from '../core/documents/deploy.ts';
import { problemsOf } from '../core/documents/issues.ts';
import { LIMITS } from '../core/documents/limits.ts';
import { type ParsedBody, parseJsonBody } from '../core/documents/parse.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import { withRemedy } from '../core/documents/remedies.ts';
import { shown } from '../core/documents/shown.ts';
import { decode } from '../core/documents/source-text.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import { readUpTo } from './body.ts';
import { ActionBody } from './contract.ts';

/** Problems of text that can't be read at all: the request is wrong, not the document in it. */
const UNREADABLE = new Set(['not-json', 'not-text']);

/** The document of a request's body. Throws `unsupported-media-type`, `too-large`, `invalid-request`, `invalid-document`. */
export async function readDocument(request: Request): Promise<ParsedBody> {
  const text = await readBody(request);
  const parsed = parseJsonBody(text);
  if (parsed.problems === undefined) return parsed.document;
  const { problems } = parsed;
  const unreadable = problems.some(({ code }) => UNREADABLE.has(code));
  const what = unreadable ? 'the body can’t be read' : `the document has ${counted(problems)}`;
  throw new RengaError(unreadable ? 'invalid-request' : 'invalid-document', `${what}; nothing was stored or started`, {
    problems,
  });
}

function counted(problems: readonly Problem[]): string {
  return problems.length === 1 ? 'one problem' : `${problems.length} problems`;
}

type OfKind<Kind> = Extract<ParsedBody, { kind: Kind }>;

/** Documents that hold once they are applied. */
export function expectKind<Kind extends ParsedBody['kind']>(
  document: ParsedBody,
  kinds: readonly Kind[],
): OfKind<Kind> {
  if ((kinds as readonly string[]).includes(document.kind)) return document as OfKind<Kind>;
  throw wrongKind(document, kinds.join(' or '), WHERE_TO[document.kind]);
}

/** Where a document of each kind goes. */
const WHERE_TO: Readonly<Record<ParsedBody['kind'], string>> = {
  Deploy: 'a deploy goes to /v1/deploys',
  Release: 'a release goes to /v1/releases',
  Environment: 'an environment goes to /v1/environments',
  EnvironmentConfig: 'a configuration of an environment goes to /v1/environments',
  Pipeline: 'a pipeline goes to /v1/environments',
  Access: 'a document of access goes to /v1/access',
};

export function expectRelease(document: ParsedBody): OfKind<'Release'> & { readonly value: ReleaseDocument } {
  if (document.kind === 'Release') return document;
  throw wrongKind(document, 'Release', WHERE_TO[document.kind]);
}

export function expectDeploy(document: ParsedBody): OfKind<'Deploy'> & { readonly value: DeployDocument } {
  if (document.kind === 'Deploy') return document;
  throw wrongKind(document, 'Deploy', WHERE_TO[document.kind]);
}

function wrongKind(document: ParsedBody, wanted: string, hint: string): RengaError {
  const message = `a ${wanted} is expected here, and this is a ${document.kind}`;
  const problem: Problem = { code: 'wrong-kind', path: 'kind', message, hint, position: document.locate('kind') };
  return new RengaError('invalid-document', message, { problems: [problem] });
}

/** What is said with an action; an absent body says nothing. */
export function readAction(request: Request): Promise<ActionBody> {
  return readBodyOf(request, ActionBody);
}

/** A body of a schema; an absent one says nothing, which the schema may refuse. */
export async function readBodyOf<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const typed = request.headers.get('content-type') !== null;
  const bytes = await readBytes(request);
  if (bytes.length === 0) return checked(schema, {}, 'body');
  if (!typed || !isJson(request)) throw notJson(request);
  const text = textOf(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const problem = { code: 'not-json', path: '', message: `this is no JSON: ${error.message.split('\n')[0]}` };
    throw new RengaError('invalid-request', 'the body can’t be read; nothing was done', { problems: [problem] });
  }
  return checked(schema, value, 'body');
}

/** Throws `invalid-request` naming every field that is unknown or wrong. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const problems = problemsOf(read.error, schema, value).map((problem): Problem => {
    const { code, path } = problem;
    if (code === 'unknown-field') {
      return withRemedy({ ...problem, message: `there is no ${shown(path)} in the ${where}` });
    }
    return { ...withRemedy(problem), code: 'invalid-value' };
  });
  throw new RengaError('invalid-request', `the ${where} is not valid: ${problems[0]?.message}`, { problems });
}

/** A query's parameters by name, each at most once. */
export function queryOf(url: string): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of new URL(url).searchParams) {
    if (Object.hasOwn(query, name)) {
      const problem = { code: 'duplicate-parameter', path: name, message: `"${name}" is in the query twice` };
      throw new RengaError('invalid-request', problem.message, { problems: [problem] });
    }
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
}

async function readBody(request: Request): Promise<string> {
  if (!isJson(request)) throw notJson(request);
  return textOf(await readBytes(request));
}

function isJson(request: Request): boolean {
  const [type = '', ...parameters] = (request.headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return type.trim() === 'application/json' && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

function notJson(request: Request): RengaError {
  const type = request.headers.get('content-type');
  const message = type === null ? 'the body has no content-type' : `the body's content-type is ${type}`;
  return new RengaError('unsupported-media-type', message, {
    hint: 'send JSON in UTF-8 with content-type: application/json; the command line turns YAML into it',
  });
}

function textOf(bytes: Uint8Array): string {
  const decoded = decode(bytes, 'the body');
  if ('text' in decoded) return decoded.text;
  throw new RengaError('invalid-request', decoded.problem.message, { problems: [decoded.problem] });
}

/** Reads no more than the limit, whatever the sender announced. */
async function readBytes(request: Request): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null && encoding !== 'identity') {
    throw new RengaError('unsupported-media-type', `the body's content-encoding is ${encoding}`, {
      hint: 'send it as it is, not compressed',
    });
  }
  const bytes = await readUpTo(request, LIMITS.requestBytes);
  if (bytes === undefined) throw tooLarge(request.headers.get('content-length'));
  return bytes;
}

function tooLarge(announced: string | null): RengaError {
  const size = Number(announced ?? 0) > LIMITS.requestBytes ? announced : `more than ${LIMITS.requestBytes}`;
  return new RengaError('too-large', `the body has ${size} bytes; at most ${LIMITS.requestBytes} are read`, {
    hint: 'split it into several releases; large values belong into the artifact',
  });
}
