/**
 * One release: several deploys and the order between them, followed as one. The record is the head that decides; its
 * deploys are records of their own.
 */
import * as z from 'zod';
import { Decision } from '../deploy/deploy.ts';
import { Mode, OnFailure, Start } from '../documents/release.ts';
import { Failure } from '../failure.ts';

const Instant = z.number().int();

export const ReleaseIdentity = z.object({
  id: z.string(),
  mode: Mode,
  start: Start,
  onFailure: OnFailure,
  /** Content hash of the whole document: the same id with another hash is a conflict. */
  document: z.string(),
  deploys: z.number().int(),
  /** Content hash of the applications and environments that it concerns, each pair once: who may read them may read it. */
  scope: z.string().optional(),
  submittedBy: z.string(),
  submittedAs: z.literal('pipeline').optional(),
  groups: z.array(z.string()).optional(),
  createdAt: Instant,
});
export type ReleaseIdentity = z.infer<typeof ReleaseIdentity>;

/**
 * The fence that everything checks before it starts something:
 * `running` lets deploys start; `rolling-back` lets rollbacks start; in `failing` and `cancelling` nothing new starts.
 */
const Phase = z.enum(['running', 'failing', 'rolling-back', 'cancelling']);

const Pending = z.object({
  state: z.literal('PENDING'),
  phase: Phase,
  paused: z.boolean(),
  since: Instant,
  /** The first thing that went wrong. */
  failure: Failure.optional(),
  /** The execution that drove it is gone: nobody rolls back, and the last deploy to end concludes the release. */
  executionLost: z.boolean(),
  /** The deploy that could not be recorded, when one could not. */
  refused: z.object({ name: z.string(), failure: Failure }).optional(),
});
const Ended = z.object({
  state: z.enum(['SUCCESS', 'ERROR', 'CANCELLED']),
  since: Instant,
  endedAt: Instant,
  /** Who failed and why, one a line. */
  failure: Failure.optional(),
  refused: z.object({ name: z.string(), failure: Failure }).optional(),
});
export const ReleaseStatus = z.discriminatedUnion('state', [Pending, Ended]);
export type ReleaseStatus = z.infer<typeof ReleaseStatus>;
export type PendingRelease = z.infer<typeof Pending>;

export const Attempt = z.object({
  /** 1, then one more at every retry. */
  number: z.number().int(),
  startedAt: Instant,
  machine: z.object({ name: z.string(), arn: z.string() }),
  /** Name of the execution; its ARN follows from the machine's. */
  execution: z.string(),
  /** Who asked for it, when that was not who submitted the release. */
  by: z.string().optional(),
  /** Content hash of the names that keep their deploy of an earlier attempt; absent when none does. */
  kept: z.string().optional(),
});
export type Attempt = z.infer<typeof Attempt>;

export const Release = z.object({
  identity: ReleaseIdentity,
  attempt: Attempt,
  status: ReleaseStatus,
  seq: z.number().int(),
  pending: z.array(Decision),
});
export type Release = z.infer<typeof Release>;

/** One deploy's place in one attempt of a release. */
export const Member = z.object({
  name: z.string(),
  /** Place in the plan's order, from 0. */
  index: z.number().int(),
  layer: z.number().int(),
  deploy: z.string(),
  /** Its deploy succeeded in an earlier attempt and stays. */
  kept: z.boolean(),
});
export type Member = z.infer<typeof Member>;

/** Deploys of a release go under the name of whoever submitted it. */
export function submitterOf({
  identity: { submittedBy, submittedAs, groups },
}: Pick<Release, 'identity'>): Pick<ReleaseIdentity, 'submittedBy' | 'submittedAs' | 'groups'> {
  return {
    submittedBy,
    ...(submittedAs !== undefined && { submittedAs }),
    ...(groups !== undefined && { groups }),
  };
}
