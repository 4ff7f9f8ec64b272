/**
 * The contract between renga and whatever carries a deploy out. A plugin is one file with three verbs: `start` begins a
 * job and returns at once, `read` tells its result, `stop` ends it. The state machine waits in between, by task token.
 */
import * as z from 'zod';
import { Artifact } from '../core/documents/deploy.ts';
import { LIMITS } from '../core/documents/limits.ts';
import { Target } from '../core/documents/target.ts';

/** `observe` is a probe: it looks whether what was deployed works, and changes nothing. */
export const Operation = z.enum(['plan', 'deploy', 'rollback', 'observe', 'destroy']);
export type Operation = z.infer<typeof Operation>;

export const PluginRequest = z.object({
  operation: Operation,
  deploy: z.object({
    id: z.string(),
    application: z.string(),
    environment: z.string(),
    release: z.string().optional(),
  }),
  /** The same for every attempt at the same step of the same deploy: a job is started once under it, however often it is asked. */
  idempotencyToken: z.string(),
  artifact: Artifact,
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  /** Hosts to act on, of this wave; none where the plugin acts on no hosts. */
  targets: z.array(Target).default([]),
  /** Which batch of targets this is, from 1; absent when there is one alone. */
  wave: z.object({ number: z.number().int(), of: z.number().int() }).optional(),
  /** Name of the custom step that this is; absent for the deploy step and its probes. */
  step: z.string().optional(),
  /** What was current before; for `rollback`, what is being undone. */
  previous: z.object({ deploy: z.string(), revision: z.number(), version: z.string() }).optional(),
  /** Seconds until the machine gives up on the job. */
  timeoutSeconds: z.number(),
});
export type PluginRequest = z.infer<typeof PluginRequest>;

export const PluginResult = z.object({
  status: z.enum(['success', 'error']),
  outputs: z
    .record(z.string(), z.string())
    .refine(
      (outputs) => Object.keys(outputs).length <= LIMITS.pluginOutputs,
      `more than ${LIMITS.pluginOutputs} outputs`,
    ),
  /** For a person: what happened, with the last lines of the log when it failed. */
  message: z.string().optional(),
});
export type PluginResult = z.infer<typeof PluginResult>;

/** Names a job to `read`, `stop` and `log`; small, stored with the deploy. */
export type Job = string;

export interface Started {
  readonly job: Job;
}

/** How stopping went. `cannot-stop`: it will end by itself, and whoever cancels is told so. */
export type Stopped = 'stopped' | 'already-ended' | 'cannot-stop';

export interface Plugin {
  readonly name: string;
  /** Problems with the parameters, found before anything is stored; sentences for a person. */
  check(params: PluginRequest['params']): readonly string[];
  /**
   * Starts the job, or finds the one already started under the same idempotency token. When it has ended (which may be
   * before this returns) the plugin calls `ended` of the {@link PluginHost}, at least once.
   */
  start(request: PluginRequest): Promise<Started>;
  /** The job's result, or undefined while it runs. Outputs are complete here; the caller keeps only the declared ones. */
  read(job: Job): Promise<PluginResult | undefined>;
  stop(job: Job): Promise<Stopped>;
  /** The result is recorded: whatever the job left of its outputs, declared or not, is removed (I8). */
  forget?(job: Job): Promise<void>;
  /** The job's log as text, from a byte offset; undefined when the plugin keeps none. */
  log?(job: Job, offset: number): Promise<{ readonly text: string; readonly next: number } | undefined>;
}

/** What a plugin is given by whoever hosts it. */
export interface PluginHost {
  /** Tells that the job of this idempotency token has ended: renga reads the result and answers the waiting machine. */
  ended(idempotencyToken: string): void;
}
