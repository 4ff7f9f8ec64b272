/**
 * The one table of errors. Every failure that renga reports has a stable code from here; the code decides the HTTP
 * status, the CLI's exit code and whether trying again can help. Messages name the wrong value, where it stands and
 * what to do.
 */
const TABLE = {
  // The document is wrong.
  'invalid-document': { status: 422, exit: 2, retried: false },
  'invalid-request': { status: 400, exit: 2, retried: false },
  'too-large': { status: 413, exit: 2, retried: false },
  'unsupported-media-type': { status: 415, exit: 2, retried: false },
  'method-not-allowed': { status: 405, exit: 2, retried: false },
  // Refused.
  unauthenticated: { status: 401, exit: 5, retried: false },
  forbidden: { status: 403, exit: 5, retried: false },
  'not-found': { status: 404, exit: 2, retried: false },
  'unknown-token': { status: 404, exit: 2, retried: false },
  'id-taken': { status: 409, exit: 5, retried: false },
  conflict: { status: 409, exit: 5, retried: false },
  // A deploy or a release concluded without success.
  'plugin-failed': { status: 200, exit: 3, retried: false },
  'exports-invalid': { status: 200, exit: 3, retried: false },
  'import-missing': { status: 200, exit: 3, retried: false },
  timeout: { status: 200, exit: 3, retried: false },
  'execution-lost': { status: 200, exit: 3, retried: false },
  'start-failed': { status: 200, exit: 3, retried: false },
  'recording-refused': { status: 200, exit: 3, retried: false },
  'dependency-failed': { status: 200, exit: 3, retried: false },
  'after-timeout': { status: 200, exit: 3, retried: false },
  irreversible: { status: 200, exit: 3, retried: false },
  'no-previous-version': { status: 200, exit: 3, retried: false },
  superseded: { status: 200, exit: 3, retried: false },
  'approval-expired': { status: 200, exit: 3, retried: false },
  rejected: { status: 200, exit: 3, retried: false },
  'step-failed': { status: 200, exit: 3, retried: false },
  'verify-failed': { status: 200, exit: 3, retried: false },
  cancelled: { status: 200, exit: 3, retried: false },
  // Ours or the platform's.
  unavailable: { status: 503, exit: 1, retried: true },
  internal: { status: 500, exit: 1, retried: false },
} as const satisfies Record<string, { status: number; exit: number; retried: boolean }>;

export type ErrorCode = keyof typeof TABLE;

export function errorClass(code: ErrorCode) {
  return TABLE[code];
}

/** One thing that is wrong with what somebody sent: where it stands, what it is and how to mend it. */
export interface Problem {
  /** Stable, kebab-case: `unknown-field`, `cycle`, `unknown-dependency` … */
  readonly code: string;
  /** JSON path in the document, `deploys[2].after[0]`; empty for the document itself. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Where it stands in the file, when it came from one. Lines and columns count from 1. */
  readonly position?:
    | { readonly file: string; readonly line: number; readonly column: number; readonly source: string }
    | undefined;
}

/** A refusal that travels to whoever asked: the caller's mistake or the state's, never a surprise of ours. */
export class RengaError extends Error {
  override readonly name = 'RengaError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: {
      readonly problems?: readonly Problem[];
      readonly hint?: string;
      readonly differences?: readonly string[];
    } = {},
  ) {
    super(message);
  }
}
