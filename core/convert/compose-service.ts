/** One service of a Compose file, with what it extends. */
import { shown } from '../documents/shown.ts';
import type { Findings } from './findings.ts';
import { Place } from './place.ts';
import type { Sources } from './sources.ts';
import { uninterpolated } from './template.ts';

export const COMPOSE = { render: 'render it first: docker compose config > rendered.yaml, and import that' };

/** A service that another one extends, its field `extends` with it. */
export interface Extended {
  readonly file: Place | undefined;
  readonly service: Place | undefined;
}

/** What a service extends: a name of the same file, or `{file, service}`. */
export function extendedBy(service: Place): Extended | undefined {
  const place = service.field('extends');
  if (place === undefined) return undefined;
  if (!place.isMapping) return { file: undefined, service: place };
  return { file: place.field('file'), service: place.field('service') };
}

export class Service {
  /** Its definitions, the one that everything goes back to first. */
  readonly #chain: readonly Place[];

  constructor(
    readonly name: string,
    readonly place: Place,
    sources: Sources,
    findings: Findings,
  ) {
    this.#chain = chainOf(place, sources, findings).reverse();
  }

  /** A field that is one value: the last definition that has it decides. */
  field(name: string): Place | undefined {
    return this.#chain.map((place) => place.field(name)).findLast((found) => found !== undefined);
  }

  /** The field in every definition: lists are joined, mappings merged by whoever asks. */
  all(name: string): Place[] {
    return this.#chain.flatMap((place) => place.field(name) ?? []);
  }

  get fields(): string[] {
    return this.#chain.flatMap((place) => place.fields().map(([name]) => name));
  }
}

function chainOf(service: Place, sources: Sources, findings: Findings): Place[] {
  const chain = [service];
  const seen = new Set([idOf(service)]);
  for (let at = service; ; ) {
    const extended = extendedBy(at);
    if (extended === undefined) return chain;
    const base = baseOf(at, extended, sources, findings);
    if (base === undefined) return chain;
    if (seen.has(idOf(base))) {
      findings.problem('extends-cycle', extended.service ?? at, 'the services extend each other in a circle');
      return chain;
    }
    seen.add(idOf(base));
    chain.push(base);
    at = base;
  }
}

function idOf(place: Place): string {
  return `${place.path} ${place.document.file}`;
}

function baseOf(at: Place, { file, service }: Extended, sources: Sources, findings: Findings): Place | undefined {
  const name = findings.word(service);
  if (service === undefined || name === undefined) {
    if (service === undefined) findings.problem('missing-field', at, 'extends names no service');
    return undefined;
  }
  for (const place of [file, service]) {
    if (place === undefined || uninterpolated(place.text ?? '') !== undefined) continue;
    findings.problem('interpolated', place, `${shown(place.value)} takes a variable`, COMPOSE.render);
    return undefined;
  }
  const document = file === undefined ? at.document : sources.named(file)?.[0];
  if (document === undefined) return undefined;
  const base = Place.root(document).field('services')?.field(name);
  if (base === undefined) {
    findings.problem('unknown-service', service, `"${name}" is no service of ${document.file}`);
  }
  return base;
}
