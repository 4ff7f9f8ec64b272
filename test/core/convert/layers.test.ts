/** The plan of what is imported has the layers of the source, worked out here without renga's own graph. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { releaseText } from '../../../core/convert/release-text.ts';
import { parseDocuments } from '../../../core/documents/parse.ts';
import type { ReleaseDocument } from '../../../core/documents/release.ts';
import { planRelease } from '../../../core/plan/plan.ts';
import { acyclic, anyGraph } from '../plan/drawn.ts';
import { converted, releaseOf, type Tool } from './texts.ts';

const seed = Number(process.env.RENGA_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`test/core/convert/layers: RENGA_SEED=${seed}`);
const RUNS = { seed, numRuns: 150 };

interface Drawn {
  readonly name: string;
  readonly after: readonly string[];
}

/** Awkward names, several of which would be one if they were only made lower case and dashed. */
const AWKWARD = [
  'Api',
  'api',
  'API',
  'a b',
  'a-b',
  'a_b',
  '日本',
  '東京',
  'rollback.api',
  'x'.repeat(70),
  'no',
  '1.10',
  '-',
];
const drawn: fc.Arbitrary<Drawn[]> = fc
  .tuple(acyclic, fc.shuffledSubarray(AWKWARD, { minLength: AWKWARD.length, maxLength: AWKWARD.length }))
  .map(([nodes, names]) => {
    const called = new Map(nodes.map(({ name }, at) => [name, names[at] ?? name]));
    return nodes.map(({ name, after }) => ({
      name: called.get(name) ?? name,
      after: after.map((other) => called.get(other) ?? other),
    }));
  });

/** Names by how deep they lie: one more than the deepest that they wait for. In the order of declaration. */
function expected(nodes: readonly Drawn[]): string[][] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const depth = (name: string): number => 1 + Math.max(-1, ...(byName.get(name)?.after ?? []).map(depth));
  const layers: string[][] = [];
  for (const { name } of nodes) {
    const at = depth(name);
    layers[at] = [...(layers[at] ?? []), name];
  }
  return layers;
}

/** Layers of the plan of a release, each deploy by what the source calls it. */
function planned(release: ReleaseDocument, fact: string): unknown[][] {
  const facts = new Map(release.deploys.map(({ name, descriptor }) => [name, descriptor.deploy.params[fact]]));
  return planRelease(release).layers.map((layer) => layer.map(({ name }) => facts.get(name)));
}

function text(tool: Tool, nodes: readonly Drawn[]): string {
  if (tool === 'tazuna') {
    const manifests = nodes.map(({ name, after }) => ({ name, type: 'kustomize', path: '.', dependsOn: after }));
    return stringify({ spec: { manifests } });
  }
  if (tool === 'helmfile') {
    return stringify({ releases: nodes.map(({ name, after }) => ({ name, chart: './c', needs: after })) });
  }
  const services = nodes.map(({ name, after }, at) => {
    const long = Object.fromEntries(after.map((other) => [other, { condition: 'service_started' }]));
    return [name, { image: 'a:1', depends_on: at % 2 === 0 ? after : long }];
  });
  return stringify({ services: Object.fromEntries(services) });
}

const FACTS = { tazuna: 'MANIFEST', helmfile: 'RELEASE', compose: 'SERVICE' } as const;

describe.each(['tazuna', 'helmfile', 'compose'] as const)('%s', (tool) => {
  it('layers are those of the source, in its order, also through the printed file', () => {
    fc.assert(
      fc.property(drawn, (nodes) => {
        const sequential = tool === 'tazuna' && nodes.every(({ after }) => after.length === 0);
        const wanted = sequential ? nodes.map(({ name }) => [name]) : expected(nodes);
        const result = converted(tool, text(tool, nodes));
        const release = releaseOf(result);
        expect(planned(release, FACTS[tool])).toEqual(wanted);
        expect(new Set(release.deploys.map(({ name }) => name)).size).toBe(nodes.length);

        if (result.release === undefined) throw new Error('releaseOf has thrown');
        const printed = releaseText(result.release, result, { file: 'f', tool });
        const read = parseDocuments(printed, 'release.yml', 'body');
        expect(read.problems).toEqual([]);
        expect(read.documents[0]?.value).toEqual(release);
      }),
      RUNS,
    );
  });

  it('a circle is refused, and nothing else is', () => {
    fc.assert(
      fc.property(anyGraph, (nodes) => {
        const { problems, release } = converted(tool, text(tool, nodes));
        const depthless = hasCircle(nodes);
        expect(problems.map(({ code }) => code)).toEqual(depthless ? ['cycle'] : []);
        expect(release === undefined).toBe(depthless);
        if (depthless) expect(problems[0]?.position?.line).toBeGreaterThan(1);
      }),
      RUNS,
    );
  });
});

function hasCircle(nodes: readonly Drawn[]): boolean {
  let left = [...nodes];
  for (;;) {
    const names = new Set(left.map(({ name }) => name));
    const rest = left.filter(({ after }) => after.some((name) => names.has(name)));
    if (rest.length === left.length) return left.length > 0;
    left = rest;
  }
}

describe('helmfile', () => {
  const states = fc.array(fc.tuple(acyclic, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 })), {
    minLength: 1,
    maxLength: 3,
  });

  it('what is not installed hands its needs on, and one state ends before the next begins', () => {
    fc.assert(
      fc.property(states, (parts) => {
        const documents = parts.map(([nodes, off], state) =>
          nodes.map(({ name, after }, at) => ({
            name: `${name}-${state}`,
            after: after.map((other) => `${other}-${state}`),
            installed: off[at] !== true,
          })),
        );
        const source = documents
          .map((nodes) =>
            stringify({
              filepath: 'helmfile.yaml',
              releases: nodes.map(({ name, after, installed }) => ({
                name,
                chart: 'c',
                namespace: 'n',
                needs: after.map((other) => `n/${other}`),
                installed,
              })),
            }),
          )
          .join('---\n');
        const wanted = documents.flatMap((nodes) => {
          const byName = new Map(nodes.map((node) => [node.name, node]));
          const through = (names: readonly string[]): string[] =>
            names.flatMap((name) => (byName.get(name)?.installed ? [name] : through(byName.get(name)?.after ?? [])));
          const kept = nodes.filter(({ installed }) => installed);
          return expected(kept.map(({ name, after }) => ({ name, after: through(after) })));
        });
        const result = converted('helmfile', source);
        if (wanted.length === 0) expect(result.problems.map(({ code }) => code)).toEqual(['too-few']);
        else expect(planned(releaseOf(result), 'RELEASE')).toEqual(wanted);
      }),
      RUNS,
    );
  });
});
