/** Lists of releases, deploys and what is current. */
import * as z from 'zod';
import type {
  DeployList,
  DeployState,
  InventoryItem,
  InventoryList,
  ReleaseList,
  ReleaseState,
} from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import { shownState } from '../core/deploy/deploy.ts';
import { Artifact } from '../core/documents/deploy.ts';
import type { Ports } from '../orchestration/ports.ts';
import { mayForAll, rightsOf } from '../orchestration/rights.ts';
import { deploySummary } from './deploy.ts';
import { iso } from './instant.ts';
import { type PageQuery, pageOf } from './pages.ts';
import { releaseSummary } from './release.ts';
import { asSeen, releaseSeen } from './seen.ts';

/** Newest first; only those that the actor may read, all of their deploys. */
export async function listReleases(
  ports: Ports,
  actor: Actor,
  query: PageQuery & { state?: ReleaseState | undefined },
): Promise<ReleaseList> {
  const { state } = query;
  const { lists, releases } = ports.store;
  const rights = await rightsOf(ports, actor);
  return pageOf(
    `releases ${state ?? ''}`,
    query,
    async (limit, cursor) => {
      const page =
        state === undefined
          ? await lists.page('byTime', 'release', limit, cursor)
          : await lists.page('byState', `release#${state}`, limit, cursor);
      if (page === undefined) return undefined;
      const found = await releases.readMany(page.ids);
      const rows = page.ids.flatMap((id) => found.get(id) ?? []);
      const readable = await Promise.all(
        rows.map(({ release }) => mayForAll(ports, rights, 'deployment.read', release)),
      );
      const seen = rows.filter((_, index) => readable[index]).map(({ release }) => releaseSeen(ports, rights, release));
      return { ...page, rows: await Promise.all(seen) };
    },
    // The index is read a moment behind the table: what has moved on since is left out.
    (release) => (state === undefined || release.status.state === state ? [releaseSummary(release)] : []),
  );
}

/** Newest first; rollbacks and the deploys of releases among them. Only those that the actor may read. */
export async function listDeploys(
  ports: Ports,
  actor: Actor,
  query: PageQuery & { state?: DeployState | undefined; application?: string | undefined },
): Promise<DeployList> {
  const { state, application } = query;
  const { lists, deploys } = ports.store;
  const rights = await rightsOf(ports, actor);
  return pageOf(
    `deploys ${state ?? ''} ${application ?? ''}`,
    query,
    async (limit, cursor) => {
      const page =
        application !== undefined
          ? await lists.page('byApplication', application, limit, cursor)
          : state !== undefined
            ? await lists.page('byState', `deploy#${state}`, limit, cursor)
            : await lists.page('byTime', 'deploy', limit, cursor);
      if (page === undefined) return undefined;
      const found = await deploys.readMany(page.ids);
      const rows = page.ids.flatMap((id) => found.get(id)?.deploy ?? []);
      const readable = rows.filter(({ identity }) => rights.may('deployment.read', identity));
      return { ...page, rows: await Promise.all(readable.map((deploy) => asSeen(ports, rights, deploy))) };
    },
    (deploy) => (state === undefined || shownState(deploy.status.state) === state ? [deploySummary(deploy)] : []),
  );
}

const Current = z.object({
  where: z.object({ application: z.string(), environment: z.string(), tenant: z.string().optional() }),
  current: z.record(
    z.string(),
    z.object({ deploy: z.string(), revision: z.number().int(), artifact: Artifact, at: z.number().int() }),
  ),
});

/** In the order of tenant, application and environment; the limit counts those places, each with all of its artifacts. */
export async function listInventory(
  ports: Ports,
  actor: Actor,
  query: PageQuery & { application?: string | undefined; environment?: string | undefined },
): Promise<InventoryList> {
  const { application, environment } = query;
  const rights = await rightsOf(ports, actor);
  return pageOf(
    `inventory ${application ?? ''} ${environment ?? ''}`,
    query,
    async (limit, cursor) => {
      const page = await ports.store.lists.places(limit, cursor);
      return page && { rows: page.items, ...(page.cursor !== undefined && { cursor: page.cursor }) };
    },
    (item) => {
      const { where, current } = Current.parse(item);
      if (application !== undefined && where.application !== application) return [];
      if (environment !== undefined && where.environment !== environment) return [];
      if (!rights.may('deployment.read', where)) return [];
      return Object.entries(current)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([, entry]): InventoryItem => ({ ...where, ...entry, at: iso(entry.at) }));
    },
  );
}
