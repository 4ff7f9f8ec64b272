import { randomUUID } from 'node:crypto';
import { AwsError, type AwsService } from './aws-service.ts';

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Answers one request of the AWS JSON protocols (1.0 and 1.1). `target` is the value of `X-Amz-Target`. A fault of the
 * service itself is answered as AWS would, with 500 and no detail beyond its message.
 */
export async function answerJson(
  services: ReadonlyMap<string, AwsService>,
  target: string,
  body: string,
): Promise<JsonAnswer> {
  const dot = target.lastIndexOf('.');
  const service = services.get(target.slice(0, dot));
  const headers = { 'x-amzn-requestid': randomUUID() };
  if (service === undefined) {
    return failure(headers, new AwsError('UnknownOperationException', `No embedded service answers ${target}.`));
  }
  let input: unknown;
  try {
    input = body === '' ? {} : JSON.parse(body);
  } catch {
    return failure(headers, new AwsError('SerializationException', 'The request body is not valid JSON.'));
  }
  try {
    const output = await service.call(target.slice(dot + 1), input);
    return { status: 200, headers, body: output === undefined ? '{}' : JSON.stringify(output) };
  } catch (error) {
    if (error instanceof AwsError) return failure(headers, error);
    const message = error instanceof Error ? error.message : String(error);
    return failure(headers, new AwsError('InternalServerError', message, 500));
  }
}

function failure(headers: Readonly<Record<string, string>>, error: AwsError): JsonAnswer {
  return {
    status: error.status,
    headers: { ...headers, 'x-amzn-errortype': error.code },
    body: JSON.stringify({ __type: error.code, message: error.message, ...error.members }),
  };
}
