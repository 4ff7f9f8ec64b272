/** A helmfile as a release: its releases become deploys, `needs` becomes `after`, nested states keep their turn. */
import { type Converted, convert, listed } from './converted.ts';
import { Findings } from './findings.ts';
import { conditionOf, environmentNote, environmentOf, stateValues } from './helmfile-environment.ts';
import { HELMFILE, releaseUnit, unreadFields } from './helmfile-release.ts';
import type { State } from './helmfile-state.ts';
import { Place } from './place.ts';
import type { Reference, Sources } from './sources.ts';
import { hasTemplate } from './template.ts';
import type { ConvertOptions, Unit } from './unit.ts';

/** Fields of a state that decide about order or existence, or are told of by themselves. */
const TOLD = new Set([
  ...['bases', 'environments', 'releases', 'helmfiles', 'templates', 'values', 'filepath', 'commonLabels', 'hooks'],
  ...['namespace', 'context', 'kubeContext', 'missingFileHandler', 'renderedvalues', 'renderedValues', 'lockFilePath'],
]);

export function helmfileReferences(top: Place): Reference[] {
  const rendered = top.field('filepath') !== undefined;
  const named = (kind: Reference['kind'], place: Place | undefined): Reference[] =>
    place?.text === undefined || !isLocal(place.text) ? [] : [{ kind, name: place.text, place }];
  return [
    ...(rendered ? [] : (top.field('bases')?.items() ?? [])).flatMap((base) => named('include', base)),
    ...(rendered ? [] : (top.field('helmfiles')?.items() ?? [])).flatMap((nested) => named('include', pathOf(nested))),
  ];
}

export function convertHelmfile(sources: Sources, options: ConvertOptions): Converted {
  const findings = new Findings();
  const tops = sources.top.map(Place.root);
  const [top = Place.root(sources.top[0])] = tops;
  const states = statesOf(tops, sources, findings);
  const environment = environmentOf(states, options.environment, findings);
  const units = states.flatMap((state, stage) => unitsOf(state, stage, environment, findings));
  if (states.filter(({ layers }) => layers.some((layer) => layer.field('releases') !== undefined)).length > 1) {
    findings.note('stages', top, undefined, {
      what: 'several helmfiles',
      why: 'helmfile ends one before it begins the next, and renga knows one graph',
      instead: 'what is first in each waits for what is last in the one before',
    });
  }
  noteStates(states, findings);
  environmentNote(top, environment, findings);
  const given = { ...options, environment: environment ?? options.environment };
  return convert({ units: named(units), noun: 'release', top, order: { mode: 'dag' } }, given, findings);
}

/** The states in the order in which helmfile works on them: nested ones before the one that names them. */
function statesOf(tops: readonly Place[], sources: Sources, findings: Findings): State[] {
  // What `helmfile build` prints: one document for each state, its bases and nested states already taken apart.
  if (tops.every((part) => part.field('filepath') !== undefined))
    return tops.map((part) => ({ layers: [part], top: part }));
  const [top] = tops;
  if (top === undefined) return [];
  const layers = tops.flatMap((part) => layersOf(part, sources, findings));
  const nested = layers.flatMap((layer) => findings.list(layer.field('helmfiles')));
  const before = nested.flatMap((entry) => nestedStates(entry, sources, findings));
  return [...before, { layers, top }];
}

function layersOf(part: Place, sources: Sources, findings: Findings): Place[] {
  const bases = findings.list(part.field('bases')).flatMap((base) => {
    if (remote(base, findings)) return [];
    return (sources.named(base) ?? []).flatMap((document) => layersOf(Place.root(document), sources, findings));
  });
  return [...bases, part];
}

function nestedStates(entry: Place, sources: Sources, findings: Findings): State[] {
  const path = pathOf(entry);
  if (path === undefined) {
    findings.problem('missing-field', entry, 'the nested helmfile has no path');
    return [];
  }
  if (remote(path, findings)) return [];
  const selectors = entry.field('selectors');
  if (selectors !== undefined) {
    const why = 'only the releases that they select are released, and the import does not evaluate selectors';
    findings.problem('not-convertible', selectors, `selectors: ${why}`, HELMFILE.render);
  }
  const values = entry.field('values');
  if (values !== undefined) {
    const instead = 'look at what depends on them, or import what helmfile build prints';
    findings.note('values', values, undefined, { what: 'values', why: 'they change the nested helmfile', instead });
  }
  const documents = sources.named(path);
  return documents === undefined ? [] : statesOf(documents.map(Place.root), sources, findings);
}

function pathOf(entry: Place): Place | undefined {
  return entry.text === undefined ? entry.field('path') : entry;
}

function isLocal(name: string): boolean {
  return !name.includes('://') && !name.includes('::') && !hasTemplate(name) && !/[*?[]/.test(name);
}

function remote(place: Place, findings: Findings): boolean {
  const name = findings.word(place);
  if (name === undefined || isLocal(name)) return name === undefined;
  const message = `"${name}" is no single file of this directory, and the releases in it would be missing`;
  findings.problem('not-convertible', place, message, HELMFILE.render);
  return true;
}

function unitsOf(state: State, stage: number, environment: string | undefined, findings: Findings): Unit[] {
  const releases = state.layers.flatMap((layer) => findings.list(layer.field('releases')));
  const values = stateValues(state.layers, environment);
  const common = state.layers.flatMap((layer) => findings.mapping(layer.field('commonLabels')));
  return releases.flatMap((release) => {
    const unit = releaseUnit(release, { state, stage, common, environment }, findings);
    if (unit === undefined) return [];
    const off = conditionOf(release, values, unit.key, findings);
    return [off && unit.left === undefined ? { ...unit, left: off } : unit];
  });
}

/** The release's own name where no other has it, else all that tells it apart. */
function named(units: readonly Unit[]): Unit[] {
  const counts = new Map<string, number>();
  for (const { wanted } of units) counts.set(wanted, (counts.get(wanted) ?? 0) + 1);
  return units.map((unit) => (counts.get(unit.wanted) === 1 ? unit : { ...unit, wanted: unit.key }));
}

function noteStates(states: readonly State[], findings: Findings): void {
  const releases = states.flatMap(({ layers }) => layers.flatMap((layer) => layer.field('releases')?.items() ?? []));
  const templates = states.flatMap(({ layers }) =>
    layers.flatMap(
      (layer) =>
        layer
          .field('templates')
          ?.fields()
          .map(([, template]) => template) ?? [],
    ),
  );
  const unread = unreadFields([...releases, ...templates]);
  if (unread.length > 0) {
    findings.note('not-copied', releases[0], undefined, {
      what: `${listed(unread)} of its releases`,
      why: 'what helm is given has no counterpart',
      instead: 'the command of a deploy has to give it, as helmfile does',
    });
  }
  for (const { layers } of states) {
    for (const layer of layers) {
      const rest = layer.fields().filter(([name, { value }]) => !TOLD.has(name) && value !== null);
      const names = rest.map(([name]) => name).filter((name) => !name.startsWith('x-'));
      if (names.length > 0) {
        findings.note('not-copied', rest[0]?.[1], undefined, {
          what: listed(names),
          why: 'settings of helm and helmfile have no counterpart',
          instead: 'they still hold when the command of a deploy calls helmfile',
        });
      }
      const hooks = layer.field('hooks');
      if (hooks !== undefined) {
        findings.note('hooks', hooks, undefined, {
          what: 'hooks of the helmfile',
          why: 'helmfile runs them once, and a command for each deploy would run them each time',
          instead: 'make a deploy of what they do, or make them harmless when repeated',
        });
      }
    }
  }
}
