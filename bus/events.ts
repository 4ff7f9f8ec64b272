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

/** People are asked to approve a deploy. */
export const ApprovalRequested = z.object({
  id: z.string(),
  application: z.string(),
  environment: z.string(),
  tenant: z.string().optional(),
  seq: z.number().int(),
  at: z.iso.datetime(),
  artifact: z.object({ type: z.string(), name: z.string(), version: z.string() }),
  submittedBy: z.string(),
  required: z.number().int(),
  selfApproval: z.boolean(),
  expiresAt: z.iso.datetime(),
  release: z.object({ id: z.string(), attempt: z.number().int(), name: z.string() }).optional(),
});
export type ApprovalRequested = z.infer<typeof ApprovalRequested>;

/** An event that came in could not be understood, or what it asked for is refused. */
export const EventRefused = z.object({
  event: z.object({ id: z.string(), type: z.string(), source: z.string(), account: z.string() }),
  at: z.iso.datetime(),
  reason: z.object({ code: z.string(), message: z.string() }),
  problems: z.array(z.object({ code: z.string(), path: z.string() })).optional(),
});
export type EventRefused = z.infer<typeof EventRefused>;

/** Another pipeline is to carry out a job of the plugin `callback`, and to answer with the token. */
export const CallbackRequested = z.object({
  pipeline: z.string(),
  /** The same for whatever is asked again of the same job. */
  job: z.string(),
  token: z.string(),
  operation: z.string(),
  deploy: z.object({
    id: z.string(),
    application: z.string(),
    environment: z.string(),
    release: z.string().optional(),
  }),
  artifact: z.object({ type: z.string(), name: z.string(), version: z.string(), source: z.string().optional() }),
  params: z.record(z.string(), z.unknown()),
  targets: z.array(z.unknown()),
  wave: z.object({ number: z.number(), of: z.number() }).optional(),
  step: z.string().optional(),
  previous: z.object({ deploy: z.string(), revision: z.number(), version: z.string() }).optional(),
  timeoutSeconds: z.number(),
  heartbeatSeconds: z.number().optional(),
});
export type CallbackRequested = z.infer<typeof CallbackRequested>;
export const CallbackCancelled = z.object({ pipeline: z.string(), deploy: z.string(), job: z.string() });
export type CallbackCancelled = z.infer<typeof CallbackCancelled>;

export type OutgoingEvent =
  | { readonly type: 'Approval Requested'; readonly detail: ApprovalRequested }
  | { readonly type: 'Event Refused'; readonly detail: EventRefused }
  | { readonly type: 'Callback Requested'; readonly detail: CallbackRequested }
  | { readonly type: 'Callback Cancelled'; readonly detail: CallbackCancelled }
  | { readonly type: 'Deploy State Changed'; readonly detail: DeployStateChanged }
  | { readonly type: 'Release State Changed'; readonly detail: ReleaseStateChanged };
