import type { Plan, PlannedDeploy } from '../core/plan/plan.ts';
import { Canvas } from './canvas.ts';
import { renderList } from './list.ts';
import { middles } from './placement.ts';
import { type Slot, slotsOf } from './slots.ts';
import { type States, wordOf } from './states.ts';
import { type Gap, routed } from './tracks.ts';

export interface TextOptions {
  /** Columns that it may take; 80 when absent. */
  readonly width?: number;
}

/** More deploys than this are no picture any more on a terminal, whatever its width. */
const MOST_DRAWN = 60;
/** More lines side by side between two layers than an eye can follow. */
const MOST_TRACKS = 6;

/**
 * A release's graph for a terminal: boxes layer below layer, arrows downwards from what runs first. What does not fit
 * the width, and a sequential release, which is a list by nature, comes as a list that names what each waits for.
 */
export function renderText(plan: Plan, states: States = new Map(), { width = 80 }: TextOptions = {}): string {
  if (plan.order === 'sequential') return `one by one, in this order:\n${renderList(plan, states, width)}`;
  const drawing = plan.deploys.length > MOST_DRAWN ? undefined : drawn(plan, states, width);
  return drawing === undefined ? renderList(plan, states, width) : `${drawing}${outside(plan)}`;
}

function outside(plan: Plan): string {
  const lines = plan.deploys
    .filter(({ external }) => external.length > 0)
    .map(({ name, external }) => `${name} ← ${external.join(', ')}`);
  return lines.length === 0 ? '' : `\nwaits outside this release:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function drawn(plan: Plan, states: States, width: number): string | undefined {
  const layers = slotsOf(plan);
  const labels = new Map(plan.deploys.map((deploy) => [deploy.name, labelOf(deploy, states)]));
  const half = (slot: Slot) => (slot.passing ? 0 : boxHalf(labels.get(slot.name) ?? [], slot.from.length));
  const apart = (left: Slot, right: Slot) => half(left) + half(right) + 2 + (left.passing || right.passing ? 1 : 0);
  const places = middles(layers, apart, half);
  let right = 0;
  for (const [slot, place] of places) right = Math.max(right, place + half(slot) + 1);
  if (right > width) return undefined;

  const canvas = new Canvas();
  const boxHeight = 2 + (states.size > 0 ? 2 : 1);
  let top = 0;
  // The column where each slot's arrows leave it: a passing one leaves where it came in.
  const exits = new Map(layers.flat().map((slot) => [slot, places.get(slot) ?? 0]));
  for (const [at, layer] of layers.entries()) {
    const gap = routed(layers[at - 1] ?? [], layer, exits, half);
    if (gap === undefined || gap.height > MOST_TRACKS) return undefined;
    drawGap(canvas, gap, top);
    top += at === 0 ? 0 : gap.height;
    for (const slot of layer) {
      const middle = exits.get(slot) ?? 0;
      if (slot.passing) canvas.vertical(middle, top, top + boxHeight - 1, slot.name);
      else drawBox(canvas, labels.get(slot.name) ?? [], middle, half(slot), top, boxHeight, slot.to.length > 0);
    }
    for (const { column, passing } of gap.entries) if (!passing) canvas.put(column, top, '▼');
    top += boxHeight;
  }
  return canvas.toString();
}

function labelOf({ name }: PlannedDeploy, states: States): string[] {
  const state = states.get(name);
  return state === undefined ? [name] : [name, wordOf(state)];
}

/** Room for the text with a space and a border on each side, and for every arrow that comes in from above. */
function boxHalf(label: readonly string[], arrows: number): number {
  const longest = label.reduce((most, line) => Math.max(most, line.length), 0);
  return Math.max(Math.ceil((longest + 3) / 2), arrows + 1);
}

function drawBox(
  canvas: Canvas,
  label: readonly string[],
  middle: number,
  half: number,
  top: number,
  height: number,
  leaves: boolean,
): void {
  const inside = half * 2 - 1;
  canvas.write(middle - half, top, `┌${'─'.repeat(inside)}┐`);
  for (let row = 1; row < height - 1; row++) {
    const line = label[row - 1] ?? '';
    const before = Math.floor((inside - line.length) / 2);
    canvas.write(middle - half, top + row, `│${' '.repeat(before)}${line.padEnd(inside - before)}│`);
  }
  canvas.write(middle - half, top + height - 1, `└${'─'.repeat(inside)}┘`);
  if (leaves) canvas.put(middle, top + height - 1, '┬');
}

function drawGap(canvas: Canvas, gap: Gap, top: number): void {
  for (const { owner, exit, entries, track } of gap.nets) {
    canvas.vertical(exit, top, top + track, owner, { below: false });
    for (const entry of entries) canvas.vertical(entry, top + track, top + gap.height - 1, owner, { above: false });
    const columns = [exit, ...entries];
    canvas.horizontal(Math.min(...columns), Math.max(...columns), top + track, owner);
  }
}
