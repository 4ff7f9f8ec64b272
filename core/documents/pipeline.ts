/** Another pipeline whose runs are deploys for us: which application and environment they go to, and who may report them. */
import * as z from 'zod';
import { API_VERSION } from './deploy.ts';
import { Duration } from './duration.ts';
import { DependencyId, Name } from './names.ts';

export const PipelineDocument = z
  .strictObject({
    apiVersion: z.literal(API_VERSION).describe('The version of this format.'),
    kind: z.literal('Pipeline').describe('What this document is.'),
    name: DependencyId.describe(
      'The pipeline: codepipeline:<name>, codebuild:<project>, stepfunctions:<machine>, or the name that its own events give.',
    ),
    application: Name.describe('The application that its runs deploy.'),
    environment: Name.describe('Where they deploy it to.'),
    tenant: Name.optional().describe('Whose it is.'),
    account: z
      .string()
      .regex(/^[0-9]{12}$/, 'must be 12 digits')
      .optional()
      .describe("The account whose events count; renga's own when absent."),
    version: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'Where the event says the version: a path in its detail, such as execution-trigger.commit-id or input.version.',
      ),
    overdueAfter: Duration('1m', '7d').default('2h').describe('When the service is asked how a run is going.'),
  })
  .meta({ title: 'Pipeline', description: 'Another pipeline whose runs count as deploys.' });
export type PipelineDocument = z.infer<typeof PipelineDocument>;
