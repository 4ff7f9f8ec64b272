import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { answerJson } from './aws-json.ts';
import type { AwsService } from './aws-service.ts';

interface WireRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface WireResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** What an AWS SDK client takes as its `requestHandler`. */
interface HttpHandler {
  handle(request: WireRequest): Promise<{ response: WireResponse }>;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
}

/** Where no request goes. */
const EMBEDDED = { url: new URL('http://embedded.invalid') };

/** Sends a client's requests to the services of this process. All three clients speak JSON, 1.0 or 1.1. */
function inProcess(services: readonly AwsService[]): HttpHandler {
  const byTarget = new Map(services.map((service) => [service.target, service]));
  return {
    async handle({ headers, body }) {
      const answer = await answerJson(byTarget, headers['x-amz-target'] ?? '', textOf(body));
      return {
        response: {
          statusCode: answer.status,
          headers: { 'content-type': headers['content-type'] ?? 'application/x-amz-json-1.0', ...answer.headers },
          body: Buffer.from(answer.body),
        },
      };
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}

/**
 * Steps of a request that say something to a network or to AWS: who calls, from where, how often, and a signature. Nobody reads it here, and
 * together they cost more than the service's answer.
 */
const FOR_THE_NETWORK = [
  'loggerMiddleware',
  'contentLengthMiddleware',
  'getUserAgentMiddleware',
  'hostHeaderMiddleware',
  'recursionDetectionMiddleware',
  'httpSigningMiddleware',
  'retryMiddleware',
];

function inProcessOnly<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  for (const name of FOR_THE_NETWORK) client.middlewareStack.remove(name);
  return client;
}

export interface AwsClients {
  readonly dynamodb: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  readonly stepFunctions: SFNClient;
  readonly events: EventBridgeClient;
}

/**
 * Ordinary SDK clients that never leave the process: no credentials are looked up, no request is signed, and none is
 * retried, because an answer from here is not lost and its errors are what the caller is to see.
 */
export function awsClients(services: readonly AwsService[], region: string): AwsClients {
  // The SDK's notice about future versions of Node.js concerns calls to AWS; none of these goes there.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const config = {
    region,
    endpoint: EMBEDDED.url.href,
    endpointProvider: () => EMBEDDED,
    credentials: { accessKeyId: 'embedded', secretAccessKey: 'embedded' },
    signer: { sign: async <T>(request: T): Promise<T> => request },
    maxAttempts: 1,
    retryMode: 'standard',
    requestHandler: inProcess(services),
  };
  // The steps of a request are put together once for each operation and not for every request.
  const kept = { ...config, cacheMiddleware: true };
  return {
    dynamodb: inProcessOnly(new DynamoDBClient({ ...kept, accountIdEndpointMode: 'disabled' })),
    // The document client refuses kept steps.
    documents: DynamoDBDocumentClient.from(new DynamoDBClient({ ...config, accountIdEndpointMode: 'disabled' }), {
      marshallOptions: { removeUndefinedValues: true },
    }),
    stepFunctions: inProcessOnly(new SFNClient(kept)),
    events: inProcessOnly(new EventBridgeClient(kept)),
  };
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body === undefined || body === null) return '';
  // A view, because the SDK's own body class answers conversions with a warning.
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  throw new TypeError('A request with a streamed body was sent to an embedded service; they take JSON only.');
}
