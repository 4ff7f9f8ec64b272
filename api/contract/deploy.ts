import * as z from 'zod';
import { Target } from '../../core/documents/target.ts';
import {
  ApprovalView,
  ArtifactView,
  AuditEntry,
  DeployState,
  ErrorView,
  ExecutionView,
  ExportsView,
  Instant,
  Offset,
  pageOf,
  pageQuery,
  QueueView,
  ReleaseReference,
} from './parts.ts';

const summary = {
  id: z.string(),
  kind: z.enum(['deploy', 'rollback', 'external']),
  application: z.string(),
  environment: z.string(),
  tenant: z.string().optional(),
  artifact: ArtifactView,
  plugin: z.string(),
  state: DeployState,
  since: Instant.describe('Of the state.'),
  submittedBy: z.string(),
  createdAt: Instant,
  startedAt: Instant.optional(),
  endedAt: Instant.optional(),
  error: ErrorView.optional(),
  rolledBack: z.boolean().optional().describe("After a failure: whether the plugin's own rollback succeeded."),
  revision: z.int().optional().describe('Of its application and environment; once it has succeeded.'),
  release: ReleaseReference.optional(),
};

export const DeploySummary = z.strictObject(summary).meta({ id: 'DeploySummary' });
export type DeploySummary = z.infer<typeof DeploySummary>;

const Dependency = z.strictObject({
  id: z.string(),
  state: z
    .union([DeployState, z.literal(['UNKNOWN', 'EXPECTED'])])
    .describe('UNKNOWN: there is no deploy of this id. EXPECTED: it has not been started yet.'),
});

export const AfterView = z
  .strictObject({
    status: z.enum(['waiting', 'succeeded', 'failed', 'cancelled']),
    expiresAt: Instant.optional().describe('While it waits by itself: when afterTimeout has passed.'),
    reason: z.string().optional().describe('Why the wait ended without success.'),
    dependencies: z.array(Dependency),
  })
  .meta({ id: 'After', description: 'The deploys that must succeed first; absent when there are none.' });
export type AfterView = z.infer<typeof AfterView>;

const StepView = z
  .strictObject({
    name: z.string().describe('As its state in the execution is called.'),
    since: Instant,
    timeoutAt: Instant.optional(),
  })
  .meta({ id: 'Step', description: 'What it is doing, or waiting for, now; absent once it has ended.' });

export const JobView = z
  .strictObject({
    key: z.string().describe('deploy, deploy-2, step-<name>, verify-<wave>-<probe>, rollback: names its log.'),
    kind: z.enum(['step', 'deploy', 'verify', 'rollback']),
    plugin: z.string(),
    wave: z.int().optional().describe('Of its wave, from 1.'),
    step: z.string().optional().describe('Name of the custom step.'),
    probe: z.int().optional().describe('How many probes of the wave there have been: they are shown as one.'),
    startedAt: Instant,
    endedAt: Instant.optional(),
    outcome: z.enum(['success', 'failed', 'cancelled']).optional().describe('Absent while it runs.'),
    message: z.string().optional().describe('In one line, cut short.'),
  })
  .meta({ id: 'Job', description: 'A job that a plugin carried out for the deploy.' });
export type JobView = z.infer<typeof JobView>;

const WaveView = z
  .strictObject({
    wave: z.int().describe('From 1.'),
    targets: z.int().describe('How many it has.'),
    state: z.enum(['waiting', 'running', 'verifying', 'success', 'failed', 'not-reached']),
  })
  .meta({ id: 'Wave' });
export type WaveView = z.infer<typeof WaveView>;

export const DeployView = z
  .strictObject({
    ...summary,
    rollsBack: z.string().optional().describe('For a rollback: the deploy that it takes back.'),
    restores: z.int().optional().describe('For a rollback: the revision that it puts back.'),
    promotes: z.string().optional().describe('The deploy whose document this one takes to another environment.'),
    external: z
      .strictObject({ pipeline: z.string(), version: z.string().optional() })
      .optional()
      .describe('For a deploy that another pipeline runs.'),
    dryRun: z.literal(true).optional(),
    scheduledAt: Instant.optional().describe('It starts at this instant at the earliest.'),
    schedule: z.string().optional().describe('The schedule that submitted it.'),
    freezeOverride: z.string().optional().describe('Why it goes on during a freeze.'),
    approval: ApprovalView.optional(),
    queue: QueueView.optional(),
    timeoutSeconds: z.int(),
    after: AfterView.optional(),
    step: StepView.optional(),
    cancellation: z
      .strictObject({ by: z.string(), at: Instant, reason: z.string() })
      .optional()
      .describe('It runs, and its job is being stopped.'),
    targets: z.array(Target).describe('In the order of the waves; once it is configured.'),
    waves: z.array(WaveView).describe('Once it is configured; one when there is nothing to divide.'),
    jobs: z.array(JobView).describe('In order; the last 50.'),
    exports: ExportsView,
    provenance: z
      .record(z.string(), z.string())
      .describe('Where each import came from: import.infra: infra-42@3.1.0; once it is configured.'),
    execution: ExecutionView.optional().describe('Once it has been started.'),
    timeline: z.array(AuditEntry),
  })
  .meta({ id: 'Deploy' });
export type DeployView = z.infer<typeof DeployView>;

export const DeployList = pageOf(DeploySummary, 'DeployList');
export type DeployList = z.infer<typeof DeployList>;

export const DeployListQuery = z.strictObject({
  state: DeployState.optional(),
  application: z.string().min(1).max(63).optional(),
  ...pageQuery,
});

export const LogView = z
  .strictObject({
    job: z.string().optional().describe('Key of the job; absent before the first has begun.'),
    text: z.string(),
    offset: z.int().describe('Bytes before `text`.'),
    next: z.int().describe('The offset to ask for next.'),
    ended: z
      .boolean()
      .describe(
        'The deploy has ended, or the job that was asked for: when `text` is empty too, there will be no more.',
      ),
  })
  .meta({ id: 'Log' });
export type LogView = z.infer<typeof LogView>;

export const LogQuery = z.strictObject({
  offset: Offset.optional().describe('Bytes to skip; 0 when absent.'),
  job: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Key of a job in `jobs`, or verify-<wave> for its last probe; the last job when absent.'),
});
