import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ROUTES } from '../../api/contract.ts';
import { openService } from './service.ts';

const Document = z.object({
  openapi: z.string(),
  servers: z.array(z.object({ url: z.string() })),
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
    // Each is there for signed requests too, which the servers of the document say.
    const twice = written.flatMap((route) => [route, route.replace(' /v1/', ' /iam/v1/')]);
    expect(twice.sort()).toEqual([...new Set(routed)].sort());
    expect(document.servers.map(({ url }) => url)).toEqual(['/', '/iam']);
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
