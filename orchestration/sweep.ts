/**
 * Looks again at whatever has not ended, or whose end has not been told everywhere: a wake-up whose event never came, an
 * execution that was never started or has died, a step cut off by a crash (I10). Everything here may run at any time and
 * beside itself.
 */
import { hasNotStarted, isFinal } from '../core/deploy/deploy.ts';
import { jobOfToken } from '../core/deploy/job-key.ts';
import { executionName } from '../statemachines/names.ts';
import type { DeployRow } from '../store/deploys.ts';
import { nextSweep } from '../store/heads.ts';
import type { ReleaseRow } from '../store/releases.ts';
import { advance } from './advance.ts';
import { cancelNotStarted } from './apply-policy.ts';
import { settleSetting } from './apply-setting.ts';
import { askService } from './ask-service.ts';
import { cancelDeploys } from './cancel.ts';
import { concludeDeploy } from './conclude-deploy.ts';
import { followStart } from './external.ts';
import { jobEnded } from './job-ended.ts';
import { concludeLostRelease, loseDeploy, loseRelease } from './lose-execution.ts';
import { inParallel, type Ports, RENGA } from './ports.ts';
import { runSchedule } from './schedules.ts';
import { settleDeploy, settleRelease } from './settle.ts';
import { countIn, holdsSlot } from './slot.ts';
import { begin } from './start-deploy.ts';
import { startRelease } from './submit-release.ts';

/** Rows of each kind in one sweep; more are left for the next. */
const SWEPT_AT_ONCE = 200;
/** Once in an engine's life: several of the largest releases. */
const SWEPT_AT_START = 5_000;

export interface Swept {
  readonly deploys: number;
  readonly releases: number;
}

/** What is due. */
export function sweep(ports: Ports): Promise<Swept> {
  return sweepUpTo(ports, ports.now(), SWEPT_AT_ONCE);
}

/** Whatever is open, due or not: events that an engine had in its hands when it was killed are told by nobody else. */
export function sweepAll(ports: Ports): Promise<Swept> {
  return sweepUpTo(ports, Number.MAX_SAFE_INTEGER, SWEPT_AT_START);
}

async function sweepUpTo(ports: Ports, instant: number, most: number): Promise<Swept> {
  const [deploys, releases, schedules, settings] = await Promise.all([
    ports.store.lists.due('deploy', instant, most),
    ports.store.lists.due('release', instant, most),
    ports.store.lists.due('schedule', ports.now(), most),
    ports.store.lists.unsettled(ports.now(), most),
  ]);
  await inParallel(settings, (key) => guarded(ports, `${key.pk} ${key.sk}`, () => settleSetting(ports, key)));
  await inParallel(schedules, (id) => guarded(ports, `schedule ${id}`, () => runSchedule(ports, id)));
  await inParallel(releases, (id) => guarded(ports, `release ${id}`, () => sweepRelease(ports, id)));
  await inParallel(deploys, (id) => guarded(ports, `deploy ${id}`, () => sweepDeploy(ports, id)));
  return { deploys: deploys.length, releases: releases.length };
}

/** One row that can't be mended must not keep the others from it; it is looked at again in the next sweep. */
async function guarded(ports: Ports, what: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    ports.report(`sweeping ${what} failed; it is tried again`, error);
  }
}

async function sweepDeploy(ports: Ports, id: string): Promise<void> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined) return;
  await ports.store.deploys.postpone(row, ports.now(), knownInstant(row, ports.now()));
  const { status, pending, identity } = row.deploy;
  if (isFinal(status.state)) return settleDeploy(ports, row);
  if (identity.kind === 'external') return sweepExternal(ports, row);
  if (pending.length > 0) await settleDeploy(ports, row);
  await mendDeploy(ports, row);
  // A later look at what is no longer there, in case the execution died without an event.
  const alive = await ports.machines.status(ports.deployMachine, executionName(identity.id));
  if (alive === undefined) {
    // Its release starts it when its layer comes; one that stands alone, or whose branch came, should have been started.
    if (identity.release === undefined || row.branchToken !== undefined) await begin(ports, row);
  } else if (alive !== 'RUNNING' && alive !== 'PENDING_REDRIVE') {
    await loseDeploy(ports, id, `${alive.toLowerCase()}, found by the sweep`);
  }
}

/** Its own pipeline drives it. */
async function sweepExternal(ports: Ports, row: DeployRow): Promise<void> {
  await followStart(ports, row);
  const { overdueAt } = row.deploy.identity.external ?? {};
  if (overdueAt !== undefined && overdueAt <= ports.now()) await askService(ports, row.deploy);
}

/** How long what only waits for an instant is left alone: longer than the sweep's usual pauses, in case its wake-up is lost. */
const UNTIL_LOOKED_AT = 3_600_000;

/** When something is known to happen to a deploy, if nobody does anything before. */
function knownInstant({ deploy: { identity, status }, sweeps }: DeployRow, now: number): number | undefined {
  const { overdueAt } = identity.external ?? {};
  if (overdueAt !== undefined && overdueAt > now) return Math.min(overdueAt, now + UNTIL_LOOKED_AT);
  if (status.state === 'SCHEDULED') {
    // A dependency may fail before that, and the wake-up be lost.
    const again = identity.after.length > 0 ? nextSweep(now, sweeps + 1) : now + UNTIL_LOOKED_AT;
    return Math.min(Math.max(status.at, now + 1_000), again);
  }
  if (status.state !== 'AWAITING_APPROVAL') return undefined;
  return Math.min(Math.max(status.expiresAt, now + 1_000), nextSweep(now, sweeps + 1));
}

/** It may have started just as its environment got slots, or whoever was to count it was cut off. */
async function countRunning(ports: Ports, row: DeployRow): Promise<void> {
  const { identity, status } = row.deploy;
  if (hasNotStarted(status.state) || identity.kind === 'external' || identity.dryRun === true) return;
  const environment = await ports.store.settings.environment(identity.environment);
  if (environment?.concurrency !== undefined && !(await holdsSlot(ports, identity))) await countIn(ports, row);
}

async function mendDeploy(ports: Ports, row: DeployRow): Promise<void> {
  const { identity, status } = row.deploy;
  if (status.state === 'CONCLUDING') {
    await concludeDeploy(ports, identity.id);
    return;
  }
  await advance(ports, identity.id);
  await countRunning(ports, row);
  const running = status.state === 'RUNNING' || status.state === 'ROLLING_BACK';
  // Between two jobs there is only the last one's end, which was read.
  if (!running || row.job === undefined || jobOfToken(row.job.token)?.key !== row.jobKey) return;
  const result = await ports.plugins.get(row.job.plugin)?.read(row.job.name);
  if (result !== undefined) await jobEnded(ports, row.job.token);
}

async function sweepRelease(ports: Ports, id: string): Promise<void> {
  const row = await ports.store.releases.read(id);
  if (row === undefined) return;
  await ports.store.releases.postpone(row, ports.now());
  const { release } = row;
  if (release.pending.length > 0) await settleRelease(ports, row);
  if (release.status.state !== 'PENDING') return;
  const { attempt } = release;
  const alive = await ports.machines.status(attempt.machine.arn, attempt.execution);
  if (alive === undefined) {
    await startRelease(ports, release);
  } else if (alive !== 'RUNNING' && alive !== 'PENDING_REDRIVE') {
    await loseRelease(ports, id, attempt.number, `${alive.toLowerCase()}, found by the sweep`);
  }
  await mendRelease(ports, row);
}

/** What a fence that was written still has to bring about, in case whoever wrote it was cut off. */
async function mendRelease(ports: Ports, row: ReleaseRow): Promise<void> {
  const { release } = row;
  if (release.status.state !== 'PENDING') return;
  const { phase, executionLost, failure } = release.status;
  if (phase === 'cancelling') await cancelDeploys(ports, row, RENGA, 'the release was cancelled');
  else if (phase === 'failing') await cancelNotStarted(ports, release, `the release stops: ${failure?.message}`);
  if (executionLost) await concludeLostRelease(ports, release.identity.id, release.attempt.number);
}
