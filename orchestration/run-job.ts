/** The plugin's part of a deploy: start its job under a token of its own, hear that it has ended, read its result. */
import { isFinal } from '../core/deploy/deploy.ts';
import { DeployDocument } from '../core/documents/deploy.ts';
import { checkExports } from '../core/exports/check.ts';
import type { PluginRequest, PluginResult } from '../plugins/contract.ts';
import { ENDED } from '../statemachines/functions.ts';
import type { DeployRow, JobResult } from '../store/deploys.ts';
import { entryOf } from '../store/inventory.ts';
import { failureOf, type Mishap } from './conclude-deploy.ts';
import { configurationOf } from './configure.ts';
import { decideDeploy } from './decide.ts';
import { type Ports, RENGA } from './ports.ts';
import { settleDeploy, summary } from './settle.ts';
import { stopJob } from './stop-job.ts';

export type Step = 'deploy' | 'rollback';

/** The machine's own timeout comes first; the plugin's is for a machine that is not there to see it. */
const PLUGIN_TIMEOUT_MARGIN_SECONDS = 15;

/** The same for every attempt at a step of a deploy, so that its job is started once (I10). */
function tokenOf(id: string, step: Step): string {
  return `${id}/${step}`;
}

function stepOf(token: string): { id: string; step: Step } | undefined {
  const [, id, step] = /^(.+)\/(deploy|rollback)$/.exec(token) ?? [];
  return id === undefined ? undefined : { id, step: step as Step };
}

export async function runJob(ports: Ports, id: string, step: Step, taskToken: string, mishap?: Mishap): Promise<void> {
  const row = await ports.store.deploys.attach(id, { jobToken: taskToken });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  if (isFinal(row.deploy.status.state)) {
    await ports.machines.fail(taskToken, ENDED, summary(row.deploy));
    return;
  }
  if (step === 'rollback') {
    const why = row.result?.failure ?? failureOf(mishap, row);
    const decided = await decideDeploy(ports, row, RENGA, { type: 'rolling-back', failure: why });
    if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
  }
  if (isBeingCancelled(row)) {
    await ports.machines.succeed(taskToken, {});
    return;
  }
  const { plugin } = row.deploy.identity;
  const carrier = ports.plugins.get(plugin);
  if (carrier === undefined) throw new Error(`there is no plugin "${plugin}" here`);
  const request = await requestOf(ports, row, step);
  const { job } = await carrier.start(request);
  const started = await ports.store.deploys.attach(id, { job: { token: request.idempotencyToken, plugin, name: job } });
  // Somebody may have cancelled it while it was being started, when there was no job to stop yet.
  if (started !== undefined && isBeingCancelled(started)) await stopJob(ports, started);
}

function isBeingCancelled({ deploy: { status } }: DeployRow): boolean {
  return status.state === 'RUNNING' && status.cancellation !== undefined;
}

async function requestOf(ports: Ports, row: DeployRow, step: Step): Promise<PluginRequest> {
  const { identity } = row.deploy;
  const before = entryOf(await ports.store.inventory.current(identity), identity.artifact.name);
  // The rollback of a deploy that failed half-way puts back what is current, as it was configured.
  const standing =
    step === 'rollback' && before !== undefined
      ? await ports.store.inventory.revision(identity, before.revision)
      : undefined;
  const { artifact, params } = await configurationOf(ports, standing ?? row);
  const undoes = step === 'rollback' || identity.kind === 'rollback';
  return {
    operation: undoes ? 'rollback' : 'deploy',
    deploy: {
      id: identity.id,
      application: identity.application,
      environment: identity.environment,
      ...(identity.release !== undefined && { release: identity.release.id }),
    },
    idempotencyToken: tokenOf(identity.id, step),
    artifact,
    params,
    ...(before !== undefined && {
      previous: { deploy: before.deploy, revision: before.revision, version: before.artifact.version },
    }),
    timeoutSeconds: identity.timeoutSeconds + PLUGIN_TIMEOUT_MARGIN_SECONDS,
  };
}

/** A plugin's job has ended: the machine that waits for it goes on, and reads the result itself. */
export async function jobEnded(ports: Ports, idempotencyToken: string): Promise<void> {
  const named = stepOf(idempotencyToken);
  if (named === undefined) return;
  const row = await ports.store.deploys.read(named.id);
  if (row === undefined || isFinal(row.deploy.status.state)) return;
  const inStep = row.deploy.status.state === (named.step === 'deploy' ? 'RUNNING' : 'ROLLING_BACK');
  if (row.jobToken !== undefined && inStep) await ports.machines.succeed(row.jobToken, {});
}

/** Reads what the job came to; keeps the declared exports only, and only if they are valid (I8). */
export async function readResult(ports: Ports, id: string, step: Step): Promise<JobResult> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  const known = step === 'deploy' ? row.result : row.rollbackResult;
  if (known !== undefined) return known;
  const result = await judge(ports, row, step);
  await ports.store.deploys.attach(id, step === 'deploy' ? { result } : { rollbackResult: result });
  if (row.job !== undefined) await ports.plugins.get(row.job.plugin)?.forget?.(row.job.name);
  return result;
}

async function judge(ports: Ports, row: DeployRow, step: Step): Promise<JobResult> {
  const { id, kind, document } = row.deploy.identity;
  if (row.job === undefined) {
    if (isBeingCancelled(row)) return { outcome: 'cancelled' };
    throw new Error(`${id} has no job to read`);
  }
  const answer = await ports.plugins.get(row.job.plugin)?.read(row.job.name);
  if (answer === undefined) throw new Error(`the job of ${id} still runs`);
  if (answer.status === 'error')
    return isBeingCancelled(row) ? { outcome: 'cancelled' } : failed('plugin-failed', answer);
  if (step === 'rollback' || kind === 'rollback') return { outcome: 'success' };
  const declared = DeployDocument.parse(await ports.store.bodies.get(document)).exports;
  const checked = checkExports(declared, { deploy: [answer.outputs] });
  if (checked.problems !== undefined) {
    const why = checked.problems
      .map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`))
      .join('; ');
    return {
      outcome: 'failed',
      failure: { code: 'exports-invalid', message: `exports of the deploy not valid: ${why}` },
    };
  }
  if (Object.keys(checked.values).length > 0) await ports.store.deploys.putExports(id, checked.values);
  return { outcome: 'success' };
}

function failed(code: string, { message }: PluginResult): JobResult {
  return {
    outcome: 'failed',
    failure: { code, message: message ?? 'the plugin reported an error without saying which' },
  };
}
