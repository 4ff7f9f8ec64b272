/** What the dependencies of a deploy say about it, read strongly: an event only says that it is time to look. */
import { type DeployIdentity, isFinal, shownState } from '../core/deploy/deploy.ts';
import { EXPECTED } from '../core/documents/deploy.ts';
import type { Failure } from '../core/failure.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Ports } from './ports.ts';
import { actorOf, rightsOf } from './rights.ts';

export type Verdict =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'waiting'; readonly remaining: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A deploy starts only after every dependency succeeded (I2); one that can't any more ends the wait. */
export async function judgeDependencies(ports: Ports, { deploy: { identity } }: DeployRow): Promise<Verdict> {
  if (identity.after.length === 0) return { kind: 'succeeded' };
  const unseen = await bind(ports, identity);
  if (unseen !== undefined) return failed(`${unseen}, which it waits for, does not exist`);
  const after = await bound(ports, identity);
  const rows = await ports.store.deploys.readMany(after.filter((id) => !id.startsWith(EXPECTED)));
  const remaining: string[] = [];
  for (const id of after) {
    if (id.startsWith(EXPECTED)) {
      remaining.push(id);
      continue;
    }
    const status = rows.get(id)?.deploy.status;
    if (status === undefined) return failed(`the deploy ${id} that it waits for no longer exists`);
    if (isFinal(status.state) && status.state !== 'SUCCESS') {
      const why = 'failure' in status ? `: ${status.failure.message}` : '';
      return failed(`${id} ended ${status.state}${why}`);
    }
    if (shownState(status.state) !== 'SUCCESS') remaining.push(id);
  }
  return remaining.length === 0 ? { kind: 'succeeded' } : { kind: 'waiting', remaining };
}

function failed(message: string): Verdict {
  return { kind: 'failed', failure: { code: 'dependency-failed', message } };
}

/**
 * Binds what was only expected to the deploy that has begun for it: from then on that one is waited for, whatever others
 * of the same version come later. One that had already failed when the deploy was submitted is not what it waits for: it
 * waits for the next. Answers an expectation whose deploy is not for whoever submitted this one to see: to them it does
 * not exist.
 */
async function bind(ports: Ports, identity: DeployIdentity): Promise<string | undefined> {
  const { id, after, createdAt, submittedBy, submittedAs, groups = [] } = identity;
  const expectations = after.filter((each) => each.startsWith(EXPECTED));
  if (expectations.length === 0) return undefined;
  const known = await ports.store.deploys.boundOf(id, expectations);
  const open = expectations.filter((each) => !known.has(each));
  const begun = await ports.store.deploys.begunAs(open);
  if (begun.size === 0) return undefined;
  const rows = await ports.store.deploys.readMany([...begun.values()].map(({ deploy }) => deploy));
  const rights = await rightsOf(ports, actorOf(ports, { subject: submittedBy, kind: submittedAs, groups }));
  for (const [expectation, { deploy }] of begun) {
    const row = rows.get(deploy);
    if (row === undefined) continue;
    const { status, identity: place } = row.deploy;
    if ('failure' in status && 'endedAt' in status && status.endedAt <= createdAt) continue;
    if (!rights.may('deployment.read', place)) return expectation;
    await ports.store.deploys.bind(id, expectation, deploy);
  }
  return undefined;
}

/** The ids that a deploy waits for, with what was only expected under the id that it has been bound to. */
export async function bound(
  ports: Ports,
  { id, after }: { readonly id: string; readonly after: readonly string[] },
): Promise<string[]> {
  const expectations = after.filter((each) => each.startsWith(EXPECTED));
  if (expectations.length === 0) return [...after];
  const known = await ports.store.deploys.boundOf(id, expectations);
  return after.map((each) => known.get(each) ?? each);
}
