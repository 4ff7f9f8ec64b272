/** The OpenAPI 3.1 document, written from the contract's table. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { PROBLEM_JSON, ProblemDetails, type Route } from './contract.ts';
import { ROUTE_LIST } from './handlers.ts';

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request can’t be understood: its query, or a body that is no JSON.',
  401: 'It is not known who asks.',
  404: 'There is no such thing.',
  409: 'Its state does not allow this, or the id is taken by something else.',
  413: 'The body has more than 1 MiB.',
  415: 'The body is not application/json in UTF-8.',
  422: 'The document is not valid; every problem at once.',
  500: 'Something unexpected went wrong; `instance` names it.',
  503: 'Not at the moment; try again.',
};

/** Statuses of refusals that a route may answer with. */
export function refusalsOf(route: Route): number[] {
  const always = route.open ? [400, 500] : [400, 401, 500, 503];
  return [...new Set([...route.refusals, ...always])].sort((one, other) => one - other);
}

export function describe(app: OpenAPIHono, version: string): Record<string, unknown> {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description:
      'Locally the token from the token file that `renga start` writes, or one of `tokens.yml`; on AWS a JWT of the configured issuer. Under /iam on AWS no token is sent: the request is signed (Signature Version 4, service execute-api).',
  });
  for (const [name, route] of ROUTE_LIST) register(app, name, route);
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'renga',
      version,
      description:
        'Releases many services in the right order, and takes them back in reverse. Instants are ISO 8601 in UTC; what does not apply is absent, never null; parameters and fields that are not named here are refused.',
    },
    servers: [
      { url: '/', description: 'For requests with a token.' },
      { url: '/iam', description: 'The same, on AWS for requests that are signed with credentials of IAM.' },
    ],
    security: [{ token: [] }],
  });
  return { ...document };
}

function register(app: OpenAPIHono, name: string, route: Route): void {
  const answers = Object.entries(route.answers).map(([status, { description, schema, location }]) => [
    status,
    {
      description,
      content: { 'application/json': { schema } },
      ...(location && {
        headers: { Location: { description: 'Path of what was submitted.', schema: { type: 'string' as const } } },
      }),
    },
  ]);
  const refusals = refusalsOf(route).map((status) => [
    String(status),
    { description: REFUSALS[status] ?? '', content: { [PROBLEM_JSON]: { schema: ProblemDetails } } },
  ]);
  app.openAPIRegistry.registerPath({
    method: route.method,
    path: route.path,
    operationId: name,
    summary: route.summary,
    request: {
      ...(route.params !== undefined && { params: route.params }),
      query: route.query,
      ...(route.body !== undefined && {
        body: {
          required: route.body.kind === 'document',
          content: { 'application/json': { schema: route.body.schema } },
        },
      }),
    },
    responses: Object.fromEntries([...answers, ...refusals]),
    ...(route.open && { security: [] }),
  });
}
