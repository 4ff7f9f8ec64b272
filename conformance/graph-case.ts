import * as z from 'zod';
import { DeployDocument } from '../core/documents/deploy.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';

const Names = z.array(z.string());
const Layers = z.array(Names);
const Edges = z.array(z.tuple([z.string(), z.string()]));

const Failure = z.object({
  done: Names.default([]),
  fail: Names,
  failFast: z.boolean(),
  finalStatus: z.record(z.string(), z.string()),
});

/** A case of graphs.json: a graph, what another system made of it, and what else its test asked of the graph. */
export const GraphCase = z.strictObject({
  id: z.string(),
  source: z.string(),
  nodes: Names,
  edges: Edges,
  expected: z.object({
    ok: z.boolean(),
    error: z.string().optional(),
    message: z.string().optional(),
    layers: Layers.optional(),
    order: Names.optional(),
    destroyOrder: Names.optional(),
    destroyLayers: Layers.optional(),
    cycle: Names.optional(),
    cycles: Layers.optional(),
    note: z.string().optional(),
  }),
  derivedLayers: Layers.optional(),
  externalNodes: Names.default([]),
  disabledNodes: Names.default([]),
  outputRefs: z.array(z.tuple([z.string(), z.string(), z.string()])).default([]),
  dependsExpr: z.record(z.string(), z.string()).optional(),
  target: z.string().optional(),
  schedule: z.array(z.object({ done: Names, ready: Names })).default([]),
  invalidDone: Layers.default([]),
  failure: z.array(Failure).default([]),
  destroyFailure: z.array(z.unknown()).default([]),
  select: Names.optional(),
  selectDownstream: z.array(z.object({ from: Names, nodes: Names })).default([]),
  withIncludeNeeds: z.object({ layers: Layers }).optional(),
  withSkipNeeds: z.object({ layers: Layers }).optional(),
  plan: z.object({ delete: Names, unchanged: Names, deleteLayers: Layers, updateLayers: Layers }).optional(),
  generator: z.string().optional(),
  edgesOmitted: z.boolean().optional(),
  generated: z.record(z.string(), z.union([z.number(), z.boolean()])).optional(),
});
export type GraphCase = z.infer<typeof GraphCase>;

/** A case of real-graphs.json: a public pipeline with its layers. */
export const RealGraph = z.object({
  id: z.string(),
  nodes: Names,
  edges: Edges,
  externalNodes: Names.default([]),
  layers: Layers,
});

/** Another system's node ids as names of renga's, one to one, and back. */
export class Naming {
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  constructor(ids: Iterable<string>) {
    for (const id of ids) this.#add(id);
  }

  #add(id: string): void {
    const plain = id
      .toLowerCase()
      .replace(/[^a-z0-9._-]/g, '-')
      .replace(/^[^a-z0-9]/, 'x')
      .slice(0, 56);
    let name = plain;
    for (let count = 2; this.#ids.has(name); count++) name = `${plain}.${count}`;
    this.#names.set(id, name);
    this.#ids.set(name, id);
  }

  name(id: string): string {
    const name = this.#names.get(id);
    if (name === undefined) throw new Error(`${id} is no node of the case`);
    return name;
  }

  id(name: string): string {
    return this.#ids.get(name) ?? name;
  }

  ids(names: readonly string[]): string[] {
    return names.map((name) => this.id(name));
  }
}

interface Drawn {
  readonly nodes: readonly string[];
  readonly edges: readonly (readonly [string, string])[];
  readonly externalNodes?: readonly string[];
  readonly outputRefs?: readonly (readonly [string, string, string])[];
}

/**
 * The release that a graph stands for: one deploy a node, tagged with its own name. An edge from a node outside the
 * graph is the id of an external deploy in the descriptor, another one a name in `after`. A reference to an output is an import.
 */
export function releaseOf(graph: Drawn, naming: Naming): ReleaseDocument {
  const outside = new Set(graph.externalNodes);
  const before = new Map<string, string[]>();
  for (const [from, to] of graph.edges) before.set(to, [...(before.get(to) ?? []), from]);
  const deploys = graph.nodes.map((node) => {
    const name = naming.name(node);
    const waits = before.get(node) ?? [];
    const refs = (graph.outputRefs ?? []).filter(([, reader]) => reader === node).map(([producer]) => producer);
    return {
      name,
      tags: [name],
      after: waits.filter((id) => !outside.has(id)).map((id) => naming.name(id)),
      descriptor: DeployDocument.parse({
        apiVersion: 'renga/v1',
        application: name,
        environment: 'conformance',
        artifact: { type: 'application', name, version: '1' },
        after: waits.filter((id) => outside.has(id)),
        imports: Object.fromEntries([...new Set(refs)].map((id) => [naming.name(id), { deployment: naming.name(id) }])),
        deploy: { plugin: 'none' },
      }),
    };
  });
  // The document's schema has a limit of its own; what is asked here is what planning says of graphs above it.
  return {
    apiVersion: 'renga/v1',
    kind: 'Release',
    id: 'graph',
    mode: 'dag',
    start: 'layers',
    onFailure: 'stop',
    deploys,
  };
}
