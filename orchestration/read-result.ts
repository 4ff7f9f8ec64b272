/** A job of a deploy has ended: what it came to is read once, and what follows is written in one conditional write. */
import { afterJob, type Onward } from '../core/deploy/course.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import { shortMessage, withEnded } from '../core/deploy/ended-job.ts';
import { ROLLBACK_KEY, tokenOf } from '../core/deploy/job-key.ts';
import { LIMITS } from '../core/documents/limits.ts';
import type { PluginResult } from '../plugins/contract.ts';
import type { NextJob } from '../statemachines/deploy-machine.ts';
import type { DeployRow, JobResult, RunningJob } from '../store/deploys.ts';
import { rollbackOf } from './job-request.ts';
import { keepOutputs } from './keep-outputs.ts';
import { forgetOutputs } from './kept-outputs.ts';
import { isBeingCancelled, nextJob, type Standing, standingAt } from './next-job.ts';
import type { Ports } from './ports.ts';
import { begin } from './run-job.ts';

/** `job`: key of the job that the machine has waited for. Called again, or late, it answers what follows now. */
export async function readResult(ports: Ports, id: string, job: string | undefined): Promise<NextJob> {
  const row = await existing(ports, id);
  if (row.result !== undefined) {
    await forget(ports, row.job);
    return { next: row.result.outcome };
  }
  if (isFinal(row.deploy.status.state)) {
    await forgetOutputs(ports, row);
    return { next: 'cancelled' };
  }
  const standing = await standingAt(ports, row);
  const { key } = standing.progress.place;
  if (row.job === undefined || row.job.token !== tokenOf(id, key)) {
    // The one before was read already; or this one was never noted, and is found again under its token.
    await forget(ports, row.job);
    return nextJob(standing, ports.now());
  }
  if (job !== undefined && job !== key) return nextJob(standing, ports.now());
  const end = await answerOf(ports, id, row.job);
  const onward = await judge(ports, standing, end);
  const written = await write(ports, standing, row.job, end, onward);
  if (written === undefined) throw new Error(`the job ${key} of ${id} was read by somebody else`);
  await forget(ports, row.job);
  if (onward.kind === 'job') return nextJob({ row: written, progress: onward.progress }, ports.now());
  return { next: written.result?.outcome ?? 'failed' };
}

type Verdict = Onward | { readonly kind: 'cancelled' };

async function judge(ports: Ports, standing: Standing, end: PluginResult): Promise<Verdict> {
  const { row, course, progress } = standing;
  const cancelled = isBeingCancelled(row);
  if (cancelled && end.status === 'error') return { kind: 'cancelled' };
  const onward = afterJob(course, progress, end, ports.now());
  if (cancelled && onward.kind === 'job') return { kind: 'cancelled' };
  if (end.status === 'error' || onward.kind === 'failed') return onward;
  const failure = await keepOutputs(ports, standing, end.outputs, onward.kind === 'succeeded');
  return failure === undefined ? onward : { kind: 'failed', failure };
}

/** Undefined when the job is no longer the one that is under way. */
function write(
  ports: Ports,
  { row, progress }: Standing,
  { plugin, name, startedAt }: RunningJob,
  { status, message }: PluginResult,
  verdict: Verdict,
): Promise<DeployRow | undefined> {
  const { id } = row.deploy.identity;
  const { key } = progress.place;
  const at = ports.now();
  if (verdict.kind !== 'job') return ports.store.deploys.noteJob(id, key, { result: { ...resultOf(verdict), at } });
  const ended = {
    key,
    plugin,
    name,
    startedAt,
    endedAt: at,
    outcome: status === 'success' ? ('success' as const) : ('failed' as const),
    ...(message !== undefined && { message: shortMessage(message) }),
  };
  const next = { progress: verdict.progress, jobs: withEnded(row.jobs ?? [], ended) };
  return ports.store.deploys.moveOn(id, key, next);
}

function resultOf(verdict: Exclude<Verdict, { kind: 'job' }>): JobResult {
  switch (verdict.kind) {
    case 'succeeded':
      return { outcome: 'success' };
    case 'failed':
      return { outcome: 'failed', failure: verdict.failure };
    case 'cancelled':
      return { outcome: 'cancelled' };
  }
}

/** Reads what the plugin's own rollback came to; nothing when there was nothing to take back. */
export async function readRollback(ports: Ports, id: string): Promise<void> {
  const row = await existing(ports, id);
  if (row.deploy.status.state !== 'ROLLING_BACK' || row.rollbackResult !== undefined) return forget(ports, row.job);
  const { job } = row;
  if (job === undefined || job.token !== tokenOf(id, ROLLBACK_KEY)) {
    // It ended before it was noted, and whoever was to note it is gone: found again under its token.
    const request = await rollbackOf(ports, await standingAt(ports, row));
    if (request !== undefined) await begin(ports, row, request);
    throw new Error(`the rollback of ${id} was not noted`);
  }
  const { status, message } = await answerOf(ports, id, job);
  const said = message ?? 'the plugin reported an error without saying which';
  const result: JobResult =
    status === 'success'
      ? { outcome: 'success' }
      : { outcome: 'failed', failure: { code: 'plugin-failed', message: said } };
  await ports.store.deploys.attach(id, { rollbackResult: { ...result, at: ports.now() } });
  await forget(ports, job);
}

async function answerOf(ports: Ports, id: string, job: RunningJob): Promise<PluginResult> {
  const answer = await ports.plugins.get(job.plugin)?.read(job.name);
  if (answer === undefined) throw new Error(`the job ${job.token} of ${id} still runs`);
  const count = Object.keys(answer.outputs).length;
  if (count <= LIMITS.pluginOutputs) return answer;
  // Most plugins hand on whatever the job gave: the limit holds for all of them here.
  return { status: 'error', outputs: {}, message: `it gave ${count} outputs; the limit is ${LIMITS.pluginOutputs}` };
}

/** Its result is recorded: what it left of its outputs goes (I8). */
async function forget(ports: Ports, job: RunningJob | undefined): Promise<void> {
  if (job !== undefined) await ports.plugins.get(job.plugin)?.forget?.(job.name);
}

async function existing(ports: Ports, id: string): Promise<DeployRow> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  return row;
}
