/**
 * Looks at a deploy that waits, given by its id or by a row just read, and lets it go on if it can. Called when it comes
 * to a wait, when something it may be waiting for has happened, and by the sweep: as often as anybody likes, since every
 * step is a conditional write and a token answers once (I7).
 */
import { type DeployState, hasNotStarted, isFinal, mayHold } from '../core/deploy/deploy.ts';
import type { DeployEvent } from '../core/deploy/transition.ts';
import type { EnvironmentDocument } from '../core/documents/environment.ts';
import { approvalOf } from '../core/governance/approval.ts';
import { freezeOf, isExempt } from '../core/governance/freeze.ts';
import type { DeployRow } from '../store/deploys.ts';
import { nextSweep } from '../store/heads.ts';
import { placeOf } from '../store/schema.ts';
import { decideDeploy } from './decide.ts';
import { judgeDependencies, type Verdict } from './dependencies.ts';
import { gate } from './gate.ts';
import { inParallel, type Ports, RENGA } from './ports.ts';
import { answer, settleDeploy } from './settle.ts';
import { giveSlot, holdsSlot, leaveLine, takeSlot } from './slot.ts';

export async function advance(ports: Ports, target: string | DeployRow): Promise<void> {
  const row = typeof target === 'string' ? await ports.store.deploys.read(target) : target;
  if (row === undefined) return;
  const { state } = row.deploy.status;
  if (isFinal(state)) {
    // Its turn came after it had ended: pass it on.
    await answer(ports, row);
    return letGo(ports, row);
  }
  if (row.wait === undefined) {
    // Its layer has not come. Who was asked already has no more time for that.
    if (state === 'AWAITING_APPROVAL') await passWaits(ports, row);
    return;
  }
  if (!hasNotStarted(state)) {
    // It was let go on, but the machine may not have heard.
    await ports.machines.succeed(row.wait.token, {});
    return;
  }
  const ready = await passWaits(ports, row);
  if (ready === undefined || ready.row.wait === undefined) return;
  const { wait, deploy } = ready.row;
  if (wait.for !== 'turn') {
    if (isPast(wait.for, deploy.status.state)) await ports.machines.succeed(wait.token, {});
  } else if (deploy.status.state === 'ENQUEUED' || ready.events.length > 0) {
    await takeTurn(ports, ready.row, ready.events);
  }
}

const WAITS = ['time', 'dependencies', 'approval', 'turn'] as const;
const STATES: readonly DeployState[] = ['SCHEDULED', 'WAITING_DEPENDENCY', 'AWAITING_APPROVAL', 'ENQUEUED'];

function isPast(wait: (typeof WAITS)[number], state: DeployState): boolean {
  const at = STATES.indexOf(state);
  return at === -1 || at > WAITS.indexOf(wait);
}

interface Ready {
  readonly row: DeployRow;
  /** What has happened and is written together with the start that follows. */
  readonly events: readonly DeployEvent[];
}

/** Goes through the waits that are over, one after another; undefined when the deploy ended in one of them. */
async function passWaits(ports: Ports, row: DeployRow): Promise<Ready | undefined> {
  const { identity, status } = row.deploy;
  const { after } = identity;
  switch (status.state) {
    case 'SCHEDULED': {
      const verdict = await judgeScheduled(ports, row);
      if (verdict.kind === 'failed') return end(ports, row, { type: 'dependency-failed', failure: verdict.failure });
      if (ports.now() < status.at) return { row, events: [] };
      const approval = after.length > 0 ? undefined : await approvalAsked(ports, row);
      return goOn(ports, row, { type: 'due', approval });
    }
    case 'WAITING_DEPENDENCY': {
      const verdict = await judgeDependencies(ports, row);
      if (verdict.kind === 'failed') return end(ports, row, { type: 'dependency-failed', failure: verdict.failure });
      if (verdict.kind === 'waiting') {
        await follow(ports, row, verdict.remaining);
        return { row, events: [] };
      }
      const approval = await approvalAsked(ports, row);
      const event: DeployEvent = { type: 'dependencies-succeeded', approval };
      // Where its turn is next, the end of the wait and the start are one write.
      if (approval === undefined && row.wait?.for === 'turn') return { row, events: [event] };
      return goOn(ports, row, event);
    }
    case 'AWAITING_APPROVAL':
      if (ports.now() < status.expiresAt) return { row, events: [] };
      return end(ports, row, { type: 'approval-expired' });
    default:
      return { row, events: [] };
  }
}

async function approvalAsked(ports: Ports, { deploy: { identity } }: DeployRow) {
  return approvalOf(await ports.store.settings.environment(identity.environment), identity, ports.now());
}

async function goOn(ports: Ports, row: DeployRow, event: DeployEvent): Promise<Ready | undefined> {
  const decided = await decideDeploy(ports, row, RENGA, event);
  if (decided.kind === 'refused') return undefined;
  // Approvers are told at once. All else goes out with the start that follows, or with the sweep if nothing follows.
  if (decided.kind === 'changed' && decided.row.deploy.status.state === 'AWAITING_APPROVAL')
    await settleDeploy(ports, decided.row);
  return passWaits(ports, decided.row);
}

/** Before its instant a deploy hears of failures alone; also of what was only expected, under the id that it began with. */
async function judgeScheduled(ports: Ports, row: DeployRow): Promise<Verdict> {
  const verdict = await judgeDependencies(ports, row);
  const { id, after } = row.deploy.identity;
  const begun = verdict.kind === 'waiting' ? verdict.remaining.filter((each) => !after.includes(each)) : [];
  if (begun.length === 0) return verdict;
  await ports.store.deploys.registerWaiter(id, begun);
  return judgeDependencies(ports, row);
}

/** Follows what a deploy still waits for. */
async function follow(ports: Ports, row: DeployRow, remaining: readonly string[]): Promise<void> {
  const { id } = row.deploy.identity;
  // A layer's deploys register when they find something missing; the others did as they came to their wait.
  if (row.wait?.for === 'turn') return ports.store.deploys.registerWaiter(id, remaining);
  const known = row.remaining;
  const fresh = remaining.filter((dependency) => !known.has(dependency));
  if (fresh.length > 0) {
    // What was only expected has begun, under an id of its own.
    await ports.store.deploys.attach(id, { remaining: new Set(remaining) });
    await ports.store.deploys.registerWaiter(id, fresh);
    return advance(ports, id);
  }
  // A success whose wake-up was lost would stand among what remains for good, and hold back every later wake-up.
  const missed = [...known].filter((dependency) => !remaining.includes(dependency));
  if (missed.length > 0) await ports.store.deploys.dependenciesSucceeded(id, missed);
}

/** Starts the deploy if its release and its environment let it, and it is its turn in its place. */
async function takeTurn(ports: Ports, row: DeployRow, events: readonly DeployEvent[]): Promise<void> {
  const { identity } = row.deploy;
  if (identity.dryRun === true) return start(ports, row, events);
  const passage = await gate(ports, identity);
  if (passage.kind === 'closed') return void (await end(ports, row, { type: 'cancel', reason: passage.reason }));
  // A pause may last for days: whoever is behind it in line must not wait for its end.
  if (passage.kind === 'held') return letGo(ports, row);
  const environment = await ports.store.settings.environment(identity.environment);
  const freeze = isExempt(identity) ? undefined : freezeOf(environment, ports.now());
  if (freeze !== undefined) return stayInLine(ports, await enqueued(ports, row, events), environment, freeze.until);
  if (environment?.concurrency !== undefined) {
    const { holds, served } = await takeSlot(ports, row, environment);
    if (!holds) await leaveTurn(ports, await enqueued(ports, row, events));
    await inParallel(served, (other) => advance(ports, other));
    if (!holds) return;
  } else {
    // There were slots when it came: from now on its place's line alone counts.
    await leaveLine(ports, row);
  }
  const urgent = identity.kind === 'rollback' || freezeOf(environment, ports.now()) !== undefined;
  if (await ports.store.turns.take(placeOf(identity), identity.id, { urgent })) return start(ports, row, events);
  await healTurn(ports, await enqueued(ports, row, events));
}

/** A deploy that does not start at once: what has happened to it is written without the start. */
async function enqueued(ports: Ports, row: DeployRow, events: readonly DeployEvent[]): Promise<DeployRow> {
  return events.length === 0 ? row : (await decideDeploy(ports, row, RENGA, ...events)).row;
}

/**
 * Who has no slot waits for no turn: it got in line for that when its environment had no slots yet, and would hold up
 * another of its place, who has one.
 */
async function leaveTurn(ports: Ports, { deploy: { identity } }: DeployRow): Promise<void> {
  const place = placeOf(identity);
  const { holder, waiting } = await ports.store.turns.read(place);
  if (holder !== identity.id && !waiting.includes(identity.id)) return;
  const next = await ports.store.turns.give(place, identity.id);
  if (next !== undefined) await advance(ports, next);
}

async function start(ports: Ports, row: DeployRow, events: readonly DeployEvent[]): Promise<void> {
  const decided = await decideDeploy(ports, row, RENGA, ...events, { type: 'started' });
  if (decided.kind === 'refused') return letGo(ports, row);
  const token = decided.row.wait?.token;
  if (token !== undefined) await ports.machines.succeed(token, {});
  if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
}

/** In a freeze: neither slot nor turn, but its place in line; it is looked at again when the freeze is over. */
async function stayInLine(
  ports: Ports,
  row: DeployRow,
  environment: EnvironmentDocument | undefined,
  until: number,
): Promise<void> {
  const { identity } = row.deploy;
  const now = ports.now();
  await ports.store.deploys.postpone(row, now, Math.min(until, nextSweep(now, row.sweeps + 1)));
  if (environment?.concurrency !== undefined) {
    if (await holdsSlot(ports, identity)) await letGo(ports, row);
    else await leaveTurn(ports, row);
    const { holds, served } = await takeSlot(ports, row, environment);
    await inParallel(served, (other) => advance(ports, other));
    // The freeze has ended in this moment.
    if (holds) await advance(ports, identity.id);
  } else {
    await leaveLine(ports, row);
    const others = await ports.store.turns.line(placeOf(identity), identity.id);
    await inParallel(others, (other) => advance(ports, other));
  }
}

/**
 * Whoever stands before it and could start is looked at: a holder that has ended and could not say so, one that was to be
 * told of its turn, the first in line for a turn that nobody holds.
 */
async function healTurn(ports: Ports, row: DeployRow): Promise<void> {
  const { identity } = row.deploy;
  const place = placeOf(identity);
  const { holder, waiting } = await ports.store.turns.read(place);
  const before = holder ?? waiting[0];
  if (before === undefined || before === identity.id) return;
  const found = await ports.store.deploys.read(before);
  if (found !== undefined && mayHold(found.deploy.status.state)) {
    if (hasNotStarted(found.deploy.status.state)) await advance(ports, found);
    return;
  }
  const next = await ports.store.turns.give(place, before);
  if (next !== undefined) await advance(ports, next);
}

/** Gives turn and slot, or the places in line for them, to who is next. */
export async function letGo(ports: Ports, row: DeployRow): Promise<void> {
  const { identity } = row.deploy;
  const next = await ports.store.turns.give(placeOf(identity), identity.id);
  const served = await giveSlot(ports, row);
  const others = new Set([...(next === undefined ? [] : [next]), ...served]);
  others.delete(identity.id);
  await inParallel([...others], (id) => advance(ports, id));
}

async function end(ports: Ports, row: DeployRow, event: DeployEvent): Promise<undefined> {
  const decided = await decideDeploy(ports, row, RENGA, event);
  if (decided.kind !== 'refused') await settleDeploy(ports, decided.row);
  return undefined;
}
