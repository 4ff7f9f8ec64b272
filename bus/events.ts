/** The events that renga puts on its bus, and how they read. Every decision that others may care about is one event. */
import * as z from 'zod';

export const SOURCE = 'renga';

export const DeployStateChanged = z.object({
  id: z.string(),
  application: z.string(),
  environment: z.string(),
  tenant: z.string().optional(),
  state: z.string(),
  /** Grows with every decision about this deploy: an event with a smaller one is older, whenever it arrives. */
  seq: z.number().int(),
  at: z.iso.datetime(),
  artifact: z.object({ type: z.string(), name: z.string(), version: z.string() }),
  release: z.object({ id: z.string(), attempt: z.number().int(), name: z.string() }).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
export type DeployStateChanged = z.infer<typeof DeployStateChanged>;

export const ReleaseStateChanged = z.object({
  id: z.string(),
  state: z.string(),
  phase: z.string().optional(),
  attempt: z.number().int(),
  seq: z.number().int(),
  at: z.iso.datetime(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
export type ReleaseStateChanged = z.infer<typeof ReleaseStateChanged>;

export type OutgoingEvent =
  | { readonly type: 'Deploy State Changed'; readonly detail: DeployStateChanged }
  | { readonly type: 'Release State Changed'; readonly detail: ReleaseStateChanged };
