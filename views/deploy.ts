/** A deploy as people see it: what it is, what it waits for, what it is doing, what came of it. */
import type { AfterView, DeploySummary, DeployView } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import { type Deploy, isFinal, shownState } from '../core/deploy/deploy.ts';
import { EXPECTED } from '../core/documents/deploy.ts';
import { configurationOf } from '../orchestration/configure.ts';
import { bound } from '../orchestration/dependencies.ts';
import type { Ports } from '../orchestration/ports.ts';
import { readableDeploys } from '../orchestration/rights.ts';
import { executionArn, executionName } from '../statemachines/names.ts';
import type { DeployRow } from '../store/deploys.ts';
import { exportsView } from './exports.ts';
import { iso } from './instant.ts';
import { jobsView } from './jobs.ts';
import type { Links } from './links.ts';
import { hasBegun, stepOf, waitDeadline } from './step.ts';
import { deployTimeline } from './timeline.ts';
import { approvalView, queueView } from './waiting.ts';

export function deploySummary({ identity, status }: Deploy): DeploySummary {
  const { id, kind, application, environment, tenant, artifact, plugin, submittedBy, createdAt, release } = identity;
  return {
    id,
    kind,
    application,
    environment,
    ...(tenant !== undefined && { tenant }),
    artifact,
    plugin,
    state: shownState(status.state),
    since: iso(status.since),
    submittedBy,
    createdAt: iso(createdAt),
    ...('startedAt' in status && status.startedAt !== undefined && { startedAt: iso(status.startedAt) }),
    ...('endedAt' in status && { endedAt: iso(status.endedAt) }),
    ...('failure' in status && { error: status.failure }),
    ...('rolledBack' in status && status.rolledBack !== undefined && { rolledBack: status.rolledBack }),
    ...('revision' in status && { revision: status.revision }),
    ...(release !== undefined && { release }),
  };
}

export interface Seen {
  readonly links?: Links | undefined;
  /** Who sees it: what they may not read of others is shown as if it did not exist. */
  readonly by: Actor;
}

export async function deployView(ports: Ports, row: DeployRow, { links, by }: Seen): Promise<DeployView> {
  const { deploy } = row;
  const { identity, status } = deploy;
  const expiresAt = await waitDeadline(ports, row);
  const [after, queue, exports, provenance, timeline] = await Promise.all([
    afterView(ports, deploy, expiresAt, by),
    queueView(ports, deploy),
    status.state === 'SUCCESS' ? ports.store.deploys.exportsOf(identity.id) : {},
    provenanceOf(ports, row),
    deployTimeline(ports, deploy),
  ]);
  const approval = approvalView(deploy);
  const step = stepOf(row, expiresAt);
  const name = executionName(identity.id);
  const arn = executionArn(ports.deployMachine, name);
  const cancellation = status.state === 'RUNNING' ? status.cancellation : undefined;
  return {
    ...deploySummary(deploy),
    ...(identity.rollsBack !== undefined && { rollsBack: identity.rollsBack }),
    ...(identity.restores !== undefined && { restores: identity.restores.revision }),
    ...pick(identity, 'promotes', 'dryRun', 'schedule', 'freezeOverride'),
    ...(identity.external !== undefined && { external: pick(identity.external, 'pipeline', 'version') }),
    ...(identity.scheduledAt !== undefined && { scheduledAt: iso(identity.scheduledAt) }),
    ...(approval !== undefined && { approval }),
    ...(queue !== undefined && { queue }),
    timeoutSeconds: identity.timeoutSeconds,
    ...(after !== undefined && { after }),
    ...(step !== undefined && {
      step: {
        name: step.name,
        since: iso(step.since),
        ...(step.timeoutAt !== undefined && { timeoutAt: iso(step.timeoutAt) }),
      },
    }),
    ...(cancellation !== undefined && { cancellation: { ...cancellation, at: iso(cancellation.at) } }),
    jobs: jobsView(row),
    exports: exportsView(exports),
    provenance,
    ...(hasBegun(row) &&
      identity.kind !== 'external' && { execution: { arn, name, ...(links !== undefined && { link: links(arn) }) } }),
    timeline,
  };
}

/** Those of the fields that are there. */
function pick<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Pick<
    T,
    K
  >;
}

async function provenanceOf(ports: Ports, row: DeployRow): Promise<Record<string, string>> {
  return row.configuration === undefined ? {} : (await configurationOf(ports, row)).provenance;
}

async function afterView(
  ports: Ports,
  deploy: Deploy,
  expiresAt: number | undefined,
  by: Actor,
): Promise<AfterView | undefined> {
  const { identity, status } = deploy;
  if (identity.after.length === 0) return undefined;
  const ids = await bound(ports, identity);
  const rows = await readableDeploys(
    ports,
    by,
    ids.filter((id) => !id.startsWith(EXPECTED)),
  );
  const dependencies = ids.map((id) => {
    if (id.startsWith(EXPECTED)) return { id, state: 'EXPECTED' as const };
    const state = rows.get(id)?.deploy.status.state;
    return { id, state: state === undefined ? ('UNKNOWN' as const) : shownState(state) };
  });
  const succeeded = dependencies.every(({ state }) => state === 'SUCCESS');
  const result = (name: AfterView['status'], reason?: string): AfterView => ({
    status: name,
    ...(name === 'waiting' && expiresAt !== undefined && { expiresAt: iso(expiresAt) }),
    ...(reason !== undefined && { reason }),
    dependencies,
  });
  if (status.state === 'WAITING_DEPENDENCY') return result('waiting');
  if (status.state === 'DEPENDENCY_FAILED') return result('failed', status.failure.message);
  const ranOrMay = !isFinal(status.state) || ('startedAt' in status && status.startedAt !== undefined) || succeeded;
  if (ranOrMay || !('failure' in status)) return result('succeeded');
  return result(status.state === 'CANCELLED' ? 'cancelled' : 'failed', status.failure.message);
}
