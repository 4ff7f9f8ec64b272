import type { Json } from './json.ts';

/**
 * What reaches an execution from outside, in the order in which it was accepted. The journal holds these and nothing
 * else about a running execution: applying them again to the same definition gives the same states, events, variables
 * and tokens.
 *
 * `at` is the instant of acceptance in milliseconds; while a happening is applied, time stands still there. `id` is
 * the event that opened what it is about: the scheduling of a task, the entering of a wait, the failure before a retry.
 */
export type Happening =
  | { readonly kind: 'started'; readonly at: number; readonly input: string }
  | { readonly kind: 'returned'; readonly at: number; readonly id: number; readonly payload: Json }
  | {
      readonly kind: 'raised';
      readonly at: number;
      readonly id: number;
      readonly error: string;
      readonly cause: string;
    }
  | { readonly kind: 'answered'; readonly at: number; readonly id: number; readonly output: Json }
  | {
      readonly kind: 'refused';
      readonly at: number;
      readonly id: number;
      readonly error?: string | undefined;
      readonly cause?: string | undefined;
    }
  | { readonly kind: 'beat'; readonly at: number; readonly id: number }
  | { readonly kind: 'due'; readonly at: number; readonly id: number }
  | {
      readonly kind: 'stopped';
      readonly at: number;
      readonly error?: string | undefined;
      readonly cause?: string | undefined;
    }
  /** Its state machine was deleted: it ends at its next transition. */
  | { readonly kind: 'deleted'; readonly at: number };
