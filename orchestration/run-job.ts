/** The plugin's part of a deploy: start a job under a token of its own, and hear that it has ended. */
import type { Configuration } from '../core/deploy/configuration.ts';
import { firstProgress, targetsBegun, targetsOf } from '../core/deploy/course.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import type { JobPlace, Progress } from '../core/deploy/progress.ts';
import type { PluginRequest } from '../plugins/contract.ts';
import { ENDED } from '../statemachines/functions.ts';
import type { DeployRow } from '../store/deploys.ts';
import { entryOf } from '../store/inventory.ts';
import { failureOf, type Mishap } from './conclude-deploy.ts';
import { configurationOf } from './configure.ts';
import { decideDeploy } from './decide.ts';
import { ROLLBACK, tokenOf } from './job-ended.ts';
import { type Ports, RENGA } from './ports.ts';
import { settleDeploy, summary } from './settle.ts';
import { stopJob } from './stop-job.ts';

export type Operation = 'deploy' | 'rollback';

/** The machine's own timeout comes first; the plugin's is for a machine that is not there to see it. */
const PLUGIN_TIMEOUT_MARGIN_SECONDS = 15;

/** Where the jobs of a deploy have got to; before the first has been read, that is the first. */
export function progressOf(row: DeployRow, configuration: Configuration): Progress {
  const { identity, status } = row.deploy;
  return row.progress ?? firstProgress(configuration, status.since, identity.dryRun === true);
}

export async function runJob(
  ports: Ports,
  id: string,
  operation: Operation,
  taskToken: string,
  mishap?: Mishap,
): Promise<void> {
  const found = await ports.store.deploys.read(id);
  if (found === undefined) throw new Error(`there is no deploy ${id}`);
  const configuration = await configurationOf(ports, found);
  const { place } = progressOf(found, configuration);
  const key = operation === 'rollback' ? ROLLBACK : place.key;
  // Whoever cancels reads for which job a token has been noted: of any later job this reads the cancellation.
  const row = await ports.store.deploys.attach(id, { jobToken: taskToken, jobFor: key });
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  if (isFinal(row.deploy.status.state)) {
    await ports.machines.fail(taskToken, ENDED, summary(row.deploy));
    return;
  }
  if (operation === 'rollback') {
    const why = row.result?.failure ?? failureOf(mishap, row);
    const decided = await decideDeploy(ports, row, RENGA, { type: 'rolling-back', failure: why });
    if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
  }
  const undone = operation === 'rollback' ? targetsBegun(configuration, place) : [];
  if (isBeingCancelled(row) || undone === undefined) {
    await ports.machines.succeed(taskToken, {});
    return;
  }
  const request =
    operation === 'rollback'
      ? await undoing(ports, row, configuration, undone)
      : await requestOf(ports, row, configuration, place);
  const { plugin } = request;
  const carrier = ports.plugins.get(plugin);
  if (carrier === undefined) throw new Error(`there is no plugin "${plugin}" here`);
  const { job } = await carrier.start(request.request);
  const started = await ports.store.deploys.attach(id, {
    job: { token: request.request.idempotencyToken, plugin, name: job },
  });
  // Somebody may have cancelled it while it was being started, when there was no job to stop yet.
  if (started !== undefined && isBeingCancelled(started)) await stopJob(ports, started);
}

export function isBeingCancelled({ deploy: { status } }: DeployRow): boolean {
  return status.state === 'RUNNING' && status.cancellation !== undefined;
}

interface Called {
  readonly plugin: string;
  readonly request: PluginRequest;
}

async function requestOf(ports: Ports, row: DeployRow, configuration: Configuration, place: JobPlace): Promise<Called> {
  const { identity } = row.deploy;
  const call = calledIn(configuration, place);
  const { timeoutSeconds } = progressOf(row, configuration);
  const undoes = identity.kind === 'rollback' ? 'rollback' : 'deploy';
  const operation = identity.dryRun === true ? 'plan' : place.kind === 'verify' ? 'observe' : undoes;
  const waves = configuration.waves.length;
  return {
    plugin: call.plugin,
    request: {
      ...(await common(ports, row, configuration)),
      operation,
      idempotencyToken: tokenOf(identity.id, place.key),
      params: call.params,
      targets: targetsOf(configuration, place),
      ...(place.kind !== 'step' && waves > 1 && { wave: { number: place.wave + 1, of: waves } }),
      ...(place.kind === 'step' && { step: place.step }),
      timeoutSeconds: timeoutSeconds + PLUGIN_TIMEOUT_MARGIN_SECONDS,
    },
  };
}

function calledIn(configuration: Configuration, place: JobPlace): Pick<Configuration, 'plugin' | 'params'> {
  const call =
    place.kind === 'deploy'
      ? configuration
      : place.kind === 'verify'
        ? configuration.verify
        : configuration.steps.find(({ name }) => name === place.step);
  if (call === undefined) throw new Error(`the configuration has no ${place.key}`);
  return call;
}

/** What every job of a deploy is told. */
async function common(ports: Ports, { deploy: { identity } }: DeployRow, { artifact }: Configuration) {
  const before = entryOf(await ports.store.inventory.current(identity), artifact.name);
  return {
    deploy: {
      id: identity.id,
      application: identity.application,
      environment: identity.environment,
      ...(identity.release !== undefined && { release: identity.release.id }),
    },
    artifact,
    ...(before !== undefined && {
      previous: { deploy: before.deploy, revision: before.revision, version: before.artifact.version },
    }),
  };
}

/**
 * The rollback of a deploy that failed half-way puts back what is current, as it was configured; where nothing stands it
 * undoes what it was given. It acts on the targets of the waves that had begun.
 */
async function undoing(
  ports: Ports,
  row: DeployRow,
  own: Configuration,
  targets: Configuration['targets'],
): Promise<Called> {
  const { identity } = row.deploy;
  const before = entryOf(await ports.store.inventory.current(identity), identity.artifact.name);
  const standing = before === undefined ? undefined : await ports.store.inventory.revision(identity, before.revision);
  const configuration = standing === undefined ? own : await configurationOf(ports, standing);
  return {
    plugin: configuration.plugin,
    request: {
      ...(await common(ports, row, configuration)),
      operation: 'rollback',
      idempotencyToken: tokenOf(identity.id, ROLLBACK),
      params: configuration.params,
      targets,
      timeoutSeconds: identity.timeoutSeconds + PLUGIN_TIMEOUT_MARGIN_SECONDS,
    },
  };
}
