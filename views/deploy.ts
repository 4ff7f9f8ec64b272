/** A deploy as people see it: what it is, what it waits for, what it is doing, what came of it. */
import type { AfterView, DeploySummary, DeployView } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import { type Deploy, isFinal, shownState } from '../core/deploy/deploy.ts';
import { EXPECTED } from '../core/documents/deploy.ts';
import { configurationOf } from '../orchestration/configure.ts';
import { bound } from '../orchestration/dependencies.ts';
import type { Ports } from '../orchestration/ports.ts';
import { type Rights, rightsOf } from '../orchestration/rights.ts';
import { executionArn, executionName } from '../statemachines/names.ts';
import type { DeployRow } from '../store/deploys.ts';
import { exportsView } from './exports.ts';
import { iso } from './instant.ts';
import { jobsView } from './jobs.ts';
import type { Links } from './links.ts';
import { asSeen, timelineSeen } from './seen.ts';
import { hasBegun, stepOf, waitDeadline } from './step.ts';
import { deployTimeline } from './timeline.ts';
import { approvalView, queueState, queueView } from './waiting.ts';
import { wavesView } from './waves.ts';

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
  const rights = await rightsOf(ports, by);
  const deploy = await asSeen(ports, rights, row.deploy);
  const { identity, status } = deploy;
  const expiresAt = waitDeadline(row);
  const [after, queue, exports, configuration, timeline] = await Promise.all([
    afterView(ports, deploy, expiresAt, rights),
    status.state === 'ENQUEUED' ? queueView(deploy, await queueState(ports, identity.environment)) : undefined,
    status.state === 'SUCCESS' ? ports.store.deploys.exportsOf(identity.id) : {},
    row.configuration === undefined ? undefined : configurationOf(ports, row),
    deployTimeline(ports, deploy),
  ]);
  const approval = approvalView(deploy);
  const step = stepOf(row);
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
    targets: configuration === undefined ? [] : [...configuration.targets],
    waves: configuration === undefined ? [] : wavesView(row, configuration),
    jobs: jobsView(row),
    exports: exportsView(exports),
    provenance: await provenanceSeen(ports, configuration?.provenance ?? {}, rights),
    ...(hasBegun(row) &&
      identity.kind !== 'external' && { execution: { arn, name, ...(links !== undefined && { link: links(arn) }) } }),
    timeline: timelineSeen(timeline, row.deploy, deploy),
  };
}

/** What was just submitted, to whoever did so: also without the right to read it later. It may have come far already. */
export async function submittedView(ports: Ports, { deploy }: DeployRow, seen: Seen): Promise<DeployView> {
  const row = await ports.store.deploys.read(deploy.identity.id);
  if (row === undefined) throw new Error(`the deploy ${deploy.identity.id} was there and is gone`);
  return deployView(ports, row, seen);
}

/** Those of the fields that are there. */
function pick<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Pick<
    T,
    K
  >;
}

/** Of a producer that may not be read its id alone is told, and not its version. */
async function provenanceSeen(
  ports: Ports,
  provenance: Record<string, string>,
  rights: Rights,
): Promise<Record<string, string>> {
  if (rights.all || Object.keys(provenance).length === 0) return provenance;
  const producer = (origin: string) => origin.slice(0, origin.lastIndexOf('@'));
  const rows = await ports.store.deploys.readMany(Object.values(provenance).map(producer));
  const readable = (id: string) => {
    const found = rows.get(id);
    return found !== undefined && rights.may('deployment.read', found.deploy.identity);
  };
  return Object.fromEntries(
    Object.entries(provenance).map(([name, origin]) => {
      const id = producer(origin);
      return [name, readable(id) ? origin : id];
    }),
  );
}

async function afterView(
  ports: Ports,
  deploy: Deploy,
  expiresAt: number | undefined,
  rights: Rights,
): Promise<AfterView | undefined> {
  const { identity, status } = deploy;
  if (identity.after.length === 0) return undefined;
  const ids = await bound(ports, identity);
  const rows = await ports.store.deploys.readMany(ids.filter((id) => !id.startsWith(EXPECTED)));
  const dependencies = ids.map((id) => {
    if (id.startsWith(EXPECTED)) return { id, state: 'EXPECTED' as const };
    const found = rows.get(id)?.deploy;
    const readable = found !== undefined && rights.may('deployment.read', found.identity);
    return { id, state: readable ? shownState(found.status.state) : ('UNKNOWN' as const) };
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
