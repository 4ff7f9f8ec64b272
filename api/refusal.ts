/** Refusals and failures as `application/problem+json`, from the one table of errors. */
import { type ErrorCode, errorClass, type Problem, RengaError } from '../core/errors.ts';
import { PROBLEM_JSON, type ProblemDetails } from './contract.ts';

/** The same for every problem of a code; what is wrong this time stands in `detail`. */
const TITLES: Partial<Record<ErrorCode, string>> = {
  'invalid-document': 'The document is not valid',
  'invalid-request': 'The request is not valid',
  'too-large': 'The request is too large',
  'unsupported-media-type': 'The media type is not supported',
  'method-not-allowed': 'The method is not allowed here',
  unauthenticated: 'It is not known who asks',
  forbidden: 'It is not allowed',
  'not-found': 'There is no such thing',
  'unknown-token': 'Nobody waits for an answer with this token',
  'id-taken': 'The id is taken',
  conflict: 'Its state does not allow this',
  unavailable: 'Not available at the moment',
  internal: 'Something unexpected went wrong',
};

export function refusal(error: RengaError, instance?: string): Response {
  const { code, message, details } = error;
  const { status: listed } = errorClass(code);
  // Codes of deploys that ended without success are no refusals of a request; one that gets here is a state's.
  const status = listed < 400 ? 409 : listed;
  const { problems, differences, hint } = details;
  const body: ProblemDetails = {
    type: `urn:renga:error:${code}`,
    title: TITLES[code] ?? code,
    status,
    code,
    detail: message,
    ...(hint !== undefined && { hint }),
    ...(problems !== undefined && { problems: problems.map(written) }),
    ...(differences !== undefined && { differences: [...differences] }),
    ...(instance !== undefined && { instance }),
  };
  const headers = {
    'content-type': PROBLEM_JSON,
    'cache-control': 'no-store',
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="renga"' }),
    ...(status === 503 && { 'retry-after': '2' }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

function written({ code, path, message, hint, position }: Problem) {
  return {
    code,
    path,
    message,
    ...(hint !== undefined && { hint }),
    ...(position !== undefined && { position: { ...position } }),
  };
}

/** AWS's own words for "not now": the caller may try again, nothing is broken. */
const BUSY = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'ServiceUnavailable',
]);

/** What a surprise is to the caller: an id under which the operator finds it, and nothing of its inside. */
export function unexpected(error: unknown, id: string): RengaError {
  if (error instanceof Error && BUSY.has(error.name)) {
    return new RengaError('unavailable', 'AWS asks to slow down', { hint: 'try again in a moment' });
  }
  return new RengaError('internal', 'an unexpected error happened; nobody is told its inside', {
    hint: `the log of renga has it under ${id}`,
  });
}
