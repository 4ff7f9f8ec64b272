/** What holds a deploy that has not ended: its release, its layer, its turn, or the step that it is in. */
import type { WhyReason } from '../api/contract.ts';
import { type Deploy, isFinal } from '../core/deploy/deploy.ts';
import { EXPECTED } from '../core/documents/deploy.ts';
import { bound } from '../orchestration/dependencies.ts';
import type { Ports } from '../orchestration/ports.ts';
import type { Rights } from '../orchestration/rights.ts';
import type { DeployRow } from '../store/deploys.ts';
import { placeOf } from '../store/schema.ts';
import { clockTime, iso, listed, sinceWords } from './instant.ts';
import { readAttempt } from './release.ts';
import { readsRelease } from './seen.ts';
import { stepOf, waitDeadline } from './step.ts';
import { approvalReason, queueReason, scheduledReason } from './why-waiting.ts';
import { aboutDeploy, aboutRelease, because, closedReason, pausedReason, stateWords } from './why-words.ts';

/** A deploy that others wait for, and the way from the one that was asked about: `web → api → db`. */
interface Root {
  readonly row: DeployRow;
  readonly path: readonly string[];
}

interface Roots {
  readonly roots: readonly Root[];
  /** There is no such deploy any more. */
  readonly gone: readonly string[];
  /** Not begun yet, or not the caller's to see: only their ids are told. */
  readonly opaque: readonly string[];
}

/** Deploys looked at in one answer; a chain that is longer is told up to there. */
const MOST_LOOKED_AT = 1_000;

/** Dependencies of a deploy that have not succeeded, each followed to what does not itself wait for dependencies. */
async function openRoots(ports: Ports, deploy: Deploy, rights: Rights): Promise<Roots> {
  const roots: Root[] = [];
  const gone: string[] = [];
  const opaque: string[] = [];
  const seen = new Set<string>();
  let next = [{ ids: await bound(ports, deploy.identity), path: [] as readonly string[] }];
  while (next.length > 0 && seen.size < MOST_LOOKED_AT) {
    const wave = next.flatMap(({ ids, path }) => ids.filter((id) => !seen.has(id)).map((id) => ({ id, path })));
    const rows = await ports.store.deploys.readMany(wave.map(({ id }) => id));
    next = [];
    for (const { id, path } of wave) {
      if (seen.has(id)) continue;
      seen.add(id);
      const row = rows.get(id);
      if (id.startsWith(EXPECTED)) opaque.push(id);
      else if (row === undefined) gone.push(id);
      else if (!rights.may('deployment.read', row.deploy.identity)) opaque.push(id);
      else if (row.deploy.status.state === 'WAITING_DEPENDENCY') {
        next.push({ ids: await bound(ports, row.deploy.identity), path: [...path, id] });
      } else if (row.deploy.status.state !== 'SUCCESS') roots.push({ row, path: [...path, id] });
    }
  }
  return { roots, gone, opaque };
}

/** From the nearest to the root: what it waits for, then what that is held by. */
export async function openReasons(ports: Ports, row: DeployRow, rights: Rights): Promise<WhyReason[]> {
  const { deploy } = row;
  const reasons: WhyReason[] = [];
  if (deploy.status.state === 'WAITING_DEPENDENCY') {
    const { roots, gone, opaque } = await openRoots(ports, deploy, rights);
    const until = waitDeadline(row);
    for (const root of roots.slice(0, 5)) {
      reasons.push(dependencyReason(ports, deploy, root, until), ...(await ownReasons(ports, root.row, rights)));
    }
    if (roots.length > 5) {
      const rest = listed(roots.slice(5).map(({ row }) => row.deploy.identity.id));
      reasons.push({ code: 'dependency', text: `It also waits for ${rest}.` });
    }
    for (const id of opaque) reasons.push(opaqueReason(deploy, id, until));
    for (const id of gone) {
      reasons.push({
        code: 'dependency',
        text: `There is no deploy ${id} any more: the wait for it ends without success.`,
      });
    }
    if (roots.length > 0 || opaque.length > 0) return unique(reasons);
  }
  return unique([...reasons, ...(await ownReasons(ports, row, rights))]);
}

function dependencyReason(ports: Ports, deploy: Deploy, { row, path }: Root, until: number | undefined): WhyReason {
  const [first = '', ...later] = path;
  const chain = later.length === 0 ? '' : `, which waits for ${later.join(', which waits for ')}`;
  const { identity, status } = row.deploy;
  const gives = until === undefined ? '' : ` It gives up at ${clockTime(until)}.`;
  return {
    code: 'dependency',
    text: `${deploy.identity.id} waits for ${first}${chain}: ${stateWords(row.deploy, ports.now())}.${gives}`,
    since: iso(deploy.status.since),
    ...(until !== undefined && { until: iso(until) }),
    ...aboutDeploy(identity.id),
    ...(isFinal(status.state) && { unblock: 'It has ended: the wait ends in a moment, without success.' }),
  };
}

/** A dependency of which nothing can be told but that it is waited for. */
function opaqueReason({ identity, status }: Deploy, id: string, until: number | undefined): WhyReason {
  const expected = id.startsWith(EXPECTED);
  const what = expected ? `${id.slice(EXPECTED.length)}, which no pipeline has started yet` : id;
  return {
    code: 'dependency',
    text: `${identity.id} waits for ${what}.`,
    since: iso(status.since),
    ...(until !== undefined && { until: iso(until) }),
    ...(expected && {
      unblock: 'It goes on when that pipeline has reported the start and the success of that version.',
    }),
  };
}

/** Another pipeline runs it. */
function externalReason(ports: Ports, { deploy }: DeployRow): WhyReason {
  const { identity, status } = deploy;
  const { pipeline, overdueAt } = identity.external ?? {};
  const now = ports.now();
  const overdue =
    overdueAt === undefined || overdueAt > now
      ? ''
      : ` It is overdue since ${clockTime(overdueAt)}: its service is asked, where that can be.`;
  return {
    code: 'step',
    text: `${identity.id} is run by the pipeline ${pipeline} ${sinceWords(status.since, now)}.${overdue}`,
    since: iso(status.since),
    ...aboutDeploy(identity.id),
    unblock: 'That pipeline reports its end; nobody can steer it from here.',
  };
}

/** What holds a deploy beside its dependencies. */
async function ownReasons(ports: Ports, row: DeployRow, rights: Rights): Promise<WhyReason[]> {
  const { status } = row.deploy;
  if (isFinal(status.state)) return [];
  const asked = scheduledReason(row.deploy) ?? (await approvalReason(ports, row.deploy));
  if (asked !== undefined) return [asked];
  if (row.deploy.identity.kind === 'external') return [externalReason(ports, row)];
  if (status.state !== 'WAITING_DEPENDENCY' && status.state !== 'ENQUEUED') return [stepReason(ports, row)];
  const held = await releaseReasons(ports, row, rights);
  if (held.length > 0) return held;
  const queued = await queueReason(ports, row.deploy, rights);
  if (queued !== undefined) return [queued];
  if (row.wait?.for === 'turn') {
    const turn = await turnReason(ports, row);
    if (turn !== undefined) return [turn];
  }
  return [startingReason(ports, row)];
}

/** Its release is paused or closed, or its layer has not come. */
async function releaseReasons(ports: Ports, row: DeployRow, rights: Rights): Promise<WhyReason[]> {
  const { release: own, id, kind } = row.deploy.identity;
  const found = own && (await ports.store.releases.read(own.id));
  if (own === undefined || found === undefined) return [];
  const { release } = found;
  if (!(await readsRelease(ports, rights, own.id))) return hiddenRelease(row, own.id);
  const reasons: WhyReason[] = [];
  const paused = await pausedReason(ports, release);
  if (paused !== undefined) reasons.push(paused);
  const closed = kind === 'rollback' ? undefined : closedReason(release, ports.now());
  if (closed !== undefined) reasons.push(closed);
  if (reasons.length > 0 || row.wait !== undefined || row.branchToken !== undefined || kind === 'rollback')
    return reasons;

  const { places, plan } = await readAttempt(ports, release);
  const layer = places.find((place) => place.id === id)?.layer ?? 0;
  const before = places.filter((place) => place.layer < layer && !hasEnded(place.row));
  if (before.length === 0 || plan.start === 'eager') return [];
  const names = listed(before.map(({ planned }) => planned.name));
  const text = `${id} waits for its layer, ${layer + 1} of ${plan.layers.length}: it starts when ${names} of the layers before ${before.length === 1 ? 'has' : 'have'} ended.`;
  const running = before.flatMap((place) => place.row ?? []).find(({ deploy }) => 'startedAt' in deploy.status);
  return [
    {
      code: 'layer',
      text,
      since: iso(row.deploy.status.since),
      ...(running && aboutDeploy(running.deploy.identity.id)),
    },
    ...(running === undefined ? [] : [stepReason(ports, running)]),
  ];
}

/** What else a release holds, and why, is for whoever may read all of it. */
function hiddenRelease({ deploy: { identity, status }, wait, branchToken }: DeployRow, release: string): WhyReason[] {
  // Once it has begun, what holds it is its own.
  if (wait !== undefined || branchToken !== undefined) return [];
  return [
    {
      code: 'layer',
      text: `${identity.id} waits until its release ${release} lets it start.`,
      since: iso(status.since),
      ...aboutRelease(release),
      unblock: 'You may not see all of that release; ask somebody who may.',
    },
  ];
}

function hasEnded(row: DeployRow | undefined): boolean {
  return row !== undefined && isFinal(row.deploy.status.state);
}

/** Another deploy runs where this one goes: one at a time. */
async function turnReason(ports: Ports, row: DeployRow): Promise<WhyReason | undefined> {
  const { identity, status } = row.deploy;
  const { holder, waiting } = await ports.store.turns.read(placeOf(identity));
  if (holder === undefined || holder === identity.id) return undefined;
  const held = await ports.store.deploys.read(holder);
  const before = waiting.indexOf(identity.id);
  // Where there are slots it stands in their line, not in that of its place.
  const next = before === -1 ? '' : ' It is the next.';
  const others = before <= 0 ? next : ` ${before} more ${before === 1 ? 'is' : 'are'} before it.`;
  const who = held === undefined ? `${holder} holds the turn` : stateWords(held.deploy, ports.now());
  const ends = held && stepOf(held)?.timeoutAt;
  return {
    code: 'turn',
    text: `${identity.id} waits for its turn in ${identity.application} in ${identity.environment}, where one deploy runs at a time: ${who}.${others}`,
    since: iso(status.since),
    ...(ends !== undefined && { until: iso(ends) }),
    ...aboutDeploy(holder),
    unblock:
      held === undefined
        ? 'The next sweep takes the turn from it.'
        : `${holder} ends by itself${ends === undefined ? '' : `, at ${clockTime(ends)} at the latest`}; ${held.deploy.identity.submittedBy}, who submitted it, can tell, and cancelling it frees the turn.`,
  };
}

function stepReason(ports: Ports, row: DeployRow): WhyReason {
  const { identity, status } = row.deploy;
  const { id, kind, rollsBack } = identity;
  const plugin = row.job?.plugin ?? identity.plugin;
  const now = ports.now();
  if (status.state === 'RUNNING' && status.cancellation !== undefined) {
    const { by, at, reason } = status.cancellation;
    return {
      code: 'cancelling',
      text: `${id} was cancelled by ${by} (${because(reason)}), and its job is being stopped ${sinceWords(at, now)}.`,
      since: iso(at),
      ...aboutDeploy(id),
      unblock:
        'Nobody need do anything: when its job cannot be stopped it ends by itself, at its timeout at the latest.',
    };
  }
  const step = stepOf(row);
  const since = step?.since ?? status.since;
  const timeout = step?.timeoutAt;
  const rest = { since: iso(since), ...(timeout !== undefined && { until: iso(timeout) }), ...aboutDeploy(id) };
  const ends =
    timeout === undefined ? 'It ends by itself.' : `It ends by itself; its timeout stops it at ${clockTime(timeout)}.`;
  if (status.state === 'ROLLING_BACK') {
    const text = `${id} failed (${because(status.failure.message)}), and the rollback of the plugin ${plugin} runs ${sinceWords(since, now)}.`;
    return { code: 'rolling-back', text, ...rest, unblock: `${ends} Its log: renga log ${id}.` };
  }
  if (step?.name === 'Conclude') {
    return {
      code: 'step',
      text: `${id} has done its work, and what came of it is being written down ${sinceWords(since, now)}.`,
      ...rest,
    };
  }
  const purpose = kind === 'rollback' ? `, which takes back ${rollsBack}` : '';
  return {
    code: 'step',
    text: `${id}${purpose} is RUNNING: step "${step?.name ?? 'Deploy'}"${step?.which === undefined ? '' : ` (${step.which})`} with the plugin ${step?.plugin ?? plugin} ${sinceWords(since, now)}.`,
    ...rest,
    unblock: `${ends} Its log says how far it is: renga log ${id}. ${identity.submittedBy} submitted it.`,
  };
}

function startingReason(ports: Ports, row: DeployRow): WhyReason {
  const { identity, status } = row.deploy;
  return {
    code: 'starting',
    text: `Nothing holds ${identity.id}: it is about to start (${status.state} ${sinceWords(status.since, ports.now())}).`,
    since: iso(status.since),
    ...aboutDeploy(identity.id),
    unblock: 'Nobody need do anything: if its start was lost, the next sweep starts it.',
  };
}

/** The same thing may hold several: it is told once. */
function unique(reasons: readonly WhyReason[]): WhyReason[] {
  const seen = new Set<string>();
  return reasons.filter(({ text }) => !seen.has(text) && seen.add(text));
}
