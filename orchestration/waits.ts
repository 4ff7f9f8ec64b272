/** The waits of a deploy's machine. All note the token first and look second, so that no wake-up falls between (I7). */
import { isFinal } from '../core/deploy/deploy.ts';
import type { DeployRow } from '../store/deploys.ts';
import { advance } from './advance.ts';
import { decideDeploy } from './decide.ts';
import { judgeDependencies } from './dependencies.ts';
import { inParallel, type Ports, RENGA } from './ports.ts';
import { settleDeploy } from './settle.ts';

/** Waits until the instant of its schedule; a dependency that fails meanwhile ends it all the same. */
export async function awaitTime(ports: Ports, id: string, token: string): Promise<void> {
  const row = await ports.store.deploys.attach(id, { wait: { token, for: 'time', since: ports.now() } });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  const { after } = row.deploy.identity;
  if (row.deploy.status.state === 'SCHEDULED' && after.length > 0) await ports.store.deploys.registerWaiter(id, after);
  await advance(ports, id);
}

/** Waits until enough people have approved it, or one has rejected it, or the time for that is over. */
export async function awaitApproval(ports: Ports, id: string, token: string): Promise<void> {
  const row = await ports.store.deploys.attach(id, { wait: { token, for: 'approval', since: ports.now() } });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  await advance(ports, row);
}

/** Waits until every dependency has succeeded, or one can't any more. `timeIsOver`: it has waited as long as it may. */
export async function awaitDependencies(ports: Ports, id: string, token: string, timeIsOver = false): Promise<void> {
  const row = await ports.store.deploys.attach(id, { wait: { token, for: 'dependencies', since: ports.now() } });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  if (timeIsOver) return lookOnceMore(ports, row);
  const { state } = row.deploy.status;
  if (state === 'WAITING_DEPENDENCY' || state === 'SCHEDULED') {
    const { after } = row.deploy.identity;
    await ports.store.deploys.attach(id, { remaining: new Set(after) });
    await ports.store.deploys.registerWaiter(id, after);
  }
  await advance(ports, id);
}

/** What has succeeded in time has, whether anybody heard of it or not (I7); else the wait is over. */
async function lookOnceMore(ports: Ports, row: DeployRow): Promise<void> {
  const { status, identity } = row.deploy;
  const verdict = status.state === 'WAITING_DEPENDENCY' ? await judgeDependencies(ports, row) : undefined;
  if (verdict?.kind !== 'waiting') return advance(ports, identity.id);
  const message = `it waited ${identity.afterTimeoutSeconds} s for ${[...verdict.remaining].sort().join(', ')}`;
  const failure = { code: 'after-timeout', message };
  const decided = await decideDeploy(ports, row, RENGA, { type: 'dependency-failed', failure });
  if (decided.kind === 'refused') await advance(ports, identity.id);
  else await settleDeploy(ports, decided.row);
}

/** Waits until its release lets it start and it is its turn in its place. */
export async function awaitTurn(ports: Ports, id: string, token: string): Promise<void> {
  const row = await ports.store.deploys.attach(id, { wait: { token, for: 'turn', since: ports.now() } });
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
