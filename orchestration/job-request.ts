/** What a plugin is asked to do for a job of a deploy. */
import { begunTargets, type Call, callAt } from '../core/deploy/course.ts';
import type { DeployIdentity } from '../core/deploy/deploy.ts';
import { ROLLBACK_KEY, tokenOf } from '../core/deploy/job-key.ts';
import type { PluginRequest } from '../plugins/contract.ts';
import { entryOf, type InventoryEntry } from '../store/inventory.ts';
import { configurationOf } from './configure.ts';
import type { Standing } from './next-job.ts';
import type { Ports } from './ports.ts';

/** The machine's own timeout comes first; the plugin's is for a machine that is not there to see it. */
const PLUGIN_TIMEOUT_MARGIN_SECONDS = 15;

export interface JobRequest {
  readonly plugin: string;
  readonly key: string;
  readonly request: PluginRequest;
}

/** The job at the place that the deploy has got to. */
export async function requestOf(ports: Ports, { row, course, progress }: Standing): Promise<JobRequest> {
  const { identity } = row.deploy;
  const call = callAt(course, progress.place, identity.kind === 'rollback');
  const { artifact } = course.configuration;
  return jobRequest(identity, progress.place.key, {
    ...call,
    artifact,
    before: await currentOf(ports, identity),
    seconds: progress.timeoutSeconds,
  });
}

/**
 * The plugin's own rollback of a deploy that failed half-way: it puts back what is current, as that was configured, where
 * waves have begun. Undefined when none has: there is nothing to take back.
 */
export async function rollbackOf(ports: Ports, { row, course, progress }: Standing): Promise<JobRequest | undefined> {
  const { identity } = row.deploy;
  const targets = begunTargets(course, progress.place);
  if (targets === undefined) return undefined;
  const before = await currentOf(ports, identity);
  const revision = before && (await ports.store.inventory.revision(identity, before.revision));
  const { artifact, plugin, params } =
    revision === undefined ? course.configuration : await configurationOf(ports, revision);
  return jobRequest(identity, ROLLBACK_KEY, {
    operation: 'rollback',
    plugin,
    params,
    targets,
    artifact,
    before,
    seconds: identity.timeoutSeconds,
  });
}

async function currentOf(ports: Ports, identity: DeployIdentity): Promise<InventoryEntry | undefined> {
  return entryOf(await ports.store.inventory.current(identity), identity.artifact.name);
}

function jobRequest(
  identity: DeployIdentity,
  key: string,
  of: Call & Pick<PluginRequest, 'artifact'> & { before: InventoryEntry | undefined; seconds: number },
): JobRequest {
  const { operation, plugin, params, targets, wave, step, artifact, before, seconds } = of;
  const request: PluginRequest = {
    operation,
    deploy: {
      id: identity.id,
      application: identity.application,
      environment: identity.environment,
      ...(identity.release !== undefined && { release: identity.release.id }),
    },
    idempotencyToken: tokenOf(identity.id, key),
    artifact,
    params,
    targets: [...targets],
    ...(wave !== undefined && { wave }),
    ...(step !== undefined && { step }),
    ...(before !== undefined && {
      previous: { deploy: before.deploy, revision: before.revision, version: before.artifact.version },
    }),
    timeoutSeconds: seconds + PLUGIN_TIMEOUT_MARGIN_SECONDS,
  };
  return { plugin, key, request };
}
