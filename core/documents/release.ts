import * as z from 'zod';
import { API_VERSION, DeployDocument } from './deploy.ts';
import { LIMITS } from './limits.ts';
import { Name, ReleaseId } from './names.ts';

export const Mode = z
  .enum(['auto', 'dag', 'sequential'])
  .describe('auto: one by one in this order, or a graph as soon as one deploy has `after` on another.');
export type Mode = z.infer<typeof Mode>;
export const Start = z
  .enum(['layers', 'eager'])
  .describe('layers: a layer starts when the one before has ended. eager: a deploy starts when its own `after` has.');
export type Start = z.infer<typeof Start>;
export const OnFailure = z
  .enum(['stop', 'continue', 'rollback'])
  .describe('What a failure does to the others: they stop, those independent of it go on, or all goes back.');
export type OnFailure = z.infer<typeof OnFailure>;

const entry = {
  name: Name.describe('Unique in the release, its includes counted.'),
  after: z.array(z.string()).default([]).describe('Names of deploys of this release that must succeed first.'),
  tags: z.array(Name).default([]).describe('Words to pick deploys by.'),
};

const ReleaseEntry = z.strictObject({ ...entry, descriptor: DeployDocument });
export type ReleaseEntry = z.infer<typeof ReleaseEntry>;

const head = {
  apiVersion: z.literal(API_VERSION).describe('The version of this format.'),
  kind: z.literal('Release').describe('What this document is.'),
};

/** A release with every file and include already read: what the API takes, and what is stored. */
export const ReleaseDocument = z
  .strictObject({
    ...head,
    id: ReleaseId.describe('Its idempotency key: the same id with the same content is the same release.'),
    mode: Mode.default('auto'),
    start: Start.default('layers'),
    onFailure: OnFailure.default('stop'),
    deploys: z.array(ReleaseEntry).min(1).max(LIMITS.deploysInRelease).describe('The deploys, in their order.'),
  })
  .meta({ title: 'Release', description: 'Several deploys and the dependencies between them.' });
export type ReleaseDocument = z.infer<typeof ReleaseDocument>;

const FilePath = z.string().min(1).max(1024);

/** An entry as a file may have it: exactly one of `file` and `descriptor`. */
const FileEntry = z.strictObject({
  ...entry,
  file: FilePath.optional().describe('A file with the deploy, relative to this one; or use `descriptor`.'),
  descriptor: DeployDocument.optional().describe('The deploy itself; or use `file`.'),
});
export type FileEntry = z.infer<typeof FileEntry>;

const fileBody = {
  includes: z
    .array(FilePath)
    .default([])
    .describe('Other release files, relative to this one; their deploys join this release, before its own.'),
  deploys: z.array(FileEntry).max(LIMITS.deploysInRelease).default([]).describe('The deploys, in their order.'),
};

/** A release as its file has it: deploys may stand in other files, and other releases may be included. */
export const ReleaseFile = z
  .strictObject({ ...ReleaseDocument.shape, ...fileBody })
  .meta({ title: 'Release', description: 'Several deploys and the dependencies between them.' });
export type ReleaseFile = z.infer<typeof ReleaseFile>;

/** A release file that another one includes: what the including file decides may be absent, or must say the same. */
export const IncludedRelease = z.strictObject({
  ...head,
  id: ReleaseId.optional().describe('Absent, or the id of the release that includes it.'),
  mode: Mode.optional(),
  start: Start.optional(),
  onFailure: OnFailure.optional(),
  ...fileBody,
});
export type IncludedRelease = z.infer<typeof IncludedRelease>;
