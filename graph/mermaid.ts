import type { Plan } from '../core/plan/plan.ts';
import { type Look, lookOf, type States, wordOf } from './states.ts';

/** Fill, border and text of each look; dark text on light fills reads on a light and on a dark page. */
const CLASSES: ReadonlyMap<Look, string> = new Map([
  ['waiting', 'fill:#fef3c7,stroke:#b45309,color:#1f2937'],
  ['running', 'fill:#dbeafe,stroke:#1d4ed8,color:#1f2937'],
  ['good', 'fill:#dcfce7,stroke:#15803d,color:#1f2937'],
  ['bad', 'fill:#fee2e2,stroke:#b91c1c,color:#1f2937'],
  ['stopped', 'fill:#e5e7eb,stroke:#4b5563,color:#1f2937'],
]);

/**
 * A Mermaid flowchart. Solid arrows are dependencies, dotted ones come from deploys outside the release or, labelled
 * "then", say nothing but the order of a sequential release.
 */
export function renderMermaid(plan: Plan, states: States = new Map()): string {
  const ids = new Map(plan.deploys.map(({ name }, at) => [name, `d${at}`]));
  const outside = new Map(
    [...new Set(plan.deploys.flatMap(({ external }) => external))].map((id, at) => [id, `x${at}`]),
  );
  const looks = new Map<Look, string[]>();
  const lines = ['flowchart TD'];
  for (const { name } of plan.deploys) {
    const state = states.get(name);
    lines.push(`  ${ids.get(name)}["${text(name)}${state === undefined ? '' : `<br/>${text(wordOf(state))}`}"]`);
    const look = lookOf(state);
    looks.set(look, [...(looks.get(look) ?? []), ids.get(name) ?? '']);
  }
  for (const [id, key] of outside) lines.push(`  ${key}(["${text(id)}"])`);
  for (const { name, after, external } of plan.deploys) {
    for (const other of after) lines.push(`  ${ids.get(other)} --> ${ids.get(name)}`);
    for (const id of external) lines.push(`  ${outside.get(id)} -.-> ${ids.get(name)}`);
  }
  if (plan.order === 'sequential') lines.push(...inTurn(plan, ids));
  for (const [look, style] of CLASSES) {
    const members = looks.get(look);
    if (members !== undefined) lines.push(`  classDef ${look} ${style}`, `  class ${members.join(',')} ${look}`);
  }
  return `${lines.join('\n')}\n`;
}

function inTurn(plan: Plan, ids: ReadonlyMap<string, string>): string[] {
  return plan.deploys.slice(1).flatMap(({ name, after }, at) => {
    const before = plan.deploys[at]?.name ?? '';
    return after.includes(before) ? [] : [`  ${ids.get(before)} -. then .-> ${ids.get(name)}`];
  });
}

/** Mermaid's own entities: a quote would end the label, and `#` begins an entity. */
function text(raw: string): string {
  return raw.replace(/[^A-Za-z0-9 ._/:@-]/gu, (character) => `#${character.codePointAt(0)};`);
}
