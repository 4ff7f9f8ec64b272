/**
 * What every embedded AWS service answers: operations of the AWS JSON protocol, by name, in process. The same object
 * stands behind the SDK clients (no socket between them) and behind the loopback port (for the `aws` command).
 */
export interface AwsService {
  /** The part of `X-Amz-Target` before the dot: `AWSStepFunctions`, `DynamoDB_20120810`, `AWSEvents`. */
  readonly target: string;
  /** Answers one operation (`StartExecution`) with its output as plain JSON; throws {@link AwsError} for AWS's own errors. */
  call(operation: string, input: unknown): Promise<unknown>;
}

/** An error as an AWS service would answer it. `code` is AWS's exception name, `ExecutionDoesNotExist`. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  constructor(
    readonly code: string,
    message: string,
    readonly status: number = 400,
    /** Further members of the answer, such as `Item` of a failed condition. */
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}
