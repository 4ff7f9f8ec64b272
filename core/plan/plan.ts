import type { ReleaseDocument, Start } from '../documents/release.ts';
import { layersOf, type Node } from './graph.ts';
import { externalAfter, innerAfter, type Order, orderOf, wiring } from './wiring.ts';

export interface PlannedDeploy {
  readonly name: string;
  readonly id: string;
  /** Names of this release's deploys that must succeed first, also those that its descriptor names by id. */
  readonly after: readonly string[];
  /** Ids outside this release that must succeed first. */
  readonly external: readonly string[];
}

/** What a release will do, decided once: the same release always gives the same plan, byte for byte. */
export interface Plan {
  readonly release: string;
  readonly order: Order;
  readonly start: Start;
  /** In the order of declaration. */
  readonly deploys: readonly PlannedDeploy[];
  /**
   * Which deploys run together. In sequential order one deploy a layer: that is an order and no dependency, so what
   * a deploy needs to succeed first is in `inner` alone.
   */
  readonly layers: readonly (readonly PlannedDeploy[])[];
  /** Names, most dependent first: the exact reverse of the layers read in order. */
  readonly rollbackOrder: readonly string[];
  /** Name to the names that it waits for. Every deploy is a key. */
  readonly inner: ReadonlyMap<string, readonly string[]>;
  /** Name to the ids outside the release that it waits for. Every deploy is a key. */
  readonly external: ReadonlyMap<string, readonly string[]>;
  /** Deploys one after another that no parallelism can shorten: a number of deploys, no time. */
  readonly criticalPathLength: number;
}

/** Plans a release in which `graphProblems` found nothing; throws on one that has no plan. Linear in deploys and edges. */
export function planRelease(release: ReleaseDocument): Plan {
  const wires = wiring(release);
  const deploys = wires.map((wire) => ({
    name: wire.name,
    id: wire.id,
    after: innerAfter(wire),
    external: externalAfter(wire),
  }));
  const order = orderOf(release, wires);
  const layers = order === 'sequential' ? oneByOne(deploys) : together(deploys);
  return {
    release: release.id,
    order,
    start: release.start,
    deploys,
    layers,
    rollbackOrder: layers
      .flat()
      .map(({ name }) => name)
      .reverse(),
    inner: new Map(deploys.map(({ name, after }) => [name, after])),
    external: new Map(deploys.map(({ name, external }) => [name, external])),
    criticalPathLength: layers.length,
  };
}

/** The graph of a plan, for the functions of graph.ts. */
export function nodesOf(plan: Plan): Node[] {
  return plan.deploys.map(({ name, after }) => ({ name, after }));
}

function together(deploys: readonly PlannedDeploy[]): PlannedDeploy[][] {
  const planned = new Map(deploys.map((deploy) => [deploy.name, deploy]));
  return layersOf(deploys).map((layer) => layer.flatMap((name) => planned.get(name) ?? []));
}

function oneByOne(deploys: readonly PlannedDeploy[]): PlannedDeploy[][] {
  const seen = new Set<string>();
  for (const { name, after } of deploys) {
    const later = after.find((other) => !seen.has(other));
    if (later !== undefined) throw new Error(`"${name}" waits for "${later}", which is not declared before it`);
    seen.add(name);
  }
  return deploys.map((deploy) => [deploy]);
}

/** A plan as `--json` and the API show it: plain data, keys always in this order. */
export function renderPlan(plan: Plan) {
  return {
    release: plan.release,
    order: plan.order,
    start: plan.start,
    criticalPathLength: plan.criticalPathLength,
    layers: plan.layers.map((layer) =>
      layer.map(({ name, id, after, external }) => ({ name, id, after: [...after], external: [...external] })),
    ),
    rollbackOrder: [...plan.rollbackOrder],
  };
}
