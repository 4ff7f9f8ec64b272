/**
 * The end of a deploy, written once. A success goes in steps that may each run twice: decided, made current, shown; then
 * everyone who waits is told.
 */
import { overdue } from '../core/deploy/course.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import type { DeployEvent } from '../core/deploy/transition.ts';
import type { Failure } from '../core/failure.ts';
import type { DeployRow } from '../store/deploys.ts';
import { configurationOf } from './configure.ts';
import { decideDeploy } from './decide.ts';
import { standingAt } from './next-job.ts';
import { type Ports, RENGA } from './ports.ts';
import { settleDeploy } from './settle.ts';

/** What went wrong in which step of the machine; absent when nothing did. */
export interface Mishap {
  readonly step: string;
  readonly error: string;
  readonly cause: string;
}

export interface DeployConclusion {
  readonly state: string;
  readonly error: string;
  readonly cause: string;
}

export async function concludeDeploy(ports: Ports, id: string, mishap?: Mishap): Promise<DeployConclusion> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  return conclusionOf(await conclude(ports, row, mishap));
}

async function conclude(ports: Ports, row: DeployRow, mishap: Mishap | undefined): Promise<DeployRow> {
  const { state } = row.deploy.status;
  if (isFinal(state)) {
    if (row.deploy.pending.length > 0) await settleDeploy(ports, row);
    return row;
  }
  if (state === 'CONCLUDING') return publish(ports, row);
  const decided = await decideDeploy(ports, row, RENGA, await endOf(ports, row, mishap));
  if (decided.kind === 'refused') {
    // Somebody else has decided since: what they decided is what is concluded.
    if (!isFinal(decided.row.deploy.status.state) && decided.row.deploy.seq === row.deploy.seq)
      throw new Error(decided.reason);
    return conclude(ports, decided.row, mishap);
  }
  if (decided.row.deploy.status.state === 'CONCLUDING') return publish(ports, decided.row);
  await settleDeploy(ports, decided.row);
  return decided.row;
}

async function endOf(ports: Ports, row: DeployRow, mishap: Mishap | undefined): Promise<DeployEvent> {
  const { status, identity } = row.deploy;
  if (status.state === 'ROLLING_BACK') {
    if (mishap?.step.includes('ollback') || mishap?.step === 'Roll back')
      return { type: 'failed', failure: await failureOf(ports, row, mishap) };
    return { type: 'rolled-back', rolledBack: row.rollbackResult?.outcome === 'success' };
  }
  if (status.state === 'WAITING_DEPENDENCY' && mishap?.error === 'States.Timeout') {
    const message = `it waited ${identity.afterTimeoutSeconds} s for ${[...row.remaining].sort().join(', ')}`;
    return { type: 'dependency-failed', failure: { code: 'after-timeout', message } };
  }
  if (status.state === 'RUNNING' && status.cancellation !== undefined && row.result?.outcome !== 'success')
    return { type: 'job-stopped' };
  if (row.result?.outcome === 'success') return { type: 'succeeded' };
  if (row.result?.failure !== undefined) return { type: 'failed', failure: row.result.failure };
  return { type: 'failed', failure: await failureOf(ports, row, mishap) };
}

export async function failureOf(ports: Ports, row: DeployRow, mishap: Mishap | undefined): Promise<Failure> {
  const { identity, status } = row.deploy;
  if (mishap === undefined) return { code: 'internal', message: 'its machine came to its end without a result' };
  if (mishap.error === 'States.Timeout' && row.configuration !== undefined) {
    const { course, progress } = await standingAt(ports, row);
    if (status.state !== 'ROLLING_BACK') return overdue(course.configuration, progress);
    const message = `${course.configuration.plugin} did not end within ${identity.timeoutSeconds} s and was stopped`;
    return { code: 'timeout', message };
  }
  return { code: 'start-failed', message: `step "${mishap.step}": ${mishap.error}: ${causeOf(mishap.cause)}` };
}

/** A function's error comes as JSON with a stack; a person needs its message. */
function causeOf(cause: string): string {
  const [, message] = /"errorMessage"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(cause) ?? [];
  return message === undefined ? cause : (JSON.parse(message) as string);
}

/** Makes the deploy current, then shows its success. Irrevocable since `CONCLUDING`. */
async function publish(ports: Ports, row: DeployRow): Promise<DeployRow> {
  const { id, application, environment, tenant, artifact, document, restores, dryRun } = row.deploy.identity;
  if (row.configuration === undefined) throw new Error(`${id} succeeded without a configuration`);
  if (dryRun === true) {
    const decided = await decideDeploy(ports, row, RENGA, { type: 'published' });
    await settleDeploy(ports, decided.row);
    return decided.row;
  }
  const { plugin } = await configurationOf(ports, row);
  const publication = {
    deploy: id,
    application,
    environment,
    tenant,
    artifact,
    plugin,
    configuration: row.configuration,
    // What is put back keeps the document that it came with.
    document: restores === undefined ? document : restores.document,
  };
  const revision = await ports.store.inventory.publish(publication, ports.now());
  const decided = await decideDeploy(ports, row, RENGA, { type: 'published', revision });
  await settleDeploy(ports, decided.row);
  return decided.row;
}

function conclusionOf({ deploy: { identity, status } }: DeployRow): DeployConclusion {
  if (!('failure' in status))
    return { state: status.state, error: status.state, cause: `${identity.id} ended ${status.state}` };
  return { state: status.state, error: status.failure.code, cause: status.failure.message };
}

/** A branch whose function could not be run at all: nothing will start its deploy. */
export async function concludeLostBranch(
  ports: Ports,
  branch: {
    readonly release: string;
    readonly attempt: number;
    readonly name: string;
    readonly error: string;
    readonly cause: string;
  },
): Promise<DeployConclusion> {
  const member = await ports.store.releases.member(branch.release, branch.attempt, branch.name);
  if (member === undefined) throw new Error(`${branch.release} has no deploy ${branch.name}`);
  const row = await ports.store.deploys.read(member.deploy);
  if (row === undefined) throw new Error(`there is no deploy ${member.deploy}`);
  const failure = { code: 'start-failed', message: `its branch failed: ${branch.error}: ${causeOf(branch.cause)}` };
  // Its machine may have been started all the same: then it runs on and ends by itself.
  const decided =
    row.wait === undefined ? await decideDeploy(ports, row, RENGA, { type: 'failed', failure }) : undefined;
  if (decided?.kind === 'changed') await settleDeploy(ports, decided.row);
  return conclusionOf(decided?.row ?? row);
}
