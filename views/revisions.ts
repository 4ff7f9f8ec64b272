import type { RevisionList } from '../api/contract.ts';
import type { Ports } from '../orchestration/ports.ts';
import { iso } from './instant.ts';

interface RevisionQuery {
  readonly application: string;
  readonly environment: string;
  readonly tenant?: string | undefined;
  readonly artifact?: string | undefined;
  readonly limit?: number | undefined;
  readonly before?: number | undefined;
}

const USUAL_LIMIT = 50;

/** What was deployed to a place, newest first. */
export async function revisionList(ports: Ports, query: RevisionQuery): Promise<RevisionList> {
  const { artifact, before, limit = USUAL_LIMIT, ...where } = query;
  const { inventory } = ports.store;
  const current = new Set(Object.values(await inventory.current(where)).map(({ revision }) => revision));
  const revisions = await inventory.revisionsOf(where, {
    limit,
    ...(artifact !== undefined && { artifact }),
    ...(before !== undefined && { before }),
  });
  const last = revisions.at(-1);
  return {
    items: revisions.map((each) => ({
      revision: each.number,
      deploy: each.deploy,
      artifact: each.artifact,
      plugin: each.plugin,
      at: iso(each.at),
      current: current.has(each.number),
    })),
    ...(revisions.length === limit && last !== undefined && last.number > 1 && { cursor: String(last.number) }),
  };
}
