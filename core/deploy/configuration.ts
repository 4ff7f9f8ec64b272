/**
 * What a deploy is carried out with: its document, what it imports and its environment's configuration, fused once and
 * stored, so that a deploy that is resumed uses the same values.
 */
import * as z from 'zod';
import { Artifact, Export } from '../documents/deploy.ts';
import { Params } from '../documents/plugin-call.ts';
import { Target } from '../documents/target.ts';

const Call = { plugin: z.string(), params: Params };

export const ConfiguredStep = z.object({
  name: z.string(),
  when: z.enum(['before', 'after']),
  ...Call,
  outputs: z.array(z.string()),
  timeoutSeconds: z.number().int(),
});
export type ConfiguredStep = z.infer<typeof ConfiguredStep>;

const ConfiguredVerify = z.object({
  ...Call,
  intervalSeconds: z.number().int(),
  timeoutSeconds: z.number().int(),
  successes: z.number().int(),
});

export const Configuration = z.object({
  artifact: Artifact,
  /** Empty in what was stored before configurations named it: its record does. */
  plugin: z.string().default(''),
  params: Params,
  /** Every target, in the order of the waves. */
  targets: z.array(Target).default([]),
  /** How many targets each wave has; one wave, of all, when there is nothing to divide. */
  waves: z.array(z.number().int().min(0)).min(1).default([0]),
  timeoutSeconds: z.number().int().default(3_600),
  steps: z.array(ConfiguredStep).default([]),
  verify: ConfiguredVerify.optional(),
  exports: z.record(z.string(), Export).default({}),
  /** Where each import came from: `import.infra` → `infra-42@3.1.0`. */
  provenance: z.record(z.string(), z.string()),
});
export type Configuration = z.infer<typeof Configuration>;
