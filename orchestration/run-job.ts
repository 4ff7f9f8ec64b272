/** A job of a deploy begins: it is started under a token of its own, or found again under it. */
import { isFinal } from '../core/deploy/deploy.ts';
import { withEnded } from '../core/deploy/ended-job.ts';
import { ROLLBACK_KEY } from '../core/deploy/job-key.ts';
import { ENDED } from '../statemachines/functions.ts';
import type { DeployRow } from '../store/deploys.ts';
import { failureOf, type Mishap } from './conclude-deploy.ts';
import { decideDeploy } from './decide.ts';
import { endedJobOf } from './ended-jobs.ts';
import { jobEnded } from './job-ended.ts';
import { type JobRequest, requestOf, rollbackOf } from './job-request.ts';
import { isBeingCancelled, standingAt } from './next-job.ts';
import { type Ports, RENGA } from './ports.ts';
import { settleDeploy, summary } from './settle.ts';

export interface JobCall {
  readonly id: string;
  readonly operation: 'deploy' | 'rollback';
  /** Key of the job that the machine was told to run; absent in executions of an earlier definition. */
  readonly job?: string | undefined;
  readonly taskToken: string;
  readonly mishap?: Mishap | undefined;
}

export async function runJob(ports: Ports, call: JobCall): Promise<void> {
  const { id, taskToken } = call;
  const found = call.job === undefined || call.operation === 'rollback' ? await existing(ports, id) : undefined;
  if (call.operation === 'rollback' && found !== undefined) return runRollback(ports, found, call);
  const key = call.job ?? (found === undefined ? '' : (await standingAt(ports, found)).progress.place.key);
  // Storing the token and reading the state is one write: whoever cancels sees the job, or this sees that it is cancelled.
  const row = await ports.store.deploys.comeTo(id, key, taskToken);
  if (row === undefined || isFinal(row.deploy.status.state) || isBeingCancelled(row)) {
    return notStarted(ports, row ?? (await existing(ports, id)), taskToken);
  }
  await begin(ports, row, await requestOf(ports, await standingAt(ports, row)));
}

/** Its jobs have gone on from this one, or none may start any more: the machine goes on, and reads what follows. */
async function notStarted(ports: Ports, { deploy }: DeployRow, taskToken: string): Promise<void> {
  if (isFinal(deploy.status.state)) await ports.machines.fail(taskToken, ENDED, summary(deploy));
  else await ports.machines.succeed(taskToken, {});
}

/** The plugin's own rollback, once, where anything has begun. */
async function runRollback(ports: Ports, found: DeployRow, { taskToken, mishap }: JobCall): Promise<void> {
  const { id } = found.deploy.identity;
  const request =
    found.configuration === undefined ? undefined : await rollbackOf(ports, await standingAt(ports, found));
  if (request === undefined) return notStarted(ports, found, taskToken);
  const row = await ports.store.deploys.comeTo(id, ROLLBACK_KEY, taskToken);
  if (row === undefined || isFinal(row.deploy.status.state) || isBeingCancelled(row)) {
    return notStarted(ports, row ?? found, taskToken);
  }
  const failure = row.result?.failure ?? (await failureOf(ports, row, mishap));
  const decided = await decideDeploy(ports, row, RENGA, { type: 'rolling-back', failure });
  if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
  if (decided.kind === 'refused') return notStarted(ports, decided.row, taskToken);
  await begin(ports, decided.row, request);
}

/** Starts the job, or finds the one that was started under the same token, and notes it. */
export async function begin(ports: Ports, row: DeployRow, { plugin, key, request }: JobRequest): Promise<void> {
  const carrier = ports.plugins.get(plugin);
  if (carrier === undefined) throw new Error(`there is no plugin "${plugin}" here`);
  const { id } = row.deploy.identity;
  const token = request.idempotencyToken;
  const { job: name } = await carrier.start(request);
  const again = row.job?.token === token ? row.job.startedAt : undefined;
  const failed = key === ROLLBACK_KEY && row.job !== undefined && row.job.token !== token;
  const noted = await ports.store.deploys.noteJob(id, key, {
    job: { token, plugin, name, startedAt: again ?? ports.now() },
    // The job that failed would be forgotten: its place in the row is taken.
    ...(failed && { jobs: withEnded(row.jobs ?? [], endedJobOf(row, row.job, ports.now())) }),
  });
  // It was cancelled, or its time was over, while it was being started and there was no job to stop yet.
  const unwanted = noted === undefined || isFinal(noted.deploy.status.state) || isBeingCancelled(noted);
  if (unwanted && (await carrier.stop(name)) === 'stopped') await jobEnded(ports, token);
}

async function existing(ports: Ports, id: string): Promise<DeployRow> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  return row;
}
