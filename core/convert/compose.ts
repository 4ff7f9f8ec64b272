/** A Compose file as a release: services become deploys, `depends_on` becomes `after`, profiles become tags. */
import { shown } from '../documents/shown.ts';
import { imageVersion } from './compose-image.ts';
import { COMPOSE, extendedBy, Service } from './compose-service.ts';
import { type ServiceWait, waitsOf } from './compose-waits.ts';
import { type Converted, convert, listed, tooMany } from './converted.ts';
import { Findings } from './findings.ts';
import { Place } from './place.ts';
import type { Reference, Sources } from './sources.ts';
import { uninterpolated } from './template.ts';
import type { ConvertOptions, Unit } from './unit.ts';

const READ = new Set([
  ...['image', 'build', 'depends_on', 'profiles', 'extends', 'links', 'volumes_from', 'network_mode', 'ipc', 'pid'],
  ...['uts', 'cgroup', 'container_name'],
]);
const TOP_READ = new Set(['services', 'include', 'name', 'version']);

export function composeReferences(top: Place): Reference[] {
  const includes = (top.field('include')?.items() ?? []).flatMap((entry) => pathsOf(entry));
  const extended = (top.field('services')?.fields() ?? []).flatMap(([, service]) => extendedBy(service)?.file ?? []);
  const named = (kind: Reference['kind'], place: Place): Reference[] =>
    place.text === undefined || !isLocal(place.text) ? [] : [{ kind, name: place.text, place }];
  return [
    ...includes.flatMap((place) => named('include', place)),
    ...extended.flatMap((place) => named('part', place)),
  ];
}

/** The project's own name, if the file says it. */
export function composeProject(top: Place): string | undefined {
  return uninterpolated(top.field('name')?.text ?? '') || undefined;
}

export function convertCompose(sources: Sources, options: ConvertOptions): Converted {
  const findings = new Findings();
  const [document, second] = sources.top;
  if (second !== undefined) {
    const hint = 'merge them: docker compose config';
    findings.problem('several-documents', Place.root(second), 'Compose merges several documents of a file', hint);
  }
  const top = Place.root(document);
  const services = servicesOf(top, sources, findings);
  const known = new Set(services.map(({ name }) => name));
  const waits = new Map(services.map((service) => [service, waitsOf(service, known, findings)]));
  const conditions = conditionsOf([...waits.values()].flat());
  const units = services.map((service) =>
    unitOf(service, waits.get(service) ?? [], { conditions, file: top.document.file }, findings),
  );
  noteFields(top, services, findings);
  return convert({ units, noun: 'service', top, order: { mode: 'dag', start: 'eager' } }, options, findings);
}

function servicesOf(top: Place, sources: Sources, findings: Findings): Service[] {
  const included = findings.list(top.field('include')).flatMap((entry) => includedServices(entry, sources, findings));
  const named = findings.mapping(top.field('services'));
  // Before each is followed to what it extends: a hostile file may have very many.
  if (tooMany(named.length, top, 'service', findings)) return [];
  const own = named.flatMap(([name, place]) => {
    if (place.isMapping) return [new Service(name, place, sources, findings)];
    findings.problem('wrong-type', place, `a service must be a mapping, not ${shown(place.value)}`);
    return [];
  });
  return [...included, ...own];
}

function includedServices(entry: Place, sources: Sources, findings: Findings): Service[] {
  const [path, second] = pathsOf(entry);
  if (path === undefined) {
    findings.problem('missing-field', entry, 'the include names no path');
    return [];
  }
  if (second !== undefined || !isLocal(path.text ?? '')) {
    const what =
      second === undefined ? `${shown(path.value)} is no file of this directory` : 'several files are merged';
    findings.problem('not-convertible', path, `${what}, and its services would be missing or wrong`, COMPOSE.render);
    return [];
  }
  const [document] = sources.named(path) ?? [];
  return document === undefined ? [] : servicesOf(Place.root(document), sources, findings);
}

function pathsOf(entry: Place): Place[] {
  const path = entry.isMapping ? entry.field('path') : entry;
  if (path === undefined) return [];
  return path.isList ? path.items() : [path];
}

function isLocal(name: string): boolean {
  return !name.includes('://') && !/^git@|\.git(#|$)/.test(name) && uninterpolated(name) === name;
}

interface Conditions {
  readonly healthy: ReadonlySet<string>;
  readonly completed: ReadonlySet<string>;
}

function conditionsOf(waits: readonly ServiceWait[]): Conditions {
  const having = (wanted: string) => waits.filter(({ condition }) => condition === wanted).map(({ key }) => key);
  return {
    healthy: new Set(having('service_healthy')),
    completed: new Set(having('service_completed_successfully')),
  };
}

function unitOf(
  service: Service,
  waits: readonly ServiceWait[],
  { conditions, file }: { conditions: Conditions; file: string },
  findings: Findings,
): Unit {
  const { name, place } = service;
  const image = plain(service.field('image'), name, findings);
  return {
    key: name,
    wanted: name,
    place,
    waits,
    stage: 0,
    tags: profilesOf(service, findings),
    artifact: {
      type: 'image',
      version: image === undefined ? undefined : imageVersion(image),
      source: image ?? (service.field('image') === undefined ? contextOf(service, findings) : undefined),
    },
    params: { SERVICE: name },
    command: commandOf(service, conditions, file),
  };
}

function contextOf(service: Service, findings: Findings): string | undefined {
  const build = service.field('build');
  return plain(build?.isMapping ? build.field('context') : build, service.name, findings);
}

function commandOf({ name }: Service, { healthy, completed }: Conditions, file: string): string[] {
  const compose = ['docker', 'compose', '-f', file];
  if (completed.has(name)) return [...compose, 'run', '--rm', '--no-deps', name];
  return [...compose, 'up', '-d', ...(healthy.has(name) ? ['--wait'] : []), '--no-deps', name];
}

function profilesOf(service: Service, findings: Findings): string[] {
  const profiles = service.all('profiles').flatMap((list) => findings.list(list));
  const names = profiles.flatMap((profile) => plain(profile, service.name, findings) ?? []);
  if (profiles.length > 0) {
    findings.note('profiles', profiles[0], service.name, {
      what: `profiles ${names.join(', ')}`,
      why: 'Compose starts it only when one of them is active, and a release deploys all that it has',
      instead: 'pick with --tags, or remove it where it is not wanted',
    });
  }
  return names;
}

/** Text that takes no variable; one that does is noted and left out. */
function plain(place: Place | undefined, key: string, findings: Findings): string | undefined {
  const text = findings.text(place);
  const value = text === undefined ? undefined : uninterpolated(text);
  if (place === undefined || text === undefined || value !== undefined) return value || undefined;
  findings.note('interpolated', place, key, {
    what: text,
    why: 'it takes a variable, whose value is not known here',
    instead: `fill it in, or ${COMPOSE.render}`,
  });
  return undefined;
}

function noteFields(top: Place, services: readonly Service[], findings: Findings): void {
  const fields = [...new Set(services.flatMap((service) => service.fields))];
  const unread = fields.filter((name) => !READ.has(name) && !name.startsWith('x-'));
  const outer = top.fields().flatMap(([name]) => (TOP_READ.has(name) || name.startsWith('x-') ? [] : name));
  if (unread.length + outer.length === 0) return;
  findings.note('not-copied', top, undefined, {
    what: listed([...new Set([...outer, ...unread])]),
    why: 'how containers run has no counterpart',
    instead: `it still holds when the command of a deploy calls docker compose with ${top.document.file}`,
  });
}
