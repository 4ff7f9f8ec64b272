import * as z from 'zod';
import { DeployId, Name } from '../../core/documents/names.ts';
import { ArtifactView, Instant, pageOf } from './parts.ts';

const reason = z.string().max(500).regex(/\S/, 'must say why');

export const ApproveBody = z.strictObject({ reason: reason.optional().describe('Kept in the audit.') });
export const RejectBody = z.strictObject({ reason: reason.describe('Why; whoever submitted it is told.') });

const going = {
  id: DeployId.optional().describe('Of the new deploy, its idempotency key; generated when absent.'),
  freezeOverride: reason.optional().describe('Why it goes on during a freeze.'),
};

export const RollbackBody = z.strictObject({
  to: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('A version that was there, or revision:<number>; the version before it when absent.'),
  ...going,
});
export const PromoteBody = z.strictObject({ environment: Name.describe('Where to.'), ...going });

export const RevisionQuery = z.strictObject({
  application: Name,
  environment: Name,
  tenant: Name.optional(),
  artifact: Name.optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
  before: z.coerce.number().int().min(1).optional().describe('Only revisions with a smaller number: the next page.'),
});

export const RevisionList = pageOf(
  z
    .strictObject({
      revision: z.int(),
      deploy: z.string(),
      artifact: ArtifactView,
      plugin: z.string(),
      at: Instant,
      current: z.boolean(),
    })
    .meta({ id: 'Revision' }),
  'RevisionList',
);
export type RevisionList = z.infer<typeof RevisionList>;
