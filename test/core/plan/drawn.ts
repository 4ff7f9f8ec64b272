import fc from 'fast-check';
import { DeployDocument } from '../../../core/documents/deploy.ts';
import { ReleaseDocument as Release, type ReleaseDocument } from '../../../core/documents/release.ts';
import type { Node } from '../../../core/plan/graph.ts';

/** Reads `a <- b, a <- c, b+c <- d`: b after a, c after a, d after b and c. A name alone waits for nothing. */
export function nodes(drawing: string): Node[] {
  const after = new Map<string, string[]>();
  const waits = (name: string) => {
    const list = after.get(name) ?? [];
    after.set(name, list);
    return list;
  };
  for (const part of drawing.split(',').map((text) => text.trim())) {
    const [left = '', right] = part.split(' <- ');
    const before = left.split('+');
    if (right === undefined) waits(left);
    else {
      for (const name of before) waits(name);
      waits(right).push(...before);
    }
  }
  return [...after].map(([name, list]) => ({ name, after: list }));
}

interface Extra {
  readonly release?: Record<string, unknown>;
  /** Name to fields of its descriptor. */
  readonly descriptors?: Record<string, Record<string, unknown>>;
  readonly tags?: Record<string, string[]>;
}

export function releaseOf(graph: string | readonly Node[], { release = {}, descriptors = {}, tags = {} }: Extra = {}) {
  // Maps: a deploy may well be called `constructor`.
  const [described, tagged] = [new Map(Object.entries(descriptors)), new Map(Object.entries(tags))];
  const deploys = (typeof graph === 'string' ? nodes(graph) : graph).map(({ name, after }) => ({
    name,
    after: [...after],
    tags: tagged.get(name) ?? [],
    descriptor: DeployDocument.parse({
      apiVersion: 'renga/v1',
      application: name,
      environment: 'prod',
      artifact: { type: 'application', name, version: '1' },
      deploy: { plugin: 'command' },
      ...described.get(name),
    }),
  }));
  const parsed = Release.parse({
    apiVersion: 'renga/v1',
    kind: 'Release',
    id: 'shop',
    deploys: deploys.slice(0, 1),
    ...release,
  });
  // The schema's own limit on deploys comes before planning's; here planning is asked.
  return { ...parsed, deploys };
}

export function withDeploys(release: ReleaseDocument, change: (deploys: ReleaseDocument['deploys']) => unknown) {
  return { ...release, deploys: change(release.deploys) as ReleaseDocument['deploys'] };
}

/** Graphs without cycles, declared in an order that says nothing about who waits for whom. */
export const acyclic: fc.Arbitrary<Node[]> = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.record({
      arrows: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 30 }),
      declared: fc.shuffledSubarray([...Array(size).keys()], { minLength: size, maxLength: size }),
    }),
  )
  .map(({ arrows, declared }) =>
    declared.map((at) => ({
      name: `n${at}`,
      after: [
        ...new Set(arrows.filter(([a, b]) => Math.max(a, b) === at && a !== b).map(([a, b]) => `n${Math.min(a, b)}`)),
      ],
    })),
  );

/** Any small graph, with or without cycles, without arrows from a node to itself. */
export const anyGraph: fc.Arbitrary<Node[]> = fc
  .integer({ min: 1, max: 7 })
  .chain((size) =>
    fc.record({
      size: fc.constant(size),
      arrows: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 14 }),
    }),
  )
  .map(({ size, arrows }) =>
    [...Array(size).keys()].map((at) => ({
      name: `n${at}`,
      after: [...new Set(arrows.filter(([a, b]) => a === at && b !== at).map(([, b]) => `n${b}`))],
    })),
  );
