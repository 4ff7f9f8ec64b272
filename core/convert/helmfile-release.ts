/** One release of a helmfile. */
import type { Findings } from './findings.ts';
import type { State } from './helmfile-state.ts';
import type { Place } from './place.ts';
import { hasTemplate } from './template.ts';
import type { Unit, UnitWait } from './unit.ts';

export const HELMFILE = { render: 'render it first: helmfile build > rendered.yaml, and import that' };

const READ = new Set([
  ...['name', 'namespace', 'kubeContext', 'needs', 'installed', 'condition', 'labels', 'chart', 'version', 'inherit'],
  ...['hooks'],
]);
/** A version that names one version; anything else is a range, and helm picks from it. */
const EXACT = /^v?\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;

interface Around {
  readonly state: State;
  readonly stage: number;
  readonly common: readonly [string, Place][];
  readonly environment: string | undefined;
}

/** A release with the templates that it inherits from, itself first. */
class Release {
  readonly #chain: readonly { readonly place: Place; readonly except: ReadonlySet<string> }[];

  constructor(
    readonly place: Place,
    { layers }: State,
    findings: Findings,
  ) {
    const inherited = findings.list(place.field('inherit')).flatMap((entry) => {
      const name = entry.field('template') ?? entry;
      const template = layers
        .map((layer) => layer.field('templates')?.field(name.text ?? ''))
        .findLast((found) => found !== undefined);
      if (template === undefined) findings.problem('unknown-template', name, `there is no template "${name.text}"`);
      const except = findings.list(entry.field('except')).map((field) => field.text ?? '');
      return template === undefined ? [] : [{ place: template, except: new Set(except) }];
    });
    this.#chain = [{ place, except: new Set<string>() }, ...inherited.reverse()];
  }

  field(name: string): Place | undefined {
    return this.all(name)[0];
  }

  /** A field of the release and of its templates, its own first. */
  all(name: string): Place[] {
    return this.#chain.flatMap(({ place, except }) => (except.has(name) ? [] : (place.field(name) ?? [])));
  }
}

export function releaseUnit(place: Place, around: Around, findings: Findings): Unit | undefined {
  const { state, stage } = around;
  const release = new Release(place, state, findings);
  const named = release.field('name');
  const name = named === undefined ? undefined : identity(named, findings, findings.word(named));
  if (named === undefined) findings.problem('missing-field', place, 'the release has no name', 'name it');
  if (named === undefined || name === undefined) return undefined;
  const over = (field: string) =>
    state.layers.map((layer) => layer.field(field)).findLast((found) => found !== undefined);
  const namespace = identity(over('namespace') ?? release.field('namespace'), findings) ?? '';
  const context = identity(over('kubeContext') ?? over('context') ?? release.field('kubeContext'), findings) ?? '';
  const key = idOf({ context, namespace, name });
  noteHooks(release.field('hooks'), key, findings);
  const waits = release
    .all('needs')
    .flatMap((list) => findings.list(list).flatMap((need) => waitOf(need, { namespace, context }, findings)));
  return {
    key,
    wanted: name,
    place: named,
    waits,
    stage,
    tags: tagsOf(release, around.common, key, findings),
    artifact: {
      type: 'chart',
      version: versionOf(release.field('version'), key, findings),
      source: literal(release.field('chart'), key, findings),
    },
    params: {
      RELEASE: name,
      ...(namespace !== '' && { NAMESPACE: namespace }),
      ...(context !== '' && { KUBE_CONTEXT: context }),
    },
    command: commandOf(around, { name, namespace, context }),
    left: leftOf(release, key, findings),
  };
}

interface Identity {
  readonly context: string;
  readonly namespace: string;
  readonly name: string;
}

/** How helmfile tells releases apart: `context/namespace/name`, without what is empty at its start. */
function idOf({ context, namespace, name }: Identity): string {
  if (context !== '') return `${context}/${namespace}/${name}`;
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** `name`, `namespace/name` or `context/namespace/name`; what it leaves out is that of the release that needs it. */
function waitOf(need: Place, own: Omit<Identity, 'name'>, findings: Findings): UnitWait[] {
  const text = identity(need, findings, findings.word(need));
  if (text === undefined) return [];
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  const namespace = parts.at(-2) ?? own.namespace;
  const context = parts.length > 2 ? parts.slice(0, -2).join('/') : own.context;
  return [{ key: idOf({ context, namespace, name }), place: need }];
}

/** Text that the order depends on, so that a template in it can't be let pass. */
function identity(place: Place | undefined, findings: Findings, text = findings.text(place)): string | undefined {
  if (place === undefined || text === undefined || !hasTemplate(text)) return text;
  findings.problem('template', place, `"${text}" is a template, and the order depends on it`, HELMFILE.render);
  return undefined;
}

/** Text that is no template; one that is, is noted and left out. */
function literal(place: Place | undefined, key: string, findings: Findings): string | undefined {
  const text = findings.text(place);
  if (place === undefined || text === undefined || !hasTemplate(text)) return text || undefined;
  findings.note('template', place, key, {
    what: text,
    why: 'it is a template, whose value is not known here',
    instead: `fill it in, or ${HELMFILE.render}`,
  });
  return undefined;
}

function versionOf(place: Place | undefined, key: string, findings: Findings): string | undefined {
  const version = literal(place, key, findings);
  if (place === undefined || version === undefined || EXACT.test(version)) return version;
  findings.note('version-range', place, key, {
    what: `version: ${version}`,
    why: 'it is a range from which helm picks, and an artifact has one version',
    instead: 'write the exact version',
  });
  return undefined;
}

function tagsOf(release: Release, common: Around['common'], key: string, findings: Findings): string[] {
  const labels = new Map<string, Place>(common);
  for (const own of release.all('labels').reverse())
    for (const [name, value] of findings.mapping(own)) labels.set(name, value);
  return [...labels].flatMap(([name, place]) => {
    const value = place.value === null || place.value === '' ? '' : literal(place, key, findings);
    return value === undefined ? [] : [value === '' ? name : `${name}-${value}`];
  });
}

/** Why the release becomes no deploy. */
function leftOf(release: Release, key: string, findings: Findings): string | undefined {
  const installed = release.field('installed');
  if (installed === undefined || installed.truth === true) return undefined;
  if (installed.truth === undefined) {
    if (literal(installed, key, findings) !== undefined) {
      findings.problem('wrong-type', installed, 'installed must be true or false');
    }
    return undefined;
  }
  findings.note('not-installed', installed, undefined, {
    what: `release ${key}, installed: false`,
    why: 'helmfile uninstalls it, and renga has no deploy that removes something',
    instead: 'it is left out; uninstall it with helm',
  });
  return 'is not installed (installed: false)';
}

function commandOf({ environment, state }: Around, { name, namespace, context }: Identity): string[] {
  const selector = [`name=${name}`, ...(namespace === '' ? [] : [`namespace=${namespace}`])].join(',');
  const declared = state.layers.some((layer) => layer.field('environments')?.has(environment ?? '') === true);
  return [
    ...['helmfile', '-f', state.top.field('filepath')?.text ?? state.top.document.file],
    ...(environment !== undefined && declared ? ['-e', environment] : []),
    ...(context === '' ? [] : ['--kube-context', context]),
    ...['-l', selector, 'sync', '--skip-needs'],
  ];
}

/** Names of fields of releases that a release of ours has no place for. */
export function unreadFields(releases: readonly Place[]): string[] {
  const names = releases.flatMap((release) => release.fields().map(([name]) => name));
  return [...new Set(names)].filter((name) => !READ.has(name));
}

function noteHooks(hooks: Place | undefined, key: string, findings: Findings): void {
  if (hooks === undefined || hooks.items().length === 0) return;
  const why = 'renga has no steps around a deploy yet';
  findings.note('hooks', hooks, key, { what: 'hooks', why, instead: 'helmfile runs them, if the command calls it' });
}
