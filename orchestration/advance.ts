/**
 * Looks at a deploy that waits, given by its id or by a row just read, and lets it go on if it can. Called when it comes
 * to a wait, when something it may be waiting for has happened, and by the sweep: as often as anybody likes, since every
 * step is a conditional write and a token answers once (I7).
 */
import { isFinal } from '../core/deploy/deploy.ts';
import type { DeployEvent } from '../core/deploy/transition.ts';
import type { DeployRow } from '../store/deploys.ts';
import { placeOf } from '../store/schema.ts';
import { decideDeploy } from './decide.ts';
import { judgeDependencies } from './dependencies.ts';
import { gate } from './gate.ts';
import { type Ports, RENGA } from './ports.ts';
import { answer, settleDeploy } from './settle.ts';

export async function advance(ports: Ports, target: string | DeployRow): Promise<void> {
  const row = typeof target === 'string' ? await ports.store.deploys.read(target) : target;
  if (row === undefined) return;
  const { id } = row.deploy.identity;
  const { state } = row.deploy.status;
  if (isFinal(state)) {
    // Its turn came after it had ended: pass it on.
    await answer(ports, row);
    return passTurn(ports, placeOf(row.deploy.identity), id);
  }
  if (row.wait === undefined) return;
  if (state === 'WAITING_DEPENDENCY' || state === 'ENQUEUED') {
    await (row.wait.for === 'dependencies' ? endWait(ports, row) : takeTurn(ports, row));
  } else if (row.wait.for === 'turn') {
    // It was let go on, but the machine may not have heard.
    await ports.machines.succeed(row.wait.token, {});
  }
}

/** Ends the wait for dependencies, one way or the other, when all of them have said their word. */
async function endWait(ports: Ports, row: DeployRow): Promise<void> {
  const { id, after } = row.deploy.identity;
  if (row.deploy.status.state === 'WAITING_DEPENDENCY') {
    const verdict = await judgeDependencies(ports, after);
    if (verdict.kind === 'waiting') {
      // A success whose wake-up was lost would stand among what remains for good, and hold back every later wake-up.
      const missed = [...row.remaining].filter((dependency) => !verdict.remaining.includes(dependency));
      if (missed.length > 0) await ports.store.deploys.dependenciesSucceeded(id, missed);
      return;
    }
    if (verdict.kind === 'failed') return end(ports, row, { type: 'dependency-failed', failure: verdict.failure });
    const decided = await decideDeploy(ports, row, RENGA, { type: 'dependencies-succeeded' });
    if (decided.kind === 'refused') return;
  }
  // Audit and event of the end of the wait go out with the start that follows, or with the sweep if nothing follows.
  if (row.wait !== undefined) await ports.machines.succeed(row.wait.token, {});
}

/** Starts the deploy if its dependencies have succeeded, its release lets it, and it is its turn in its place. */
async function takeTurn(ports: Ports, row: DeployRow): Promise<void> {
  const { identity, status } = row.deploy;
  const { id } = identity;
  const events: DeployEvent[] = [];
  if (status.state === 'WAITING_DEPENDENCY') {
    const verdict = await judgeDependencies(ports, identity.after);
    if (verdict.kind === 'failed') return end(ports, row, { type: 'dependency-failed', failure: verdict.failure });
    if (verdict.kind === 'waiting') return ports.store.deploys.registerWaiter(id, verdict.remaining);
    events.push({ type: 'dependencies-succeeded' });
  }
  const passage = await gate(ports, identity);
  if (passage.kind === 'closed') return end(ports, row, { type: 'cancel', reason: passage.reason });
  const place = placeOf(identity);
  // A pause may last for days: whoever is behind it in line must not wait for its end.
  if (passage.kind === 'held') return passTurn(ports, place, id);
  if (!(await ports.store.turns.take(place, id, identity.kind === 'rollback'))) return healTurn(ports, place);
  const decided = await decideDeploy(ports, row, RENGA, ...events, { type: 'started' });
  if (decided.kind === 'refused') return passTurn(ports, place, id);
  const token = decided.row.wait?.token;
  if (token !== undefined) await ports.machines.succeed(token, {});
  if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
}

/** Takes the turn from a holder that has ended and could not say so. */
async function healTurn(ports: Ports, place: string): Promise<void> {
  const { holder } = await ports.store.turns.read(place);
  if (holder === undefined) return;
  const row = await ports.store.deploys.read(holder);
  if (row !== undefined && !isFinal(row.deploy.status.state)) return;
  await passTurn(ports, place, holder);
}

async function passTurn(ports: Ports, place: string, from: string): Promise<void> {
  const next = await ports.store.turns.give(place, from);
  if (next !== undefined) await advance(ports, next);
}

async function end(ports: Ports, row: DeployRow, event: DeployEvent): Promise<void> {
  const decided = await decideDeploy(ports, row, RENGA, event);
  if (decided.kind !== 'refused') await settleDeploy(ports, decided.row);
}
