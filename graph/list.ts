import type { Plan } from '../core/plan/plan.ts';
import { type States, wordOf } from './states.ts';

/** The layers as a list, `name  state  ← what it waits for`, wrapped at `width` where names allow. */
export function renderList(plan: Plan, states: States, width: number): string {
  const digits = String(plan.layers.length).length;
  const longest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, text.length), 0);
  // A very long name must not push all the others' columns out of sight.
  const nameWidth = Math.min(longest(plan.deploys.map(({ name }) => name)), 32);
  const words = new Map([...states].map(([name, state]) => [name, wordOf(state)]));
  const stateWidth = longest([...words.values()]);
  const lines: string[] = [];
  plan.layers.forEach((layer, at) => {
    layer.forEach(({ name, after, external }, index) => {
      const number = (index === 0 ? String(at + 1) : '').padStart(digits);
      const state = stateWidth === 0 ? '' : `  ${(words.get(name) ?? '').padEnd(stateWidth)}`;
      const head = `${number}  ${name.padEnd(nameWidth)}${state}`;
      const waits = [...after, ...external.map((id) => `${id} (outside)`)];
      lines.push(...(waits.length === 0 ? [head.trimEnd()] : wrapped(`${head}  ← `, waits, width)));
    });
  });
  return `${lines.join('\n')}\n`;
}

function wrapped(head: string, items: readonly string[], width: number): string[] {
  const margin = ' '.repeat(Math.min(head.length, Math.floor(width / 2)));
  const lines: string[] = [];
  let line = head;
  let fresh = true;
  items.forEach((item, at) => {
    const piece = at === items.length - 1 ? item : `${item},`;
    if (!fresh && line.length + 1 + piece.length > width) {
      lines.push(line);
      line = margin;
      fresh = true;
    }
    line += fresh ? piece : ` ${piece}`;
    fresh = false;
  });
  return [...lines, line];
}
