import { z } from 'zod';
import { API_VERSION, DeployDocument } from './deploy.ts';
import { Name, ReleaseId } from './names.ts';

export const Mode = z.enum(['auto', 'dag', 'sequential']);
export type Mode = z.infer<typeof Mode>;
export const Start = z.enum(['layers', 'eager']);
export type Start = z.infer<typeof Start>;
export const OnFailure = z.enum(['stop', 'continue', 'rollback']);
export type OnFailure = z.infer<typeof OnFailure>;

const ReleaseEntry = z.strictObject({
  name: Name,
  after: z.array(z.string()).default([]),
  tags: z.array(Name).default([]),
  descriptor: DeployDocument,
});
export type ReleaseEntry = z.infer<typeof ReleaseEntry>;

/** A release with every file and include already read: what the API takes, and what is stored. */
export const ReleaseDocument = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal('Release'),
  id: ReleaseId,
  mode: Mode.default('auto'),
  start: Start.default('layers'),
  onFailure: OnFailure.default('stop'),
  deploys: z.array(ReleaseEntry).min(1),
});
export type ReleaseDocument = z.infer<typeof ReleaseDocument>;
