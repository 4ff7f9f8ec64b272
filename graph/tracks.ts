import type { Slot } from './slots.ts';

/** The arrows of one slot across the space to the next layer. Columns are absolute, the track a row of the gap. */
interface Net {
  readonly owner: string;
  readonly exit: number;
  readonly entries: readonly number[];
  readonly track: number;
}

export interface Gap {
  readonly height: number;
  readonly nets: readonly Net[];
  readonly entries: readonly { readonly column: number; readonly passing: boolean }[];
}

/**
 * Routes the arrows between two layers: down from each slot, along a track of its own, down into what waits for it.
 * No column carries two different arrows down, and no track two different arrows along, so lines that meet belong
 * together and lines that only cross do not. Undefined when a box is too narrow for its arrows.
 * Moves the column of a passing slot in `exits` where it would meet another arrow.
 */
export function routed(
  above: readonly Slot[],
  below: readonly Slot[],
  exits: Map<Slot, number>,
  half: (slot: Slot) => number,
): Gap | undefined {
  const leaving = new Map<number, Slot>();
  for (const slot of above) if (slot.to.length > 0) leaving.set(exits.get(slot) ?? 0, slot);
  const entries = new Map<Slot, number[]>(above.map((slot) => [slot, []]));
  const all: { column: number; passing: boolean }[] = [];
  const taken = new Set<number>();
  for (const slot of below) {
    const middle = exits.get(slot) ?? 0;
    const reach = slot.passing ? 1 : half(slot) - 1;
    const sources = [...slot.from].sort((a, b) => (exits.get(a) ?? 0) - (exits.get(b) ?? 0));
    let least = middle - reach;
    for (const [at, source] of sources.entries()) {
      const exit = exits.get(source) ?? 0;
      const share = middle + Math.round((2 * reach * (at + 1)) / (sources.length + 1)) - reach;
      const wanted = sources.length === 1 && Math.abs(exit - middle) <= reach ? exit : share;
      const free = (column: number) => !taken.has(column) && (leaving.get(column) ?? source) === source;
      const most = middle + reach - (sources.length - 1 - at);
      const column = nearestFree(slot.passing ? middle : wanted, least, most, free);
      if (column === undefined) return undefined;
      taken.add(column);
      least = column + 1;
      entries.get(source)?.push(column);
      all.push({ column, passing: slot.passing });
      if (slot.passing) exits.set(slot, column);
    }
  }
  const wires = above.flatMap((slot) => {
    const columns = entries.get(slot) ?? [];
    return columns.length === 0 ? [] : [{ owner: slot.name, exit: exits.get(slot) ?? 0, entries: columns }];
  });
  return { ...tracked(wires), entries: all };
}

function nearestFree(wanted: number, least: number, most: number, free: (column: number) => boolean) {
  const start = Math.min(Math.max(wanted, least), most);
  for (let away = 0; away <= most - least; away++) {
    for (const column of [start - away, start + away]) {
      if (column >= least && column <= most && free(column)) return column;
    }
  }
  return undefined;
}

function tracked(wires: readonly Omit<Net, 'track'>[]): { height: number; nets: Net[] } {
  const tracks: { from: number; to: number }[][] = [];
  const nets = wires.map((wire): Net => {
    const columns = [wire.exit, ...wire.entries];
    const span = { from: Math.min(...columns), to: Math.max(...columns) };
    if (span.from === span.to) return { ...wire, track: 0 };
    const clear = (track: { from: number; to: number }[]) =>
      track.every((other) => other.to + 1 < span.from || span.to + 1 < other.from);
    const found = tracks.findIndex(clear);
    const track = found === -1 ? tracks.length : found;
    tracks[track] = [...(tracks[track] ?? []), span];
    return { ...wire, track };
  });
  return { height: Math.max(1, tracks.length), nets };
}
