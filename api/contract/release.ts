import * as z from 'zod';
import { Mode, OnFailure, Start } from '../../core/documents/release.ts';
import {
  ApprovalView,
  ArtifactView,
  DeployState,
  ErrorView,
  ExecutionView,
  ExportsView,
  Instant,
  pageOf,
  pageQuery,
  QueueView,
  ReleaseState,
} from './parts.ts';

/**
 * What became of a deploy when its release went back:
 * `none` nothing to take back: the release does not roll back, or this deploy did not succeed;
 * `waiting` it will be taken back, its turn has not come;
 * `running` it is being taken back;
 * `done` its previous version is current again;
 * `failed` taking it back did not succeed (`rollbackError` says why), which stops the sequence;
 * `superseded` another deploy has gone over it since: not touched, which stops the sequence;
 * `cancelled` its rollback was cancelled before it started;
 * `not-reached` not rolled back and not touched: the sequence ended before it.
 */
export const RollbackState = z
  .enum(['none', 'waiting', 'running', 'done', 'failed', 'superseded', 'cancelled', 'not-reached'])
  .meta({
    id: 'RollbackState',
    description:
      'none: nothing to take back. waiting, running, done: as they say. failed: see rollbackError; the sequence stops there. superseded: another deploy has gone over it, so it was not touched; the sequence stops there. cancelled: its rollback was cancelled before it started. not-reached: not rolled back and not touched, since the sequence ended before it.',
  });
export type RollbackState = z.infer<typeof RollbackState>;

export const ReleaseDeploy = z
  .strictObject({
    name: z.string(),
    id: z.string(),
    layer: z.int().describe('Counted from 0.'),
    application: z.string(),
    environment: z.string(),
    artifact: ArtifactView,
    after: z.array(z.string()).describe('Names of deploys of this release that must succeed first.'),
    external: z.array(z.string()).describe('Ids of deploys outside the release that must succeed first.'),
    state: DeployState.describe('ENQUEUED also before it is recorded.'),
    recorded: z.boolean().describe('False: there is no deploy of this id yet, GET /v1/deploys/{id} answers 404.'),
    kept: z.boolean().describe('It succeeded in an earlier attempt and stays.'),
    since: Instant.optional(),
    startedAt: Instant.optional(),
    endedAt: Instant.optional(),
    approval: ApprovalView.optional(),
    queue: QueueView.optional(),
    error: ErrorView.optional(),
    rolledBack: z.boolean().optional().describe("After a failure: whether the plugin's own rollback succeeded."),
    exports: ExportsView,
    revision: z.int().optional(),
    rollbackState: RollbackState,
    rollbackId: z.string().optional().describe('The deploy that takes it back, once there is one.'),
    rollbackError: ErrorView.optional(),
  })
  .meta({ id: 'ReleaseDeploy' });
export type ReleaseDeploy = z.infer<typeof ReleaseDeploy>;

const summary = {
  id: z.string(),
  attempt: z.int().describe('1, and one more at every retry.'),
  state: ReleaseState,
  phase: z
    .enum(['running', 'failing', 'rolling-back', 'cancelling'])
    .optional()
    .describe('While PENDING. Nothing new starts in `failing` and `cancelling`.'),
  paused: z.boolean(),
  mode: Mode,
  start: Start,
  onFailure: OnFailure,
  deployCount: z.int(),
  submittedBy: z.string(),
  createdAt: Instant,
  startedAt: Instant.describe('When this attempt began.'),
  since: Instant.describe('Of the state, or of the phase while PENDING.'),
  endedAt: Instant.optional(),
  error: ErrorView.optional().describe('Who failed and why, one a line, the first cause first.'),
};

export const ReleaseSummary = z.strictObject(summary).meta({ id: 'ReleaseSummary' });
export type ReleaseSummary = z.infer<typeof ReleaseSummary>;

export const ReleaseView = z
  .strictObject({
    ...summary,
    execution: ExecutionView,
    deploys: z.array(ReleaseDeploy).describe("In the plan's order."),
  })
  .meta({ id: 'Release' });
export type ReleaseView = z.infer<typeof ReleaseView>;

export const ReleaseList = pageOf(ReleaseSummary, 'ReleaseList');
export type ReleaseList = z.infer<typeof ReleaseList>;

export const ReleaseListQuery = z.strictObject({ state: ReleaseState.optional(), ...pageQuery });
