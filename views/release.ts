/** A release as people see it: its head, and each of its deploys in the plan's order, recorded yet or not. */
import type { ReleaseDeploy, ReleaseSummary, ReleaseView } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import { type Deploy, shownState } from '../core/deploy/deploy.ts';
import { ReleaseDocument, type ReleaseEntry } from '../core/documents/release.ts';
import { type Plan, type PlannedDeploy, planRelease } from '../core/plan/plan.ts';
import { deployIdOf } from '../core/release/ids.ts';
import type { Release } from '../core/release/release.ts';
import { rollbacksOf } from '../orchestration/conclude-release.ts';
import type { Ports } from '../orchestration/ports.ts';
import { keptDeploys } from '../orchestration/retry-release.ts';
import { type Rights, rightsOf } from '../orchestration/rights.ts';
import { executionArn } from '../statemachines/names.ts';
import type { DeployRow } from '../store/deploys.ts';
import { exportsView } from './exports.ts';
import { iso } from './instant.ts';
import type { Links } from './links.ts';
import { rollbackStateOf, type Sequence } from './rollback-state.ts';
import { asSeen, releaseSeen } from './seen.ts';
import { approvalView, type QueueState, queueState, queueView } from './waiting.ts';

/** One deploy's place in the current attempt of a release. */
export interface Place {
  readonly planned: PlannedDeploy;
  readonly entry: ReleaseEntry;
  readonly id: string;
  readonly layer: number;
  readonly kept: boolean;
  /** Absent until it is recorded. */
  readonly row: DeployRow | undefined;
}

/** Everything about the current attempt of a release that its views are made of. */
export interface Attempted extends Sequence {
  readonly plan: Plan;
  readonly places: readonly Place[];
}

export async function readAttempt(ports: Ports, release: Release): Promise<Attempted> {
  const [body, kept] = await Promise.all([
    ports.store.bodies.get(release.identity.document),
    keptDeploys(ports, release.attempt),
  ]);
  const document = ReleaseDocument.parse(body);
  const plan = planRelease(document);
  const entries = new Map(document.deploys.map((entry) => [entry.name, entry]));
  const idOf = ({ name, id }: PlannedDeploy) => kept.get(name) ?? deployIdOf(id, release.attempt.number);
  const [rows, rollbacks] = await Promise.all([
    ports.store.deploys.readMany(plan.deploys.map(idOf)),
    rollbacksOf(
      ports,
      release,
      plan.deploys.map(({ name }) => name),
    ),
  ]);
  const places = plan.layers.flatMap((deploys, layer) =>
    deploys.flatMap((planned): Place[] => {
      const entry = entries.get(planned.name);
      if (entry === undefined) return [];
      const [id, stays] = [idOf(planned), kept.has(planned.name)];
      const row = rows.get(id);
      // A deploy of this id may be another's: then this one was refused and never recorded.
      const own = row !== undefined && (stays || isOf(row.deploy, release));
      return [{ planned, entry, id, layer, kept: stays, row: own ? row : undefined }];
    }),
  );
  return {
    release,
    plan,
    places,
    deploys: new Map(places.flatMap(({ planned, row }) => (row === undefined ? [] : [[planned.name, row.deploy]]))),
    rollbacks: new Map([...rollbacks].map(([name, { deploy }]) => [name, deploy])),
  };
}

function isOf({ identity }: Deploy, { identity: { id }, attempt }: Release): boolean {
  return identity.release?.id === id && identity.release.attempt === attempt.number;
}

export function releaseSummary({ identity, attempt, status }: Release): ReleaseSummary {
  const { id, mode, start, onFailure, deploys, submittedBy, createdAt } = identity;
  const pending = status.state === 'PENDING';
  return {
    id,
    attempt: attempt.number,
    state: status.state,
    ...(pending && { phase: status.phase }),
    paused: pending && status.paused,
    mode,
    start,
    onFailure,
    deployCount: deploys,
    submittedBy,
    createdAt: iso(createdAt),
    startedAt: iso(attempt.startedAt),
    since: iso(status.since),
    ...(!pending && { endedAt: iso(status.endedAt) }),
    ...(status.failure !== undefined && { error: status.failure }),
  };
}

export interface ReleaseSeen {
  readonly links?: Links | undefined;
  /** Who sees it: also of what its deploys waited for outside of it, only what they may read is told. */
  readonly by: Actor;
}

export async function releaseView(ports: Ports, whole: Release, { links, by }: ReleaseSeen): Promise<ReleaseView> {
  const rights = await rightsOf(ports, by);
  const release = await releaseSeen(ports, rights, whole);
  const attempted = await attemptSeen(ports, rights, release);
  const queues = await queuesOf(ports, attempted.places);
  const { machine, execution: name } = release.attempt;
  const arn = executionArn(machine.arn, name);
  return {
    ...releaseSummary(release),
    execution: { arn, name, ...(links !== undefined && { link: links(arn) }) },
    deploys: await Promise.all(attempted.places.map((place) => releaseDeploy(ports, attempted, place, queues))),
  };
}

/** The queues that deploys of it have come to, by environment. */
async function queuesOf(ports: Ports, places: readonly Place[]): Promise<ReadonlyMap<string, QueueState>> {
  const waiting = places.flatMap(({ row }) => (row !== undefined && isInLine(row) ? [row] : []));
  const names = [...new Set(waiting.map(({ deploy }) => deploy.identity.environment))];
  return new Map(await Promise.all(names.map(async (name) => [name, await queueState(ports, name)] as const)));
}

function isInLine({ deploy, wait }: DeployRow): boolean {
  return deploy.status.state === 'ENQUEUED' && wait?.for === 'turn';
}

/** The attempt with the words that the reader may have. */
export async function attemptSeen(ports: Ports, rights: Rights, release: Release): Promise<Attempted> {
  const attempted = await readAttempt(ports, release);
  if (rights.all) return attempted;
  const places = await Promise.all(
    attempted.places.map(async (place) => {
      const { row } = place;
      return row === undefined ? place : { ...place, row: { ...row, deploy: await asSeen(ports, rights, row.deploy) } };
    }),
  );
  return { ...attempted, places };
}

async function releaseDeploy(
  ports: Ports,
  attempted: Attempted,
  place: Place,
  queues: ReadonlyMap<string, QueueState>,
): Promise<ReleaseDeploy> {
  const { planned, entry, id, layer, kept, row } = place;
  const rollback = rollbackStateOf(planned.name, attempted);
  const taken = attempted.rollbacks.get(planned.name);
  // Only what declares exports has any, and only a success has them (I8).
  const exporting = row?.deploy.status.state === 'SUCCESS' && Object.keys(entry.descriptor.exports).length > 0;
  return {
    name: planned.name,
    id,
    layer,
    application: entry.descriptor.application,
    environment: entry.descriptor.environment,
    artifact: entry.descriptor.artifact,
    after: [...planned.after],
    external: [...planned.external],
    ...(row === undefined ? unrecorded(attempted.release, planned.name) : recorded(row.deploy)),
    ...(row !== undefined && waits(row, queues)),
    recorded: row !== undefined,
    kept,
    exports: exporting ? exportsView(await ports.store.deploys.exportsOf(id)) : {},
    rollbackState: rollback.state,
    ...(taken !== undefined && { rollbackId: taken.identity.id }),
    ...(rollback.error !== undefined && { rollbackError: rollback.error }),
  };
}

/** What it asks of people, and where it stands in line. */
function waits(row: DeployRow, queues: ReadonlyMap<string, QueueState>): Pick<ReleaseDeploy, 'approval' | 'queue'> {
  const approval = approvalView(row.deploy);
  const state = isInLine(row) ? queues.get(row.deploy.identity.environment) : undefined;
  const queue = state && queueView(row.deploy, state);
  return { ...(approval !== undefined && { approval }), ...(queue !== undefined && { queue }) };
}

function recorded({ status }: Deploy) {
  return {
    state: shownState(status.state),
    since: iso(status.since),
    ...('startedAt' in status && status.startedAt !== undefined && { startedAt: iso(status.startedAt) }),
    ...('endedAt' in status && { endedAt: iso(status.endedAt) }),
    ...('failure' in status && { error: status.failure }),
    ...('rolledBack' in status && status.rolledBack !== undefined && { rolledBack: status.rolledBack }),
    ...('revision' in status && { revision: status.revision }),
  };
}

/** A deploy that the release has not recorded: shown as ENQUEUED until it is, or as what became of it instead. */
function unrecorded({ status }: Release, name: string): Pick<ReleaseDeploy, 'state' | 'error' | 'endedAt'> {
  if (status.refused?.name === name) return { state: 'ERROR', error: status.refused.failure };
  if (status.state === 'PENDING') return { state: 'ENQUEUED' };
  const message = 'the release ended before this deploy was recorded';
  return { state: 'CANCELLED', error: { code: 'release-stopped', message }, endedAt: iso(status.endedAt) };
}
