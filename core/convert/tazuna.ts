/** A `tazuna.yaml` as a release: manifests become deploys, `dependsOn` becomes `after`, layers stay what they were. */
import { type Converted, convert, listed } from './converted.ts';
import { Findings } from './findings.ts';
import { Place } from './place.ts';
import type { Reference, Sources } from './sources.ts';
import { hasTemplate } from './template.ts';
import type { ConvertOptions, Unit } from './unit.ts';

export const TAZUNA = { render: 'write out what the template gives, or keep one file for each environment' };

/** Options of a manifest that its backend understands, and `tazuna` still reads. */
const OPTIONS = ['kustomize', 'helmfile', 'genesisSecret', 'oras'];
const KNOWN = [...OPTIONS, 'name', 'description', 'includes', 'path', 'type', 'tags', 'dependsOn', 'tests', 'parallel'];

export function tazunaReferences(top: Place): Reference[] {
  const includes = manifestsOf(top).flatMap((manifest) => manifest.field('includes')?.items() ?? []);
  return includes.flatMap((include) => {
    const file = include.field('path');
    return file?.text === undefined ? [] : [{ kind: 'include', name: file.text, place: file }];
  });
}

export function convertTazuna(sources: Sources, options: ConvertOptions): Converted {
  const findings = new Findings();
  const [document, second] = sources.top;
  if (second !== undefined) {
    findings.problem('several-documents', Place.root(second), 'a tazuna.yaml has one document', 'remove the others');
  }
  const top = Place.root(document);
  const manifests = expanded(top, sources, findings);
  const units = manifests.flatMap((manifest) => unitOf(manifest, findings));
  noteSpec(top, findings);
  const optioned = OPTIONS.filter((name) => manifests.some((manifest) => manifest.field(name) !== undefined));
  if (optioned.length > 0) {
    findings.note('not-copied', top, undefined, {
      what: `${listed(optioned)} of its manifests`,
      why: 'options of the backend have no counterpart',
      instead: 'what carries the deploy out has to pass them on',
    });
  }
  const graph = units.some(({ waits }) => waits.length > 0);
  return convert({ units, noun: 'manifest', top, order: { mode: graph ? 'dag' : 'sequential' } }, options, findings);
}

function manifestsOf(top: Place): Place[] {
  return top.field('spec')?.field('manifests')?.items() ?? [];
}

/** The manifests with those of the includes in the place of the entry that includes them, as Tazuna expands them. */
function expanded(top: Place, sources: Sources, findings: Findings): Place[] {
  const spec = specOf(top, findings);
  return findings.list(spec?.field('manifests')).flatMap((manifest) => {
    const includes = findings.list(manifest.field('includes'));
    if (includes.length === 0) return [manifest];
    for (const name of ['dependsOn', 'tags', 'tests', 'type', 'path']) {
      const ignored = manifest.field(name);
      if (ignored === undefined) continue;
      const why = 'Tazuna ignores it on an entry with includes';
      findings.note('ignored', ignored, undefined, { what: name, why, instead: 'write it on the included manifests' });
    }
    return includes.flatMap((include) => included(include, sources, findings));
  });
}

function included(include: Place, sources: Sources, findings: Findings): Place[] {
  const file = include.field('path');
  const name = findings.word(file);
  if (file === undefined || name === undefined) {
    if (file === undefined) findings.problem('missing-field', include, 'the include names no path');
    return [];
  }
  // Undefined when it could not be read, which is a problem already.
  const [document] = sources.named(file) ?? [];
  if (document === undefined) return [];
  return findings.list(specOf(Place.root(document), findings)?.field('manifests')).filter((manifest) => {
    const nested = manifest.field('includes');
    if (nested === undefined || (nested.isList && nested.items().length === 0)) return true;
    findings.problem(
      'nested-include',
      nested,
      'Tazuna allows no includes in an included file',
      'include it at the top',
    );
    return false;
  });
}

function specOf(top: Place, findings: Findings): Place | undefined {
  const spec = top.field('spec');
  if (spec === undefined) findings.problem('missing-field', top, 'this is no tazuna.yaml: the field "spec" is missing');
  return spec;
}

function unitOf(manifest: Place, findings: Findings): Unit[] {
  const named = manifest.field('name');
  const name = findings.word(named);
  if (named === undefined || name === undefined) {
    if (named === undefined) findings.problem('missing-field', manifest, 'the manifest has no name', 'name it');
    return [];
  }
  const type = findings.word(manifest.field('type'));
  if (type === undefined && manifest.field('type') === undefined) {
    findings.problem('missing-field', manifest, `the manifest "${name}" has no type`);
  }
  for (const place of [named, manifest.field('type')]) if (place !== undefined) refuseTemplate(place, findings);
  if (type === 'parallel') {
    const hint = 'write its children as manifests, with dependsOn where one needs another';
    findings.problem('not-convertible', manifest, `"${name}" has type: parallel, which Tazuna has given up`, hint);
  }
  const waits = findings.list(manifest.field('dependsOn')).flatMap((place) => {
    const key = findings.word(place);
    if (refuseTemplate(place, findings) || key === undefined) return [];
    return [{ key, place }];
  });
  const path = plain(manifest.field('path'), name, findings);
  noteManifest(manifest, name, findings);
  return [
    {
      key: name,
      wanted: name,
      place: named,
      waits,
      stage: 0,
      tags: findings.list(manifest.field('tags')).flatMap((tag) => plain(tag, name, findings) ?? []),
      artifact: { type: type ?? 'manifest', source: path },
      params: { MANIFEST: name },
      command: commandOf(type, path),
      about: manifest.field('description')?.text,
    },
  ];
}

function commandOf(type: string | undefined, path: string | undefined): readonly string[] | undefined {
  if (path === undefined) return undefined;
  if (type === 'kustomize') return ['kubectl', 'apply', '-k', path];
  return type === 'helmfile' ? ['helmfile', '-f', path, 'sync'] : undefined;
}

/** Text that is no template; one that is, is noted and left out. */
function plain(place: Place | undefined, key: string, findings: Findings): string | undefined {
  const text = findings.text(place);
  if (place === undefined || text === undefined || !hasTemplate(text)) return text || undefined;
  const why = 'it is a template, whose value is only known to Tazuna';
  findings.note('template', place, key, { what: text, why, instead: 'write out what it gives' });
  return undefined;
}

function refuseTemplate(place: Place, findings: Findings): boolean {
  if (!hasTemplate(place.text ?? '')) return false;
  findings.problem('template', place, `"${place.text}" is a template, and the order depends on it`, TAZUNA.render);
  return true;
}

function noteManifest(manifest: Place, key: string, findings: Findings): void {
  const tests = manifest.field('tests');
  if (tests !== undefined && tests.items().length > 0) {
    findings.note('tests', tests, key, {
      what: 'tests',
      why: 'Tazuna runs them after the apply, renga knows the end of the command only',
      instead: 'let the command run them and end with their result; that is what verify is for once it is supported',
    });
  }
  for (const [name, place] of manifest.fields()) {
    if (KNOWN.includes(name)) continue;
    const why = 'it is no field of a manifest that this import knows';
    findings.note('unknown-field', place, key, { what: name, why, instead: 'it is left out' });
  }
}

function noteSpec(top: Place, findings: Findings): void {
  const spec = top.field('spec');
  const note = (name: string, why: string, instead: string) => {
    const place = spec?.field(name);
    if (place === undefined || (place.isList && place.items().length === 0)) return;
    findings.note(name, place, undefined, { what: name, why, instead });
  };
  note('tests', 'renga has no tests after a whole release', 'add a deploy that runs them, after all others');
  note('context_matches', 'renga does not look at a kubeconfig', 'let the commands refuse a wrong context');
  note('providers', 'renga does not read secrets of Tazuna', 'the commands have to');
  note('minimumSupportedTazunaVersion', 'Tazuna does not run it', 'it is left out');
}
