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
  /** Probes count from 0 in each wave. */
  z.object({ kind: z.literal('verify'), key: z.string(), wave: z.number().int(), probe: z.number().int() }),
]);
export type JobPlace = z.infer<typeof JobPlace>;

export const Progress = z.object({
  /** The job that runs, or that comes next. */
  place: JobPlace,
  timeoutSeconds: z.number().int(),
  /** The pause before it is over at this instant, in epoch milliseconds; absent when there is none. */
  notBefore: z.number().int().optional(),
  /** When the verification of this wave began, in epoch milliseconds, and how many probes in a row have succeeded. */
  verifying: z.object({ since: z.number().int(), successes: z.number().int() }).optional(),
});
export type Progress = z.infer<typeof Progress>;
