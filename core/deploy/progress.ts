/**
 * Where the jobs of a deploy have got to. Custom steps before come first, then each wave with the probes of its
 * verification, then custom steps after; one job at a time.
 */
import * as z from 'zod';

/** A job of a deploy: `key` is the last part of its idempotency token, so each is unique in the deploy. */
export const JobPlace = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('step'), key: z.string(), step: z.string() }),
  /** Waves count from 0. */
  z.object({ kind: z.literal('deploy'), key: z.string(), wave: z.number().int() }),
  z.object({ kind: z.literal('verify'), key: z.string(), wave: z.number().int(), probe: z.number().int() }),
]);
export type JobPlace = z.infer<typeof JobPlace>;

export const Progress = z.object({
  /** The job that runs, or that comes next. */
  place: JobPlace,
  /** How many jobs came before it. */
  number: z.number().int(),
  /** Epoch milliseconds at which the one before had been read. */
  since: z.number().int(),
  timeoutSeconds: z.number().int(),
  /** How long to wait before it starts. */
  pauseSeconds: z.number().int().optional(),
  /** When the verification of this wave began, in epoch milliseconds, and how many probes in a row have succeeded. */
  verifying: z.object({ since: z.number().int(), successes: z.number().int() }).optional(),
});
export type Progress = z.infer<typeof Progress>;
