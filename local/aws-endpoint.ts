import { crc32 } from 'node:zlib';
import { readUpTo } from '../api/body.ts';
import { answerJson } from './aws-json.ts';
import type { AwsService } from './aws-service.ts';

/** DynamoDB takes the largest requests of the three, 16 MiB. */
const REQUEST_BYTES = 16 * 1024 * 1024;

/**
 * Answers AWS's JSON protocols on a port, so that the ordinary `aws --endpoint-url` can look inside. Signatures are not
 * checked: whoever reaches the port may ask. A request without `X-Amz-Target` is none of ours: undefined.
 */
export function awsEndpoint(services: readonly AwsService[]): (request: Request) => Promise<Response | undefined> {
  const byTarget = new Map(services.map((service) => [service.target, service]));
  return async (request) => {
    const target = request.headers.get('x-amz-target');
    if (target === null) return undefined;
    const body = await readUpTo(request, REQUEST_BYTES);
    if (body === undefined) {
      const message = `the request has more than ${REQUEST_BYTES} bytes`;
      return Response.json({ __type: 'RequestEntityTooLargeException', message }, { status: 413 });
    }
    const answer = await answerJson(byTarget, target, Buffer.from(body).toString('utf8'));
    return new Response(answer.body, {
      status: answer.status,
      headers: {
        ...answer.headers,
        'content-type': request.headers.get('content-type') ?? 'application/x-amz-json-1.0',
        'x-amz-crc32': String(crc32(answer.body)),
      },
    });
  };
}
