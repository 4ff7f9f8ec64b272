/** What several answers share. Instants are ISO 8601 in UTC; what does not apply is absent, never null. */
import * as z from 'zod';
import { Artifact } from '../../core/documents/deploy.ts';
import { Target } from '../../core/documents/target.ts';

export const Instant = z.iso.datetime();

export const ErrorView = z
  .strictObject({ code: z.string(), message: z.string() })
  .meta({ id: 'Error', description: 'Why something ended without success: a stable code, and a sentence to act on.' });
export type ErrorView = z.infer<typeof ErrorView>;

export const ExportsView = z
  .record(z.string(), z.union([z.string(), z.array(Target)]))
  .meta({ id: 'Exports', description: 'By name: text, or a list of targets.' });
export type ExportsView = z.infer<typeof ExportsView>;

export const ArtifactView = z.strictObject(Artifact.shape).meta({ id: 'Artifact' });

/** CONCLUDING is not among them: a success that is being written down is shown as RUNNING. */
export const DeployState = z
  .enum([
    'SCHEDULED',
    'WAITING_DEPENDENCY',
    'AWAITING_APPROVAL',
    'ENQUEUED',
    'RUNNING',
    'ROLLING_BACK',
    'SUCCESS',
    'ERROR',
    'CANCELLED',
    'DEPENDENCY_FAILED',
    'REJECTED',
    'EXPIRED',
  ])
  .meta({ id: 'DeployState' });
export type DeployState = z.infer<typeof DeployState>;

export const ReleaseState = z.enum(['PENDING', 'SUCCESS', 'ERROR', 'CANCELLED']).meta({ id: 'ReleaseState' });
export type ReleaseState = z.infer<typeof ReleaseState>;

export const ExecutionView = z
  .strictObject({
    arn: z.string(),
    name: z.string(),
    link: z.string().optional().describe('The execution in the console.'),
  })
  .meta({ id: 'Execution', description: 'The Step Functions execution that drives it.' });

export const ReleaseReference = z.strictObject({
  id: z.string(),
  attempt: z.int(),
  name: z.string().describe('The name of the deploy in the release.'),
});

export const ApprovalView = z
  .strictObject({
    required: z.int().optional().describe('How many must approve; absent once it has gone on.'),
    selfApproval: z.boolean().optional().describe('Whether whoever submitted it may be one of them.'),
    expiresAt: Instant.optional(),
    approvals: z.array(z.strictObject({ by: z.string(), at: Instant, reason: z.string().optional() })),
  })
  .meta({ id: 'Approval' });
export type ApprovalView = z.infer<typeof ApprovalView>;

export const QueueView = z
  .strictObject({
    slots: z.int().optional().describe('How many may run in the environment at once; absent when any number may.'),
    held: z.int().optional().describe('How many of them are taken.'),
    position: z.int().optional().describe('Its place in line, from 1.'),
    freeze: z.strictObject({ reason: z.string(), until: Instant }).optional().describe('What holds it until then.'),
  })
  .meta({ id: 'QueuePlace', description: 'While it is ENQUEUED in an environment with slots or a freeze.' });
export type QueueView = z.infer<typeof QueueView>;

export const AuditEntry = z
  .strictObject({
    seq: z.int().describe('Counts the decisions about one deploy or release, from 1.'),
    at: Instant,
    by: z.string().describe('Who decided; `renga` for what it decides by itself.'),
    action: z.string().describe('deploy.recorded, after.finish, deploy.started, release.finish …'),
    from: z.string().optional(),
    to: z.string(),
    why: z.string().optional(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditItem = z
  .strictObject({
    about: z.strictObject({
      kind: z.enum(['deploy', 'release', 'schedule', 'environment', 'access', 'pipeline']),
      id: z.string().describe('Empty for access and pipelines, whose documents `to` names.'),
      application: z.string().optional(),
      environment: z.string().optional(),
    }),
    ...AuditEntry.shape,
  })
  .meta({ id: 'AuditItem' });
export type AuditItem = z.infer<typeof AuditItem>;

export const AuditView = z.strictObject({ id: z.string(), items: z.array(AuditEntry) }).meta({ id: 'Audit' });
export type AuditView = z.infer<typeof AuditView>;

const whole = (text: string) => Number(text);

/** Of every list. */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a whole number from 1 to 200')
    .transform(whole)
    .refine((limit) => limit <= 200, 'must be a whole number from 1 to 200')
    .optional()
    .describe('Items on a page, 1 to 200; 50 when absent.'),
  cursor: z.string().min(1).max(2048).optional().describe('The `cursor` of the page before.'),
};

export function pageOf<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .strictObject({
      items: z.array(item),
      cursor: z.string().optional().describe('Where the next page starts; absent on the last page.'),
    })
    .meta({ id });
}

export const Offset = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,14})$/, 'must be a whole number of bytes')
  .transform(whole);
