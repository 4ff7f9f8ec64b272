/** Which deploy is current, per application, environment and artifact, and the revisions that led there. */
import * as z from 'zod';
import { Artifact } from '../core/documents/deploy.ts';
import { Deploys } from './deploys.ts';
import { keys, placeOf } from './schema.ts';
import { conditions, type Table } from './table.ts';

const Entry = z.object({
  deploy: z.string(),
  revision: z.number().int(),
  artifact: Artifact,
  at: z.number().int(),
});
export type InventoryEntry = z.infer<typeof Entry>;

export const Revision = z.object({
  number: z.number().int(),
  deploy: z.string(),
  artifact: Artifact,
  plugin: z.string(),
  /** Content hash of the fused configuration that was declared. */
  configuration: z.string(),
  /** Content hash of the deploy's document. */
  document: z.string().optional(),
  at: z.number().int(),
  /** Revision of the same artifact that was current before, when there was one. */
  previous: z.number().int().optional(),
});
export type Revision = z.infer<typeof Revision>;

const Inventory = z.object({
  seq: z.number().int(),
  revision: z.number().int(),
  current: z.record(z.string(), Entry),
  /** The latest publications, newest last: one that is repeated after a crash finds itself here. */
  recent: z.array(
    z.object({
      deploy: z.string(),
      revision: z.number().int(),
      at: z.number().int(),
      previous: z.number().int().optional(),
    }),
  ),
});
type Inventory = z.infer<typeof Inventory>;
const RECENT = 50;
/** Looked through for a version to go back to. */
const MOST_REVISIONS = 1_000;

export interface Publication {
  readonly deploy: string;
  readonly application: string;
  readonly environment: string;
  readonly tenant?: string | undefined;
  readonly artifact: Artifact;
  readonly plugin: string;
  readonly configuration: string;
  readonly document?: string | undefined;
}

export class InventoryStore {
  constructor(private readonly table: Table) {}

  async #read(place: string): Promise<Inventory> {
    const item = await this.table.get(keys.inventory(place));
    return item === undefined ? { seq: 0, revision: 0, current: {}, recent: [] } : Inventory.parse(item);
  }

  /** Makes a deploy current and numbers its revision, once however often it is called (I10). */
  async publish(publication: Publication, now: number): Promise<number> {
    const place = placeOf(publication);
    const { deploy, artifact, plugin, configuration, document } = publication;
    for (;;) {
      const before = await this.#read(place);
      const done = before.recent.find((entry) => entry.deploy === deploy);
      if (done === undefined && before.recent.length === RECENT) {
        const concluded = await this.#revisionOf(deploy);
        if (concluded !== undefined) return concluded;
      }
      const number = done?.revision ?? before.revision + 1;
      const at = done?.at ?? now;
      const previous = done === undefined ? entryOf(before.current, artifact.name)?.revision : done.previous;
      const latest = { deploy, revision: number, at, ...(previous !== undefined && { previous }) };
      if (done === undefined) {
        const next: Inventory = {
          seq: before.seq + 1,
          revision: number,
          current: { ...before.current, [artifact.name]: { deploy, revision: number, artifact, at } },
          recent: [...before.recent, latest].slice(-RECENT),
        };
        const { application, environment, tenant } = publication;
        // Nested, since a top-level `application` would list it among that application's deploys.
        const where = { application, environment, ...(tenant !== undefined && { tenant }) };
        const item = { ...keys.inventory(place), type: 'inventory', list: 'inventory', listAt: place, where, ...next };
        // Before the first publication: whoever looks for an application by its name finds the place.
        if (before.seq === 0) await this.table.put({ ...keys.place(where), type: 'place' });
        const condition = before.seq === 0 ? conditions.absent : conditions.unchangedSince(before.seq);
        if (!(await this.table.put(item, condition))) continue;
      }
      const revision: Revision = {
        number,
        deploy,
        artifact,
        plugin,
        configuration,
        ...(document !== undefined && { document }),
        at,
        ...(previous !== undefined && { previous }),
      };
      await this.table.put({ ...keys.revision(place, number), type: 'revision', ...revision });
      return number;
    }
  }

  /**
   * The revision of a deploy whose success is shown. `recent` may have lost sight of its publication: the place's turn goes
   * on only once the success is written, so whoever others have gone past in such number has it.
   */
  async #revisionOf(deploy: string): Promise<number | undefined> {
    const row = await new Deploys(this.table).read(deploy);
    return row?.deploy.status.state === 'SUCCESS' ? row.deploy.status.revision : undefined;
  }

  /** Revisions of a place, newest first, of one artifact when it is named. */
  async revisionsOf(
    where: { application: string; environment: string; tenant?: string | undefined },
    { artifact, before, limit = MOST_REVISIONS }: { artifact?: string; before?: number; limit?: number } = {},
  ): Promise<Revision[]> {
    const found: Revision[] = [];
    for await (const item of this.table.partition(keys.revision(placeOf(where), 0).pk, 'REVISION#', true)) {
      const revision = Revision.parse(item);
      if (before !== undefined && revision.number >= before) continue;
      if (artifact !== undefined && revision.artifact.name !== artifact) continue;
      found.push(revision);
      if (found.length === limit) break;
    }
    return found;
  }

  /** Places where something of an application has become current, in all tenants and environments. */
  async placesOf(application: string): Promise<{ environment: string; tenant: string | undefined }[]> {
    const places: { environment: string; tenant: string | undefined }[] = [];
    for await (const { sk } of this.table.partition(keys.place({ application, environment: '' }).pk)) {
      const [environment = '', tenant = ''] = sk.split('#');
      places.push({ environment, tenant: tenant === '' ? undefined : tenant });
    }
    return places;
  }

  async current(where: {
    application: string;
    environment: string;
    tenant?: string | undefined;
  }): Promise<Readonly<Record<string, InventoryEntry>>> {
    return (await this.#read(placeOf(where))).current;
  }

  async revision(
    where: { application: string; environment: string; tenant?: string | undefined },
    number: number,
  ): Promise<Revision | undefined> {
    const item = await this.table.get(keys.revision(placeOf(where), number));
    return item && Revision.parse(item);
  }
}

/** The entry of an artifact; never an inherited property, whatever the artifact is called. */
export function entryOf(
  current: Readonly<Record<string, InventoryEntry>>,
  artifact: string,
): InventoryEntry | undefined {
  return Object.hasOwn(current, artifact) ? current[artifact] : undefined;
}
