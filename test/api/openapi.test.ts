import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ROUTES } from '../../api/contract.ts';
import { gatewayAuthenticator, tokenFileAuthenticator } from '../../api/identity.ts';
import { openService } from './service.ts';

const Document = z.object({
  openapi: z.string(),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ operationId: z.string(), responses: z.record(z.string(), z.unknown()) })),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

async function served() {
  const service = await openService();
  const { body } = await service.get('/v1/openapi.json');
  await service.close();
  return { app: service.app, document: Document.parse(body), text: JSON.stringify(body) };
}

describe('the OpenAPI document', () => {
  it('is of version 3.1 and has every route of the app, and no other', async () => {
    const { app, document } = await served();
    expect(document.openapi).toBe('3.1.0');
    const written = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    const routed = app.routes.map(({ method, path }) => `${method.toLowerCase()} ${path.replace(':id', '{id}')}`);
    expect(written.sort()).toEqual([...new Set(routed)].sort());
    expect(written).toHaveLength(Object.keys(ROUTES).length);
  });

  it('names every operation after its route, with each of its answers', async () => {
    const { document } = await served();
    for (const [name, route] of Object.entries(ROUTES)) {
      const operation = document.paths[route.path]?.[route.method];
      expect(operation?.operationId).toBe(name);
      expect(Object.keys(operation?.responses ?? {})).toEqual(
        expect.arrayContaining([...Object.keys(route.answers), ...route.refusals.map(String)]),
      );
    }
  });

  it('points nowhere that is not in it', async () => {
    const { document, text } = await served();
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '');
    expect(references.length).toBeGreaterThan(20);
    expect(references.filter((name) => !Object.hasOwn(document.components.schemas, name))).toEqual([]);
  });
});

describe('who asks', () => {
  const request = (authorization?: string) =>
    new Request('http://renga/v1/releases', authorization === undefined ? {} : { headers: { authorization } });
  const tokens = tokenFileAuthenticator(
    new Map([
      ['one', { subject: 'anna' }],
      ['two', { subject: 'ben' }],
    ]),
  );

  it.each([
    ['Bearer one', 'anna'],
    ['bearer  two ', 'ben'],
    ['Bearer onetwo', undefined],
    ['Bearer ', undefined],
    ['Bearer one two', undefined],
    ['one', undefined],
    [undefined, undefined],
  ])('by token: %s', async (authorization, subject) => {
    expect((await tokens(request(authorization), undefined))?.subject).toBe(subject);
  });

  it.each([
    [{ event: { requestContext: { authorizer: { jwt: { claims: { sub: 'ci@shop', scope: 'x' } } } } } }, 'ci@shop'],
    [{ event: { requestContext: { authorizer: { jwt: { claims: {} } } } } }, undefined],
    [{ event: { requestContext: {} } }, undefined],
    [undefined, undefined],
  ])('by the gateway: %j', async (platform, subject) => {
    expect((await gatewayAuthenticator(request('Bearer anything'), platform))?.subject).toBe(subject);
  });
});
