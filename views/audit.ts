/** The audit of everything that somebody may read, newest first. */
import type { AuditItem, AuditList } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import type { Ports } from '../orchestration/ports.ts';
import { mayForAll, type Rights, rightsOf } from '../orchestration/rights.ts';
import type { AuditRow } from '../store/audit.ts';
import { type PageQuery, pageOf } from './pages.ts';
import { asSeen, releaseTimelineSeen, timelineSeen } from './seen.ts';
import { entryOf } from './timeline.ts';

interface AuditQuery extends PageQuery {
  readonly application?: string | undefined;
  readonly environment?: string | undefined;
  readonly by?: string | undefined;
}

export async function listAudit(ports: Ports, actor: Actor, query: AuditQuery): Promise<AuditList> {
  const { application, environment, by } = query;
  const rights = await rightsOf(ports, actor);
  return pageOf(
    `audit ${application ?? ''} ${environment ?? ''} ${by ?? ''}`,
    query,
    async (limit, cursor) => {
      const page = await ports.store.lists.keys('audit', limit, cursor);
      if (page === undefined) return undefined;
      const rows = await ports.store.audit.rows(page.keys);
      const releases = await readableReleases(ports, rights, rows);
      const readable = rows.filter((row) => mayRead(rights, row, releases));
      return {
        rows: await wordsSeen(ports, rights, readable),
        ...(page.cursor !== undefined && { cursor: page.cursor }),
      };
    },
    ({ owner, about, decision }): AuditItem[] => {
      if (application !== undefined && about?.application !== application) return [];
      if (environment !== undefined && environmentOf({ owner, about }) !== environment) return [];
      if (by !== undefined && decision.by !== by) return [];
      return [{ about: { ...owner, ...about }, ...entryOf(decision) }];
    },
  );
}

/** Decisions about deploys in the words that the reader may have of them. */
async function wordsSeen(ports: Ports, rights: Rights, rows: readonly AuditRow[]): Promise<AuditRow[]> {
  const told = rows.filter(
    ({ owner: { kind }, decision }) => (kind === 'deploy' || kind === 'release') && decision.why !== undefined,
  );
  if (rights.all || told.length === 0) return [...rows];
  const idsOf = (kind: string) => [...new Set(told.flatMap(({ owner }) => (owner.kind === kind ? [owner.id] : [])))];
  const found = await ports.store.deploys.readMany(idsOf('deploy'));
  const releases = await ports.store.releases.readMany(idsOf('release'));
  const words = new Map<AuditRow, string>();
  for (const row of told) {
    const entries = [entryOf(row.decision)];
    const whole = row.owner.kind === 'deploy' ? found.get(row.owner.id)?.deploy : undefined;
    const release = row.owner.kind === 'release' ? releases.get(row.owner.id)?.release : undefined;
    const [entry] =
      whole !== undefined
        ? timelineSeen(entries, whole, await asSeen(ports, rights, whole))
        : release !== undefined
          ? await releaseTimelineSeen(ports, rights, release, entries)
          : entries;
    if (entry?.why !== undefined) words.set(row, entry.why);
  }
  return rows.map((row) => {
    const why = words.get(row);
    return why === undefined ? row : { ...row, decision: { ...row.decision, why } };
  });
}

function environmentOf({ owner, about }: { readonly owner: AuditRow['owner']; readonly about: AuditRow['about'] }) {
  return owner.kind === 'environment' ? owner.id : about?.environment;
}

function mayRead(rights: Rights, { owner, about }: AuditRow, releases: ReadonlySet<string>): boolean {
  if (about !== undefined) return rights.may('deployment.read', about);
  if (owner.kind === 'release') return releases.has(owner.id);
  if (owner.kind === 'environment') return rights.mayIn('deployment.read', owner.id);
  return rights.mayAnywhere(owner.kind === 'access' ? 'access.write' : 'environment.write');
}

/** Ids of the releases among these rows that are wholly readable. */
async function readableReleases(ports: Ports, rights: Rights, rows: readonly AuditRow[]): Promise<ReadonlySet<string>> {
  const ids = rows.flatMap(({ owner }) => (owner.kind === 'release' ? [owner.id] : []));
  const found = await ports.store.releases.readMany(ids);
  const readable = new Set<string>();
  for (const [id, { release }] of found) {
    if (await mayForAll(ports, rights, 'deployment.read', release)) readable.add(id);
  }
  return readable;
}
