/** How a command ends when it can't do what was asked. */
import { type ErrorCode, errorClass, type Problem, RengaError } from '../core/errors.ts';

export const EXIT = {
  success: 0,
  unexpected: 1,
  invalid: 2,
  /** What was followed concluded without success. */
  unsuccessful: 3,
  stillRunning: 4,
  refused: 5,
} as const;

/** The error of a command: what `--json` prints as `error`, and people read on the standard error output. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  constructor(
    readonly exit: number,
    readonly code: string,
    message: string,
    readonly details: {
      readonly hint?: string | undefined;
      readonly problems?: readonly Problem[] | undefined;
      readonly differences?: readonly string[] | undefined;
    } = {},
  ) {
    super(message);
  }
}

/** The failure that an error of ours stands for; undefined for a surprise. */
export function failureOf(error: unknown): CommandFailure | undefined {
  if (error instanceof CommandFailure) return error;
  if (!(error instanceof RengaError)) return undefined;
  return new CommandFailure(exitOf(error.code), error.code, error.message, error.details);
}

function exitOf(code: ErrorCode): number {
  return errorClass(code).exit;
}

export function invalid(problems: readonly Problem[]): CommandFailure {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new CommandFailure(EXIT.invalid, 'invalid-document', `there is ${count} with what was given`, { problems });
}
