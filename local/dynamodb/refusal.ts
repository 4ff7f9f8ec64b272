import { AwsError } from '../aws-service.ts';

/** An error in the form in which dynalite's actions carry AWS's errors. */
export interface Refusal {
  readonly statusCode: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export function refusal(code: string, message: string): Refusal {
  return { statusCode: 400, body: { __type: `com.amazonaws.dynamodb.v20120810#${code}`, message } };
}

/** The AWS error behind what an action answered or threw; anything else is passed on as it is. */
export function asAwsError(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('statusCode' in error) || !('body' in error)) return error;
  const { statusCode, body } = error as Refusal;
  const { __type: type, message, Message, ...members } = body;
  const code = String(type).replace(/^.*#/, '');
  return new AwsError(code, String(message ?? Message ?? ''), statusCode, members);
}
