import * as z from 'zod';
import { AccessDocument, PERMISSIONS } from '../../core/documents/access.ts';
import { EnvironmentConfigDocument, EnvironmentDocument } from '../../core/documents/environment.ts';
import { PipelineDocument } from '../../core/documents/pipeline.ts';
import { AuditItem, Instant, pageOf, pageQuery } from './parts.ts';

/** What `POST /v1/environments` takes. */
export const EnvironmentSetting = z.union([EnvironmentDocument, EnvironmentConfigDocument, PipelineDocument]);

export const ApplyQuery = z.strictObject({
  dryRun: z.enum(['true', 'false']).optional().describe('true: only says what it would change.'),
});

export const AppliedView = z
  .strictObject({
    kind: z.enum(['Environment', 'EnvironmentConfig', 'Pipeline', 'Access']),
    name: z.string().describe('With the kind, as the audit names it: EnvironmentConfig shop-api/prod.'),
    result: z.enum(['created', 'changed', 'unchanged']),
    differences: z.array(z.string()).describe('From the document before, at most 20.'),
  })
  .meta({ id: 'Applied' });
export type AppliedView = z.infer<typeof AppliedView>;

export const RemovedView = z.strictObject({ removed: z.string() }).meta({ id: 'Removed' });
export type RemovedView = z.infer<typeof RemovedView>;

const written = { by: z.string(), at: Instant };

const Freeze = z.strictObject({ from: Instant, until: Instant, reason: z.string() });

const Queue = z
  .strictObject({
    slots: z.int().optional().describe('How many may run at once; absent when any number may.'),
    running: z.array(z.string()).describe('Deploys that hold a slot.'),
    waiting: z.array(z.string()).describe('Deploys in line for one, in the order in which they get it; the first 500.'),
  })
  .meta({ id: 'Queue', description: 'Only deploys that the caller may read are named.' });

export const EnvironmentView = z
  .strictObject({
    name: z.string(),
    document: EnvironmentDocument.optional().describe('Absent when only configurations are known.'),
    ...z.object(written).partial().shape,
    configurations: z.array(z.strictObject({ document: EnvironmentConfigDocument, ...written })),
    freeze: Freeze.optional().describe('The freeze that is in force.'),
    nextFreeze: Freeze.optional(),
    queue: Queue,
  })
  .meta({ id: 'Environment' });
export type EnvironmentView = z.infer<typeof EnvironmentView>;

export const EnvironmentList = pageOf(
  z.strictObject({ name: z.string(), document: EnvironmentDocument, ...written, freeze: Freeze.optional() }),
  'EnvironmentList',
);
export type EnvironmentList = z.infer<typeof EnvironmentList>;

export const PipelineList = pageOf(z.strictObject({ document: PipelineDocument, ...written }), 'PipelineList');
export type PipelineList = z.infer<typeof PipelineList>;

export const AccessView = z.strictObject({ document: AccessDocument, ...written }).meta({ id: 'Access' });
export type AccessView = z.infer<typeof AccessView>;
export const AccessList = pageOf(AccessView, 'AccessList');
export type AccessList = z.infer<typeof AccessList>;

export const MeView = z
  .strictObject({
    subject: z.string(),
    kind: z.enum(['user', 'pipeline']),
    groups: z.array(z.string()),
    administrator: z.boolean(),
    grants: z.array(
      z.strictObject({
        permission: z.enum(PERMISSIONS),
        applications: z.array(z.string()),
        environments: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'Me', description: 'Who asks, and what they may.' });
export type MeView = z.infer<typeof MeView>;

export const AuditList = pageOf(AuditItem, 'AuditList');
export type AuditList = z.infer<typeof AuditList>;

export const AuditQuery = z.strictObject({
  application: z.string().min(1).max(63).optional(),
  environment: z.string().min(1).max(63).optional(),
  by: z.string().min(1).max(300).optional().describe('Decisions of this subject only.'),
  ...pageQuery,
});
