/**
 * Positions in the given order that come as close as possible to the wanted ones (least squares) and keep at least
 * `gaps[i]` between the i-th and the one after it. Without the gaps it is a rising sequence that is wanted, and
 * neighbours that would fall are pooled at their mean.
 */
export function spread(wanted: readonly number[], gaps: readonly number[]): number[] {
  const offsets: number[] = [];
  let offset = 0;
  wanted.forEach((_, at) => {
    offsets.push(offset);
    offset += gaps[at] ?? 0;
  });
  const pools: { sum: number; count: number }[] = [];
  wanted.forEach((value, at) => {
    let pool = { sum: value - (offsets[at] ?? 0), count: 1 };
    for (let last = pools.at(-1); last !== undefined && mean(last) > mean(pool); last = pools.at(-1)) {
      pools.pop();
      pool = { sum: last.sum + pool.sum, count: last.count + pool.count };
    }
    pools.push(pool);
  });
  const levels = pools.flatMap((pool) => new Array<number>(pool.count).fill(Math.round(mean(pool))));
  return levels.map((level, at) => level + (offsets[at] ?? 0));
}

function mean({ sum, count }: { sum: number; count: number }): number {
  return sum / count;
}

interface Linked<T> {
  readonly from: readonly T[];
  readonly to: readonly T[];
}

/** How often all layers are moved towards their neighbours, down and up in turn. */
const ROUNDS = 6;

/**
 * A middle for every slot of every layer: in order, `apart(a, b)` between the middles of neighbours, and as near as
 * possible to the slots they are linked with. The smallest is moved so that nothing lies left of `half` of it.
 */
export function middles<T extends Linked<T>>(
  layers: readonly (readonly T[])[],
  apart: (left: T, right: T) => number,
  half: (slot: T) => number,
): Map<T, number> {
  const places = new Map<T, number>();
  const gapsOf = (layer: readonly T[]) =>
    layer.slice(1).map((right, at) => {
      const left = layer[at];
      return left === undefined ? 0 : apart(left, right);
    });
  for (const layer of layers) {
    const gaps = gapsOf(layer);
    let at = -gaps.reduce((sum, gap) => sum + gap, 0) / 2;
    layer.forEach((slot, index) => {
      places.set(slot, Math.round(at));
      at += gaps[index] ?? 0;
    });
  }
  for (let round = 0; round < ROUNDS; round++) {
    const down = round % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      const wanted = layer.map((slot) => {
        const around = (down ? slot.from : slot.to).flatMap((other) => places.get(other) ?? []);
        const here = places.get(slot) ?? 0;
        return around.length === 0 ? here : around.reduce((a, b) => a + b, 0) / around.length;
      });
      spread(wanted, gapsOf(layer)).forEach((place, at) => {
        const slot = layer[at];
        if (slot !== undefined) places.set(slot, place);
      });
    }
  }
  let left = Number.POSITIVE_INFINITY;
  for (const [slot, place] of places) left = Math.min(left, place - half(slot));
  return new Map([...places].map(([slot, place]) => [slot, place - left]));
}
