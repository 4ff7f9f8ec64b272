/** What the dependencies of a deploy say about it, read strongly: an event only says that it is time to look. */
import { isFinal, shownState } from '../core/deploy/deploy.ts';
import { EXPECTED } from '../core/documents/deploy.ts';
import type { Failure } from '../core/failure.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Ports } from './ports.ts';

export type Verdict =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'waiting'; readonly remaining: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A deploy starts only after every dependency succeeded (I2); one that can't any more ends the wait. */
export async function judgeDependencies(ports: Ports, { deploy: { identity } }: DeployRow): Promise<Verdict> {
  if (identity.after.length === 0) return { kind: 'succeeded' };
  const after = await bound(ports, identity);
  const rows = await ports.store.deploys.readMany(after.filter((id) => !id.startsWith(EXPECTED)));
  const remaining: string[] = [];
  for (const id of after) {
    if (id.startsWith(EXPECTED)) {
      remaining.push(id);
      continue;
    }
    const status = rows.get(id)?.deploy.status;
    if (status === undefined) {
      return {
        kind: 'failed',
        failure: { code: 'dependency-failed', message: `the deploy ${id} that it waits for no longer exists` },
      };
    }
    if (isFinal(status.state) && status.state !== 'SUCCESS') {
      const why = 'failure' in status ? `: ${status.failure.message}` : '';
      return { kind: 'failed', failure: { code: 'dependency-failed', message: `${id} ended ${status.state}${why}` } };
    }
    if (shownState(status.state) !== 'SUCCESS') remaining.push(id);
  }
  return remaining.length === 0 ? { kind: 'succeeded' } : { kind: 'waiting', remaining };
}

/**
 * The ids that a deploy waits for, with what was only expected under the id that it has been started with. One that had
 * already failed when the deploy was submitted is not what it waits for: it waits for the next.
 */
export async function bound(
  ports: Ports,
  { after, createdAt }: { readonly after: readonly string[]; readonly createdAt: number },
): Promise<string[]> {
  const expectations = after.filter((id) => id.startsWith(EXPECTED));
  if (expectations.length === 0) return [...after];
  const begun = await ports.store.deploys.begunAs(expectations);
  const rows = await ports.store.deploys.readMany([...begun.values()].map(({ deploy }) => deploy));
  return after.map((id) => {
    const found = begun.get(id);
    if (found === undefined) return id;
    const status = rows.get(found.deploy)?.deploy.status;
    const stale = status !== undefined && 'failure' in status && 'endedAt' in status && status.endedAt <= createdAt;
    return stale ? id : found.deploy;
  });
}
