/** Events that come in: what other pipelines report about their own deploys, and what they ask renga to submit. */
import * as z from 'zod';
import { Instant } from '../core/calendar/instant.ts';
import { EXPECTED } from '../core/documents/deploy.ts';
import { LIMITS } from '../core/documents/limits.ts';
import { DependencyId, Name } from '../core/documents/names.ts';
import { byteLength } from '../core/documents/source-text.ts';
import { WrittenTarget } from '../core/documents/target.ts';

const ExternalId = DependencyId.refine(
  (id) => !id.startsWith(EXPECTED),
  `an id can not begin with ${EXPECTED}, which stands for what has not begun`,
);
export const Version = z.string().regex(/^[A-Za-z0-9._+/-]{1,100}$/, 'a version must match [A-Za-z0-9._+/-]{1,100}');

const Seq = z.int().min(0).optional().describe('Counts what is said about one deploy: a smaller number is older.');

/** Detail of `Deploy Started`. */
export const DeployStarted = z.strictObject({
  id: ExternalId.describe('Of the deploy, unique among all: prefix it with the name of the pipeline.'),
  pipeline: DependencyId.describe('The pipeline that runs it, as `expect` names it.'),
  application: Name,
  environment: Name,
  tenant: Name.optional(),
  version: Version.optional().describe('What `expect` waits for.'),
  at: Instant.optional().describe('When it started, with an offset; when this is heard, if absent.'),
  seq: Seq,
});
export type DeployStarted = z.infer<typeof DeployStarted>;

/** Detail of `Deploy Concluded`. */
export const DeployConcluded = z.strictObject({
  id: ExternalId,
  state: z.enum(['SUCCESS', 'ERROR', 'CANCELLED']),
  message: z.string().max(4_000).optional().describe('Why, when it did not succeed.'),
  exports: z
    .record(Name, z.union([z.string(), z.array(WrittenTarget).min(1).max(LIMITS.targetsInExport)]))
    .refine((all) => Object.keys(all).length <= LIMITS.exportsPerDeploy, `at most ${LIMITS.exportsPerDeploy} exports`)
    .optional()
    .describe('Text, or lists of targets; after a success.'),
  at: Instant.optional().describe('When it ended, with an offset; when this is heard, if absent.'),
  seq: Seq,
});
export type DeployConcluded = z.infer<typeof DeployConcluded>;

/** Detail of `Release Requested` and `Deploy Requested`: a document as the API takes it. */
export const Requested = z.strictObject({ document: z.record(z.string(), z.unknown()) });

function bytesOf(outputs: Readonly<Record<string, string>>): number {
  return Object.entries(outputs).reduce((sum, [name, value]) => sum + byteLength(name) + byteLength(value), 0);
}

/** Detail of `Callback Answered`: the answer to a `Callback Requested`. */
export const CallbackAnswer = z.strictObject({
  status: z.enum(['success', 'error']),
  outputs: z
    .record(z.string().max(128), z.string())
    .refine((outputs) => Object.keys(outputs).length <= LIMITS.pluginOutputs, `at most ${LIMITS.pluginOutputs} outputs`)
    .refine((outputs) => bytesOf(outputs) <= LIMITS.exportsBytes, `at most ${LIMITS.exportsBytes} bytes in all`)
    .default({}),
  message: z.string().max(4_000).optional(),
});
export type CallbackAnswer = z.infer<typeof CallbackAnswer>;
export const CallbackAnswered = CallbackAnswer.extend({ token: z.string().min(1).max(200) });

export const REPORTS = ['Deploy Started', 'Deploy Concluded', 'Callback Answered'] as const;
export const REQUESTS = ['Release Requested', 'Deploy Requested'] as const;

/** What EventBridge puts around a detail. */
export const Envelope = z.looseObject({
  id: z.string(),
  source: z.string(),
  account: z.string(),
  'detail-type': z.string(),
  detail: z.unknown(),
  /** There when an archive is being replayed. */
  'replay-name': z.string().optional(),
});
export type Envelope = z.infer<typeof Envelope>;
