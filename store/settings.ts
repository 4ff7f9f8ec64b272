/**
 * The documents that say what holds: environments, configurations of applications in them, access, other pipelines. Each
 * is one item, replaced as a whole under `seq`; small enough to stand in it, and read strongly wherever it counts.
 */
import * as z from 'zod';
import { Decision } from '../core/deploy/deploy.ts';
import { AccessDocument } from '../core/documents/access.ts';
import { EnvironmentConfigDocument, EnvironmentDocument } from '../core/documents/environment.ts';
import { PipelineDocument } from '../core/documents/pipeline.ts';
import { About } from './audit.ts';
import { type Key, keys } from './schema.ts';
import { conditions, type Item, type Table } from './table.ts';

export type SettingsDocument = EnvironmentDocument | EnvironmentConfigDocument | AccessDocument | PipelineDocument;
export const SettingsDocument = z.discriminatedUnion('kind', [
  EnvironmentDocument,
  EnvironmentConfigDocument,
  AccessDocument,
  PipelineDocument,
]);

/** A document with what is known about it. */
export interface Setting<Document extends SettingsDocument = SettingsDocument> {
  readonly document: Document;
  readonly seq: number;
  readonly by: string;
  readonly at: number;
}

export interface Place {
  readonly application: string;
  readonly environment: string;
  readonly tenant?: string | undefined;
}

/** Where a document is kept. */
export function keyOf(document: SettingsDocument): Key {
  switch (document.kind) {
    case 'Environment':
      return keys.environment(document.name);
    case 'EnvironmentConfig':
      return keys.environmentConfig(document);
    case 'Access':
      return keys.access(document.name);
    case 'Pipeline':
      return keys.pipeline(document.name);
  }
}

export class Settings {
  constructor(private readonly table: Table) {}

  async environment(name: string): Promise<EnvironmentDocument | undefined> {
    const item = await this.table.get(keys.environment(name));
    return item?.document === undefined ? undefined : EnvironmentDocument.parse(item.document);
  }

  async environments(names: readonly string[]): Promise<Map<string, EnvironmentDocument>> {
    const items = await this.table.getMany([...new Set(names)].map(keys.environment));
    return new Map(
      items
        .filter(stands)
        .map(({ document }) => EnvironmentDocument.parse(document))
        .map((each) => [each.name, each]),
    );
  }

  /** The configuration of a place: of its tenant, else that of all tenants without one of their own. */
  async configOf(place: Place): Promise<EnvironmentConfigDocument | undefined> {
    return (await this.configs([place])).get(place);
  }

  /** The configurations of many places, by the object that names each. */
  async configs<P extends Place>(places: readonly P[]): Promise<Map<P, EnvironmentConfigDocument>> {
    const keyed = new Map(places.flatMap(wantedFor).map((key) => [`${key.pk} ${key.sk}`, key]));
    const items = await this.table.getMany([...keyed.values()]);
    const found = new Map(
      items.filter(stands).map(({ pk, sk, document }) => [`${pk} ${sk}`, EnvironmentConfigDocument.parse(document)]),
    );
    return new Map(
      places.flatMap((place): [P, EnvironmentConfigDocument][] => {
        const [own] = wantedFor(place).flatMap(({ pk, sk }) => found.get(`${pk} ${sk}`) ?? []);
        return own === undefined ? [] : [[place, own]];
      }),
    );
  }

  async access(): Promise<AccessDocument[]> {
    return (await this.#all('ACCESS', 'DOC#')).map(({ document }) => AccessDocument.parse(document));
  }

  async pipeline(name: string): Promise<PipelineDocument | undefined> {
    const item = await this.table.get(keys.pipeline(name));
    return item?.document === undefined ? undefined : PipelineDocument.parse(item.document);
  }

  async read(key: Key): Promise<Setting | undefined> {
    const item = await this.table.get(key);
    return item === undefined || !stands(item) ? undefined : settingOf(item);
  }

  /** How often what is kept under a key has been written; 0 when never. What was removed still counts. */
  async seqOf(key: Key): Promise<number> {
    return Number((await this.table.get(key))?.seq ?? 0);
  }

  /** The decision about what is kept under a key of which not all is known to be done. */
  async pending(key: Key): Promise<{ readonly decision: Decision; readonly about?: About } | undefined> {
    const item = await this.table.get(key);
    if (item?.pending === undefined) return undefined;
    const decision = Decision.parse(item.pending);
    return item.about === undefined ? { decision } : { decision, about: About.parse(item.about) };
  }

  /** Notes that what follows from the decision `seq` is done. */
  async settle(key: Key, seq: number): Promise<void> {
    await this.table.update(key, { remove: ['pending', 'about', 'open', 'sweepAt'] }, conditions.unchangedSince(seq));
  }

  /** Takes a document away; its place remembers that it was there. False when somebody else has written since. */
  async remove(document: SettingsDocument, decision: Decision): Promise<boolean> {
    const { seq, by, at } = decision;
    const item: Item = { ...keyOf(document), type: 'setting', seq, by, at, ...unsettled(document, decision) };
    return this.table.put(item, conditions.unchangedSince(seq - 1));
  }

  /** Everything of one kind, in the order of its names; configurations by environment and application. */
  async all(kind: 'Access' | 'Pipeline'): Promise<Setting[]> {
    return (await this.#all(kind === 'Access' ? 'ACCESS' : 'PIPELINE', 'DOC#')).map(settingOf);
  }

  /** An environment's configurations. */
  async configsOf(environment: string): Promise<Setting<EnvironmentConfigDocument>[]> {
    const items = await this.#all(keys.environment(environment).pk, 'CONFIG#');
    return items.map(settingOf) as Setting<EnvironmentConfigDocument>[];
  }

  /** Writes a document over the one before; false when somebody else has written since. */
  async replace(document: SettingsDocument, decision: Decision): Promise<boolean> {
    const { seq, by, at } = decision;
    // Kept in the list by time under its own key: environments and their configurations are listed by name.
    const key = keyOf(document);
    const listed = { list: `setting#${document.kind}`, listAt: `${key.pk}#${key.sk}` };
    const item: Item = { ...key, type: 'setting', ...listed, document, seq, by, at, ...unsettled(document, decision) };
    return this.table.put(item, seq === 1 ? conditions.absent : conditions.unchangedSince(seq - 1));
  }

  async #all(pk: string, prefix: string): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this.table.partition(pk, prefix)) if (stands(item)) items.push(item);
    return items;
  }
}

/** Before the sweep's eyes, until what follows from it is done. */
function unsettled(document: SettingsDocument, decision: Decision): Record<string, unknown> {
  return { pending: decision, about: aboutOf(document), open: 'setting', sweepAt: decision.at };
}

/** Who may read what was decided: whoever may read of the application that it is set for; of others, see the audit. */
function aboutOf(document: SettingsDocument): About | undefined {
  if (document.kind !== 'EnvironmentConfig' && document.kind !== 'Pipeline') return undefined;
  const { application, environment } = document;
  return { application, environment };
}

/** Keys of a place's configuration: that of its tenant first. */
function wantedFor({ application, environment, tenant }: Place): Key[] {
  const own = tenant === undefined ? [] : [keys.environmentConfig({ application, environment, tenant })];
  return [...own, keys.environmentConfig({ application, environment })];
}

/** Not one that was removed. */
function stands(item: Item): boolean {
  return item.document !== undefined;
}

export function settingOf(item: Item): Setting {
  return {
    document: SettingsDocument.parse(item.document),
    seq: z.number().parse(item.seq),
    by: z.string().parse(item.by),
    at: z.number().parse(item.at),
  };
}
