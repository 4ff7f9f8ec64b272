import type { Plan } from '../core/plan/plan.ts';
import { middles } from './placement.ts';
import { type Slot, slotsOf } from './slots.ts';
import { lookOf, type States, wordOf } from './states.ts';
import { STYLE } from './svg-style.ts';

/** Pixels. A monospaced letter of 13 px is at most 7.9 wide, so a label is measured without a font. */
const LETTER = 7.9;
const SMALL_LETTER = 6.7;
const PADDING = 14;
const MARGIN = 24;
const TITLE = 26;
/** Between the boxes of a layer, and between a box or arrow and an arrow that passes by. */
const APART = 16;
/** Between two layers: room for an arrow to bend. */
const BETWEEN = 64;
const BETWEEN_DOWN = 36;
/** Added to it where many arrows fan out, so that they don't become one bundle. */
const MOST_FAN = 120;

interface Box {
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * A release's graph as an SVG that needs nothing else: no font, script or style sheet. Layers run from left to right,
 * or downwards when there are many and narrow ones. Colours follow the reader's light or dark scheme.
 */
export function renderSvg(plan: Plan, states: States = new Map()): string {
  const layers = slotsOf(plan);
  const boxes = new Map(plan.deploys.map(({ name, external }) => [name, boxOf(name, states.get(name), external)]));
  const widest = plan.layers.reduce((most, layer) => Math.max(most, layer.length), 0);
  const down = plan.layers.length > 6 && plan.layers.length > widest;

  const across = (slot: Slot) => {
    const box = slot.passing ? undefined : boxes.get(slot.name);
    return box === undefined ? 2 : down ? box.width : box.height;
  };
  const half = (slot: Slot) => Math.ceil(across(slot) / 2);
  const places = middles(layers, (left, right) => half(left) + half(right) + APART, half);

  let along = down ? MARGIN + TITLE : MARGIN;
  const starts = layers.map((layer, index) => {
    // One size for the boxes of a layer: an arrow that leaves a small one would run behind its larger neighbours.
    const size = layer.reduce((most, { name, passing }) => {
      const box = passing ? undefined : boxes.get(name);
      return Math.max(most, box === undefined ? 0 : down ? box.height : box.width);
    }, 0);
    const from = along;
    const fan = Math.max(layer.length, layers[index + 1]?.length ?? 0);
    along += size + (down ? BETWEEN_DOWN : BETWEEN) + Math.min(MOST_FAN, fan * 2);
    return { from, size };
  });
  const at = (slot: Slot, end: 'in' | 'out'): Point => {
    const { from, size } = starts[slot.layer] ?? { from: 0, size: 0 };
    const main = from + (end === 'in' ? 0 : size);
    const cross = (places.get(slot) ?? 0) + MARGIN + (down ? 0 : TITLE);
    return down ? { x: cross, y: main } : { x: main, y: cross };
  };

  let far = 0;
  for (const [slot, place] of places) far = Math.max(far, place + half(slot));
  const last = starts.at(-1);
  const length = (last === undefined ? 0 : last.from + last.size) + MARGIN;
  const title = titleOf(plan);
  const width = Math.max(down ? far + 2 * MARGIN : length, title.length * LETTER + 2 * MARGIN);
  const height = down ? length : far + 2 * MARGIN + TITLE;

  const arrows = layers.flat().flatMap((slot) => arrowsOf(slot, at, down));
  const inTurn = plan.order === 'sequential' ? orderArrows(layers, plan, at, down) : [];
  const drawn = layers.flat().flatMap((slot) => {
    const box = slot.passing ? undefined : boxes.get(slot.name);
    const size = starts[slot.layer]?.size ?? 0;
    const sized = box === undefined ? undefined : { ...box, ...(down ? { height: size } : { width: size }) };
    return sized === undefined ? [] : [boxShape(slot, sized, at(slot, 'in'), down, states.get(slot.name))];
  });
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" aria-labelledby="renga-title">`,
    `<title id="renga-title">${escaped(title)}</title>`,
    STYLE,
    `<rect class="page" width="${w}" height="${h}"/>`,
    `<text class="heading" x="${MARGIN}" y="${MARGIN + 4}">${escaped(title)}</text>`,
    ...arrows,
    ...inTurn,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

function titleOf(plan: Plan): string {
  const count = `${plan.deploys.length} ${plan.deploys.length === 1 ? 'deploy' : 'deploys'}`;
  if (plan.order === 'sequential') return `${plan.release}: ${count}, one by one`;
  return `${plan.release}: ${count} in ${plan.layers.length} ${plan.layers.length === 1 ? 'layer' : 'layers'}`;
}

function boxOf(name: string, state: string | undefined, external: readonly string[]): Box {
  const [first] = external;
  const more = external.length > 1 ? ` and ${external.length - 1} more` : '';
  const waits = first === undefined ? [] : [`waits for ${shortened(first)}${more}`];
  const small = [...(state === undefined ? [] : [wordOf(state)]), ...waits];
  const widest = small.reduce((most, line) => Math.max(most, line.length * SMALL_LETTER), name.length * LETTER);
  return { lines: [name, ...small], width: Math.ceil(widest + 2 * PADDING), height: 34 + small.length * 15 };
}

function shortened(id: string): string {
  return id.length <= 40 ? id : `${id.slice(0, 39)}…`;
}

type At = (slot: Slot, end: 'in' | 'out') => Point;

/** The pieces of arrow that leave a slot; a passing slot also carries its arrow through its own layer. */
function arrowsOf(slot: Slot, at: At, down: boolean): string[] {
  const through = slot.passing ? [`<path class="arrow" d="${curve(at(slot, 'in'), at(slot, 'out'), down)}"/>`] : [];
  const pieces = slot.to.map((next) => arrow(at(slot, 'out'), at(next, 'in'), down, next.passing ? '' : 'head'));
  return [...through, ...pieces];
}

/** Dotted, from each deploy to the one that runs next although it does not wait for it. */
function orderArrows(layers: readonly (readonly Slot[])[], plan: Plan, at: At, down: boolean): string[] {
  const slots = layers.flatMap((layer) => layer.filter(({ passing }) => !passing));
  return slots.slice(1).flatMap((slot, index) => {
    const before = slots[index];
    if (before === undefined || plan.inner.get(slot.name)?.includes(before.name)) return [];
    return [arrow(at(before, 'out'), at(slot, 'in'), down, 'head', 'arrow order')];
  });
}

/** The point of an arrow is part of it: a marker would not take the colour of the scheme everywhere. */
function arrow(from: Point, to: Point, down: boolean, head: 'head' | '', kind = 'arrow'): string {
  if (head === '') return `<path class="${kind}" d="${curve(from, to, down)}"/>`;
  const end = down ? { x: to.x, y: to.y - 8 } : { x: to.x - 8, y: to.y };
  const point = down ? `M${to.x} ${to.y}l-4.5 -9h9z` : `M${to.x} ${to.y}l-9 -4.5v9z`;
  return `<path class="${kind}" d="${curve(from, end, down)}"/><path class="head" d="${point}"/>`;
}

/** Leaves and arrives straight, so that pieces of one arrow join without a corner. */
function curve(from: Point, to: Point, down: boolean): string {
  if (down ? from.x === to.x : from.y === to.y) return `M${from.x} ${from.y}L${to.x} ${to.y}`;
  const [mx, my] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  return down
    ? `M${from.x} ${from.y}C${from.x} ${my} ${to.x} ${my} ${to.x} ${to.y}`
    : `M${from.x} ${from.y}C${mx} ${from.y} ${mx} ${to.y} ${to.x} ${to.y}`;
}

function boxShape(slot: Slot, box: Box, start: Point, down: boolean, state: string | undefined): string {
  const x = down ? start.x - box.width / 2 : start.x;
  const y = down ? start.y : start.y - box.height / 2;
  const middle = x + box.width / 2;
  const [name, ...small] = box.lines;
  const texts = small.map((line, index) => {
    const kind = index === 0 && state !== undefined ? 'state' : 'note';
    return `<text class="${kind}" x="${middle}" y="${y + 37 + index * 15}">${escaped(line)}</text>`;
  });
  const spoken = state === undefined ? slot.name : `${slot.name}: ${wordOf(state)}`;
  return [
    `<g class="deploy ${lookOf(state)}" data-name="${escaped(slot.name)}">`,
    `<title>${escaped(spoken)}</title>`,
    `<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6"/>`,
    `<text class="name" x="${middle}" y="${y + 21.5}">${escaped(name ?? '')}</text>`,
    ...texts,
    '</g>',
  ].join('');
}

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

function escaped(raw: string): string {
  return raw.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '');
}
