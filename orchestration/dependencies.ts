/** What the dependencies of a deploy say about it, read strongly: an event only says that it is time to look. */
import { isFinal, shownState } from '../core/deploy/deploy.ts';
import type { Failure } from '../core/failure.ts';
import type { Ports } from './ports.ts';

export type Verdict =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'waiting'; readonly remaining: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A deploy starts only after every dependency succeeded (I2); one that can't any more ends the wait. */
export async function judgeDependencies(ports: Ports, after: readonly string[]): Promise<Verdict> {
  if (after.length === 0) return { kind: 'succeeded' };
  const rows = await ports.store.deploys.readMany(after);
  const remaining: string[] = [];
  for (const id of after) {
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
