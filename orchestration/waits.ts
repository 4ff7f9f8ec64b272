/** The waits of a deploy's machine. All note the token first and look second, so that no wake-up falls between (I7). */
import { isFinal } from '../core/deploy/deploy.ts';
import { advance } from './advance.ts';
import { inParallel, type Ports } from './ports.ts';

/** Waits until the instant of its schedule; a dependency that fails meanwhile ends it all the same. */
export async function awaitTime(ports: Ports, id: string, token: string): Promise<void> {
  const row = await ports.store.deploys.attach(id, { wait: { token, for: 'time' } });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  const { after } = row.deploy.identity;
  if (row.deploy.status.state === 'SCHEDULED' && after.length > 0) await ports.store.deploys.registerWaiter(id, after);
  await advance(ports, id);
}

/** Waits until enough people have approved it, or one has rejected it, or the time for that is over. */
export async function awaitApproval(ports: Ports, id: string, token: string): Promise<void> {
  const row = await ports.store.deploys.attach(id, { wait: { token, for: 'approval' } });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  await advance(ports, row);
}

/** Waits until every dependency has succeeded, or one can't any more. */
export async function awaitDependencies(ports: Ports, id: string, token: string): Promise<void> {
  const row = await ports.store.deploys.attach(id, { wait: { token, for: 'dependencies' } });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  const { state } = row.deploy.status;
  if (state === 'WAITING_DEPENDENCY' || state === 'SCHEDULED') {
    const { after } = row.deploy.identity;
    await ports.store.deploys.attach(id, { remaining: new Set(after) });
    await ports.store.deploys.registerWaiter(id, after);
  }
  await advance(ports, id);
}

/** Waits until its release lets it start and it is its turn in its place. */
export async function awaitTurn(ports: Ports, id: string, token: string): Promise<void> {
  const row = await ports.store.deploys.attach(id, { wait: { token, for: 'turn' } });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  await advance(ports, row);
}

/**
 * A deploy has ended: whoever waits for it is looked at. Events may come twice, late, out of order or from a replay; what
 * counts is what the table says now.
 */
export async function wake(ports: Ports, dependency: string): Promise<void> {
  // A deploy registers first and looks at its dependencies second: who is not registered yet will see the end itself.
  const waiters = await ports.store.deploys.waitersOf(dependency);
  if (waiters.length === 0) return;
  const row = await ports.store.deploys.read(dependency);
  if (row === undefined || !isFinal(row.deploy.status.state)) return;
  const succeeded = row.deploy.status.state === 'SUCCESS';
  await inParallel(waiters, async (waiter) => {
    const left = succeeded ? await ports.store.deploys.dependenciesSucceeded(waiter, [dependency]) : undefined;
    if (!succeeded || left?.remaining.size === 0) await advance(ports, left ?? waiter);
  });
  await ports.store.deploys.forgetWaiters(dependency, waiters);
}
