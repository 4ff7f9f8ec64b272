/**
 * One deploy: one artifact version going to one application in one environment. It runs once and ends once (I3).
 *
 * The record is a union by state, so that a field that belongs to one state cannot be written in another. `seq` counts
 * decisions; a writer that read seq n may only write n + 1, so two deciders never overwrite each other.
 */
import * as z from 'zod';
import { Artifact } from '../documents/deploy.ts';
import { Failure } from '../failure.ts';

const Instant = z.number().int();

export const DeployIdentity = z.object({
  id: z.string(),
  /** `rollback`: this deploy takes an application back to the version it had before the deploy `rollsBack`. */
  kind: z.enum(['deploy', 'rollback']),
  rollsBack: z.string().optional(),
  /** For a rollback: the revision whose artifact and configuration are put back. */
  restores: z.object({ revision: z.number().int(), configuration: z.string() }).optional(),
  application: z.string(),
  environment: z.string(),
  tenant: z.string().optional(),
  artifact: Artifact,
  plugin: z.string(),
  timeoutSeconds: z.number().int(),
  afterTimeoutSeconds: z.number().int(),
  automaticRollback: z.boolean(),
  /** The release it belongs to, and its name there. */
  release: z.object({ id: z.string(), attempt: z.number().int(), name: z.string() }).optional(),
  /** Ids of the deploys that must succeed first. */
  after: z.array(z.string()),
  /** True when it waits by itself for `after`; false when its release's layers have already waited. */
  waits: z.boolean(),
  /** Content hash of its document. */
  document: z.string(),
  submittedBy: z.string(),
  createdAt: Instant,
});
export type DeployIdentity = z.infer<typeof DeployIdentity>;

/** Whether a deploy is the rollback of a name in an attempt of a release, and not another's that was given the same id. */
export function takesBack(
  { identity: { kind, release } }: { readonly identity: DeployIdentity },
  of: { readonly release: string; readonly attempt: number; readonly name: string },
): boolean {
  return (
    kind === 'rollback' && release?.id === of.release && release.attempt === of.attempt && release.name === of.name
  );
}

const Cancellation = z.object({ by: z.string(), at: Instant, reason: z.string() });

const Waiting = z.object({ state: z.enum(['WAITING_DEPENDENCY', 'ENQUEUED']), since: Instant });

const running = {
  since: Instant,
  startedAt: Instant,
  /** Somebody asked for it to be cancelled; its job is being stopped. */
  cancellation: Cancellation.optional(),
};
const Running = z.object({ state: z.literal('RUNNING'), ...running });
const RollingBack = z.object({ state: z.literal('ROLLING_BACK'), ...running, failure: Failure });
/** The success is decided and can't be taken back; inventory and revision are being written. Shown as RUNNING. */
const Concluding = z.object({ state: z.literal('CONCLUDING'), since: Instant, startedAt: Instant });

const ended = { since: Instant, endedAt: Instant, startedAt: Instant.optional() };
const Succeeded = z.object({ state: z.literal('SUCCESS'), ...ended, revision: z.number().int() });
const Failed = z.object({ state: z.literal('ERROR'), ...ended, failure: Failure, rolledBack: z.boolean().optional() });
const NotRun = z.object({ state: z.enum(['CANCELLED', 'DEPENDENCY_FAILED']), ...ended, failure: Failure });

export const DeployStatus = z.discriminatedUnion('state', [
  Waiting,
  Running,
  RollingBack,
  Concluding,
  Succeeded,
  Failed,
  NotRun,
]);
export type DeployStatus = z.infer<typeof DeployStatus>;
export type DeployState = DeployStatus['state'];

/** One decision about a deploy or a release: an audit row, and the origin of its event. */
export const Decision = z.object({
  seq: z.number().int(),
  at: Instant,
  by: z.string(),
  /** `deploy.recorded`, `deploy.started`, `after.finish`, `deploy.finish`, `release.submitted` … */
  action: z.string(),
  from: z.string().optional(),
  to: z.string(),
  why: z.string().optional(),
});
export type Decision = z.infer<typeof Decision>;

export const Deploy = z.object({
  identity: DeployIdentity,
  status: DeployStatus,
  seq: z.number().int(),
  /** Decisions whose audit row and event are not yet known to be written. */
  pending: z.array(Decision),
});
export type Deploy = z.infer<typeof Deploy>;

/** The states that never change again (I3). */
export const FINAL_DEPLOY_STATES = ['SUCCESS', 'ERROR', 'CANCELLED', 'DEPENDENCY_FAILED'] as const;
export type FinalDeployState = (typeof FINAL_DEPLOY_STATES)[number];

export function isFinal(state: DeployState): state is FinalDeployState {
  return (FINAL_DEPLOY_STATES as readonly string[]).includes(state);
}

/** Whether the deploy has done nothing yet: what a policy or a cancel may end at once. */
export function hasNotStarted(state: DeployState): boolean {
  return state === 'WAITING_DEPENDENCY' || state === 'ENQUEUED';
}

/** The state that people are shown: a success that is being written down is still running for them. */
export function shownState(state: DeployState): Exclude<DeployState, 'CONCLUDING'> {
  return state === 'CONCLUDING' ? 'RUNNING' : state;
}
