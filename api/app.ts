/** The HTTP API as one web-standard app: `Request` in, `Response` out, the same behind a gateway and on loopback. */
import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Actor } from '../core/access/actor.ts';
import { RengaError } from '../core/errors.ts';
import type { Ports } from '../orchestration/ports.ts';
import manifest from '../package.json' with { type: 'json' };
import type { Links } from '../views/links.ts';
import type { Route, RouteName } from './contract.ts';
import { type Answer, type Call, handlers, ROUTE_LIST } from './handlers.ts';
import { type Authenticate, PREFIXES, type Prefix, prefixOf } from './identity.ts';
import { describe } from './openapi.ts';
import { refusal, unexpected } from './refusal.ts';
import { checked, queryOf } from './request.ts';

export interface ApiOptions {
  readonly authenticate: Authenticate;
  /** The console's page of an execution. */
  readonly links?: Links;
  /** Where whoever is not known finds a token. */
  readonly tokenHint?: string;
}

/** Asks where anybody may. */
const NOBODY: Actor = { subject: 'anonymous', kind: 'user', groups: [] };

export function createApp(ports: Ports, options: ApiOptions): OpenAPIHono {
  const app = new OpenAPIHono();
  const { version } = manifest;
  let document: Record<string, unknown> | undefined;
  const openapi = () => {
    document ??= describe(app, version);
    return document;
  };
  const handle = handlers(ports, { links: options.links, version, openapi });

  for (const [name, route] of ROUTE_LIST) {
    const paths = PREFIXES.map((prefix) => `${prefix}${route.path.replace('{id}', ':id')}`);
    app.on(route.method.toUpperCase(), paths, async (context) => {
      const by = route.open ? NOBODY : await identify(context, options);
      const query = checked(route.query, queryOf(context.req.url), 'query');
      const id = route.params === undefined ? '' : String(checked(route.params, context.req.param(), 'path').id);
      const answer = await dispatch(handle, name, { request: context.req.raw, id, query, by });
      return answered(answer, prefixOf(context.req.raw));
    });
  }
  app.notFound(({ req }) => unrouted(req.method, new URL(req.url).pathname));
  app.onError((error, context) => {
    if (error instanceof RengaError) return refusal(error);
    const instance = `urn:uuid:${randomUUID()}`;
    ports.report(`${context.req.method} ${new URL(context.req.url).pathname} failed, ${instance}`, error);
    return refusal(unexpected(error, instance), instance);
  });
  return app;
}

/** The table binds each name to its own handler; that the call fits it, the route's schemas have just made sure of. */
function dispatch(
  handle: ReturnType<typeof handlers>,
  name: RouteName,
  call: Omit<Call<RouteName>, 'query'> & { query: unknown },
) {
  const handler = handle[name] as (call: unknown) => Promise<Answer<RouteName>>;
  return handler(call);
}

async function identify(context: Context, { authenticate, tokenHint }: ApiOptions): Promise<Actor> {
  const actor = await authenticate(context.req.raw, context.env);
  if (actor !== undefined) return actor;
  const given = context.req.header('authorization') !== undefined;
  const message = given ? 'the token is not known here' : 'the request has no token';
  throw new RengaError('unauthenticated', message, {
    hint:
      tokenHint ??
      'send `Authorization: Bearer <token>`; `renga start` prints the path of its token file, `renga login` gets one on AWS',
  });
}

function answered({ status, body, location }: Answer<RouteName>, prefix: Prefix): Response {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(location !== undefined && { location: `${prefix}${location}` }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

const PATTERNS = ROUTE_LIST.map(([, route]) => ({ route, pattern: patternOf(route) }));

function patternOf({ path }: Route): RegExp {
  const [before = '', after] = path.split('{id}').map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(`^(?:${PREFIXES.join('|')})${before}${after === undefined ? '' : `[^/]+${after}`}$`);
}

function unrouted(method: string, path: string): Response {
  const allowed = [
    ...new Set(PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route.method.toUpperCase())),
  ];
  if (allowed.length === 0) {
    return refusal(
      new RengaError('not-found', `there is no ${path} here`, { hint: 'GET /v1/openapi.json lists what there is' }),
    );
  }
  const response = refusal(
    new RengaError('method-not-allowed', `${path} takes ${allowed.join(' and ')}, not ${method}`),
  );
  response.headers.set('allow', allowed.join(', '));
  return response;
}
