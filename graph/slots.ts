import type { Plan } from '../core/plan/plan.ts';

/** A place in a layer: a deploy, or the arrow of a deploy passing through on its way to a later layer. */
export interface Slot {
  readonly name: string;
  readonly passing: boolean;
  readonly layer: number;
  /** Slots of the next layer that it leads to. */
  readonly to: Slot[];
  /** Slots of the layer before that lead to it. */
  readonly from: Slot[];
}

/** Sweeps over the layers; after four in each direction a drawing hardly changes any more. */
const SWEEPS = 4;
/** Above this many slots the order of declaration stays: untangling would cost more than the drawing is worth. */
const MOST_UNTANGLED = 20_000;

/**
 * The layers of a plan with its arrows cut into pieces from one layer to the next. All arrows of a deploy share one
 * way and leave it where their deploys stand, so a fork always belongs to one deploy. Inside a layer slots are
 * ordered to have few crossings, the same way each time.
 */
export function slotsOf(plan: Plan): Slot[][] {
  const layers: Slot[][] = plan.layers.map((layer, at) => layer.map(({ name }) => slot(name, false, at)));
  const home = new Map(layers.flat().map((place) => [place.name, place]));
  const ways = new Map<string, Slot[]>();
  for (const place of layers.flat().filter(({ passing }) => !passing)) {
    const waits = (plan.inner.get(place.name) ?? []).flatMap((name) => home.get(name) ?? []);
    for (const source of waits) {
      const way = ways.get(source.name) ?? [source];
      ways.set(source.name, way);
      while (source.layer + way.length < place.layer) {
        const next = slot(source.name, true, source.layer + way.length);
        connect(way.at(-1), next);
        layers[next.layer]?.push(next);
        way.push(next);
      }
      connect(way[place.layer - source.layer - 1], place);
    }
  }
  return layers.reduce((sum, layer) => sum + layer.length, 0) > MOST_UNTANGLED ? layers : untangled(layers);
}

function slot(name: string, passing: boolean, layer: number): Slot {
  return { name, passing, layer, to: [], from: [] };
}

function connect(from: Slot | undefined, to: Slot): void {
  from?.to.push(to);
  if (from !== undefined) to.from.push(from);
}

/** Each slot moves to the middle of its neighbours, downwards and upwards; the order with the fewest crossings wins. */
function untangled(layers: Slot[][]): Slot[][] {
  let current = layers;
  let best = { layers, crossings: crossings(layers) };
  for (let sweep = 0; sweep < SWEEPS * 2 && best.crossings > 0; sweep++) {
    const down = sweep % 2 === 0;
    current = [...current];
    for (let step = 1; step < current.length; step++) {
      const at = down ? step : current.length - 1 - step;
      const beside = new Map(current[down ? at - 1 : at + 1]?.map((place, index) => [place, index]));
      const layer = current[at] ?? [];
      const wanted = new Map(
        layer.map((place, index) => {
          const around = (down ? place.from : place.to).flatMap((other) => beside.get(other) ?? []);
          return [place, around.length === 0 ? index : around.reduce((a, b) => a + b, 0) / around.length];
        }),
      );
      current[at] = [...layer].sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    }
    const count = crossings(current);
    if (count < best.crossings) best = { layers: current, crossings: count };
  }
  return best.layers;
}

function crossings(layers: readonly Slot[][]): number {
  let count = 0;
  for (let at = 1; at < layers.length; at++) {
    const below = new Map(layers[at]?.map((place, index) => [place, index]));
    const ends = (layers[at - 1] ?? []).flatMap((place) =>
      place.to.map((other) => below.get(other) ?? 0).sort((a, b) => a - b),
    );
    count += inversions(ends, layers[at]?.length ?? 0);
  }
  return count;
}

/** Pairs in the wrong order, counted with a binary indexed tree: n log n. */
function inversions(values: readonly number[], size: number): number {
  const tree = new Array<number>(size + 1).fill(0);
  let [count, seen] = [0, 0];
  for (const value of values) {
    let notAfter = 0;
    for (let i = value + 1; i > 0; i -= i & -i) notAfter += tree[i] ?? 0;
    count += seen - notAfter;
    for (let i = value + 1; i <= size; i += i & -i) tree[i] = (tree[i] ?? 0) + 1;
    seen++;
  }
  return count;
}
