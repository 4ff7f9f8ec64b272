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
  /**
   * `rollback`: this deploy puts an earlier version back, that before the deploy `rollsBack` when it is a release's.
   * `external`: another pipeline runs it and reports how it goes; nothing of it is carried out here.
   */
  kind: z.enum(['deploy', 'rollback', 'external']),
  rollsBack: z.string().optional(),
  /** For a rollback: the revision that is put back, what it was carried out with, and its document. */
  restores: z
    .object({ revision: z.number().int(), configuration: z.string(), document: z.string().optional() })
    .optional(),
  /** The deploy whose document this one takes to another environment. */
  promotes: z.string().optional(),
  /** For an external deploy: whose it is. Only who started it may conclude it. */
  external: z
    .object({
      pipeline: z.string(),
      version: z.string().optional(),
      owner: z.string(),
      /** When the service that runs it is asked how it goes. */
      overdueAt: Instant.optional(),
      /** When it started, as its pipeline says. */
      startedAt: Instant.optional(),
      /** The largest number that its pipeline has given to a report of its start: what has a smaller one is older. */
      seq: z.number().int().optional(),
    })
    .optional(),
  /** The plugin only plans: nothing is changed, no turn is taken, nothing becomes current. */
  dryRun: z.literal(true).optional(),
  /** Not before this instant. */
  scheduledAt: Instant.optional(),
  /** The recurring schedule that submitted it. */
  schedule: z.string().optional(),
  /** How long an approval may take, when its environment asked for one as it was recorded. */
  approvalSeconds: z.number().int().optional(),
  /** Why it goes on during a freeze. */
  freezeOverride: z.string().optional(),
  application: z.string(),
  environment: z.string(),
  tenant: z.string().optional(),
  artifact: Artifact,
  /** Empty when the configuration of its environment names it. */
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
  /** Who asked for it too: whoever retried the release. Neither approves what they have asked for. */
  requestedBy: z.string().optional(),
  /** Absent for a person: names of pipelines are told apart from theirs. */
  submittedAs: z.literal('pipeline').optional(),
  /** Groups of whoever submitted it, for rights that are asked for later. */
  groups: z.array(z.string()).optional(),
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

const Scheduled = z.object({ state: z.literal('SCHEDULED'), since: Instant, at: Instant });
const Waiting = z.object({ state: z.enum(['WAITING_DEPENDENCY', 'ENQUEUED']), since: Instant });
/** What an environment demanded when the approval was asked for; a later change of its document changes nothing here. */
export const ApprovalRule = z.object({
  required: z.number().int(),
  selfApproval: z.boolean(),
  expiresAt: Instant,
});
export type ApprovalRule = z.infer<typeof ApprovalRule>;
const AwaitingApproval = z.object({ state: z.literal('AWAITING_APPROVAL'), since: Instant, ...ApprovalRule.shape });
const Approval = z.object({ by: z.string(), at: Instant, reason: z.string().optional() });

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
/** A dry run and an external deploy have no revision. */
const Succeeded = z.object({ state: z.literal('SUCCESS'), ...ended, revision: z.number().int().optional() });
const Failed = z.object({ state: z.literal('ERROR'), ...ended, failure: Failure, rolledBack: z.boolean().optional() });
const NotRun = z.object({
  state: z.enum(['CANCELLED', 'DEPENDENCY_FAILED', 'REJECTED', 'EXPIRED']),
  ...ended,
  failure: Failure,
});

export const DeployStatus = z.discriminatedUnion('state', [
  Scheduled,
  Waiting,
  AwaitingApproval,
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
  /** Whether a failed deploy's own rollback succeeded: the audit alone says what became of a deploy. */
  rolledBack: z.boolean().optional(),
});
export type Decision = z.infer<typeof Decision>;

export const Deploy = z.object({
  identity: DeployIdentity,
  status: DeployStatus,
  seq: z.number().int(),
  /** Who has approved it; kept once it has gone on. */
  approvals: z.array(Approval).default([]),
  /** Decisions whose audit row and event are not yet known to be written. */
  pending: z.array(Decision),
});
export type Deploy = z.infer<typeof Deploy>;

/** The states that never change again (I3). */
export const FINAL_DEPLOY_STATES = [
  'SUCCESS',
  'ERROR',
  'CANCELLED',
  'DEPENDENCY_FAILED',
  'REJECTED',
  'EXPIRED',
] as const;
export type FinalDeployState = (typeof FINAL_DEPLOY_STATES)[number];

export function isFinal(state: DeployState): state is FinalDeployState {
  return (FINAL_DEPLOY_STATES as readonly string[]).includes(state);
}

/** Whether the deploy has done nothing yet: what a policy or a cancel may end at once. */
export function hasNotStarted(state: DeployState): boolean {
  return (WAITING_STATES as readonly string[]).includes(state);
}

/**
 * Whether a deploy in this state may hold a turn or a slot. One that asks people has come to ask after it was given one:
 * nobody must wait for it meanwhile.
 */
export function mayHold(state: DeployState): boolean {
  return !isFinal(state) && state !== 'SCHEDULED' && state !== 'AWAITING_APPROVAL';
}

/** The states before anything is done, in the order in which a deploy comes to them. */
const WAITING_STATES = ['SCHEDULED', 'WAITING_DEPENDENCY', 'AWAITING_APPROVAL', 'ENQUEUED'] as const;

/** The state that people are shown: a success that is being written down is still running for them. */
export function shownState(state: DeployState): Exclude<DeployState, 'CONCLUDING'> {
  return state === 'CONCLUDING' ? 'RUNNING' : state;
}
