/** What an environment of a helmfile decides: which environment it is, and whether a condition holds in it. */
import { suggestion } from '../documents/spelling.ts';
import type { Findings } from './findings.ts';
import type { State } from './helmfile-state.ts';
import type { Place } from './place.ts';
import { hasTemplate } from './template.ts';

const DEFAULT = 'default';

/** The environment that was asked for, if the helmfile has it, else the only one that it has. */
export function environmentOf(
  states: readonly State[],
  asked: string | undefined,
  findings: Findings,
): string | undefined {
  const declared = states.flatMap(({ layers }) =>
    layers.flatMap((layer) => findings.mapping(layer.field('environments'))),
  );
  const names = [...new Set(declared.map(([name]) => name))].filter((name) => name !== DEFAULT);
  if (asked === undefined) {
    if (names.length <= 1) return names[0];
    const [, place] = declared[0] ?? [];
    const message = `the helmfile has the environments ${names.join(', ')}`;
    if (place !== undefined) findings.problem('missing-environment', place, message, 'pick one with --environment');
    return undefined;
  }
  if (names.length === 0 || asked === DEFAULT || names.includes(asked)) return asked;
  const [, place] = declared[0] ?? [];
  const message = `the helmfile has no environment "${asked}"`;
  if (place !== undefined) findings.problem('unknown-environment', place, message, suggestion(asked, names));
  return asked;
}

export function environmentNote(top: Place, environment: string | undefined, findings: Findings): void {
  if (environment === undefined) return;
  const environments = top.field('environments');
  if (environments?.has(environment) !== true || environments.fields().length === 1) return;
  findings.note('environment', environments, undefined, {
    what: `environment ${environment}`,
    why: 'a release of renga is for one environment',
    instead: 'import again, with another --environment and --id, for another one',
  });
}

/** What `condition` looks into: values in the file, the last word first; a file of values is not read. */
export type StateValues = readonly (Place | 'unread')[];

export function stateValues(layers: readonly Place[], environment: string | undefined): StateValues {
  // What `helmfile build` prints has the values as they came out in the end.
  const rendered = layers.flatMap((layer) => layer.field('renderedvalues') ?? []);
  if (rendered.length > 0) return rendered;
  const lists = layers.flatMap((layer) => {
    const declared = layer
      .field('environments')
      ?.field(environment ?? DEFAULT)
      ?.field('values');
    return [layer.field('values'), declared].flatMap((place) => place?.items() ?? []);
  });
  return lists.map((item) => (item.isMapping ? item : ('unread' as const))).reverse();
}

/** Why a release is out because of its condition; undefined when it is in, or when that can't be known. */
export function conditionOf(release: Place, values: StateValues, key: string, findings: Findings): string | undefined {
  const condition = release.field('condition');
  const path = findings.text(condition);
  if (condition === undefined || path === undefined) return undefined;
  const found = hasTemplate(path) ? 'unread' : lookedUp(path, values);
  if (found === 'unread') {
    findings.note('condition', condition, key, {
      what: `condition: ${path}`,
      why: 'what it looks up is in a file of values, which is not read, or in a template',
      instead: 'the deploy is kept; remove it where the condition does not hold',
    });
    return undefined;
  }
  if (found?.truth === true) return undefined;
  const why = found === undefined ? 'nothing has that value in this environment' : `it is ${found.text ?? 'not true'}`;
  findings.note('condition', condition, undefined, {
    what: `release ${key}, condition: ${path}`,
    why,
    instead: 'helmfile leaves the release out, and so does this',
  });
  return `is out by its condition ${path}`;
}

function lookedUp(path: string, values: StateValues): Place | 'unread' | undefined {
  for (const layer of values) {
    if (layer === 'unread') return layer;
    let place: Place | undefined = layer;
    for (const step of path.split('.')) place = place?.field(step);
    if (place !== undefined) return hasTemplate(place.text ?? '') ? 'unread' : place;
  }
  return undefined;
}
