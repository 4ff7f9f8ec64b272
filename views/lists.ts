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
import { shownState } from '../core/deploy/deploy.ts';
import { Artifact } from '../core/documents/deploy.ts';
import type { Ports } from '../orchestration/ports.ts';
import { deploySummary } from './deploy.ts';
import { iso } from './instant.ts';
import { type PageQuery, pageOf } from './pages.ts';
import { releaseSummary } from './release.ts';

/** Newest first. */
export function listReleases(
  ports: Ports,
  query: PageQuery & { state?: ReleaseState | undefined },
): Promise<ReleaseList> {
  const { state } = query;
  const { lists, releases } = ports.store;
  return pageOf(
    `releases ${state ?? ''}`,
    query,
    async (limit, cursor) => {
      const page =
        state === undefined
          ? await lists.page('byTime', 'release', limit, cursor)
          : await lists.page('byState', `release#${state}`, limit, cursor);
      if (page === undefined) return undefined;
      const rows = await releases.readMany(page.ids);
      return { ...page, rows: page.ids.flatMap((id) => rows.get(id) ?? []) };
    },
    // The index is read a moment behind the table: what has moved on since is left out.
    ({ release }) => (state === undefined || release.status.state === state ? [releaseSummary(release)] : []),
  );
}

/** Newest first; rollbacks and the deploys of releases among them. */
export function listDeploys(
  ports: Ports,
  query: PageQuery & { state?: DeployState | undefined; application?: string | undefined },
): Promise<DeployList> {
  const { state, application } = query;
  const { lists, deploys } = ports.store;
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
      const rows = await deploys.readMany(page.ids);
      return { ...page, rows: page.ids.flatMap((id) => rows.get(id) ?? []) };
    },
    ({ deploy }) => (state === undefined || shownState(deploy.status.state) === state ? [deploySummary(deploy)] : []),
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
export function listInventory(
  ports: Ports,
  query: PageQuery & { application?: string | undefined; environment?: string | undefined },
): Promise<InventoryList> {
  const { application, environment } = query;
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
      return Object.entries(current)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([, entry]): InventoryItem => ({ ...where, ...entry, at: iso(entry.at) }));
    },
  );
}
