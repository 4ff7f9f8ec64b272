import type { Template } from './expressions.ts';
import type { Json } from './json.ts';

/** A definition after it was checked: what the runtime runs. {@link parseMachine} makes it. */
export interface Machine {
  readonly block: Block;
  /** Seconds that an execution may take. */
  readonly timeoutSeconds?: number;
}

/** `StartAt` and `States` of a machine, a branch or an item processor. */
export interface Block {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
}

export type State = Task | Pass | Choice | Wait | Parallel | MapState | Succeed | Fail;

interface Named {
  readonly name: string;
}

/** What comes after a state: another one, or the end of its block. */
interface Going {
  readonly next: string | undefined;
}

export interface Result {
  readonly output: Template | undefined;
  readonly assign: Assignments | undefined;
}

export type Assignments = readonly (readonly [variable: string, value: Template])[];

export interface Recovering {
  readonly retry: readonly Retrier[];
  readonly catch: readonly Catcher[];
}

export interface Task extends Named, Going, Result, Recovering {
  readonly type: 'Task';
  readonly resource:
    | { readonly kind: 'invoke'; readonly token: boolean }
    | { readonly kind: 'function'; readonly arn: string };
  readonly arguments: Template | undefined;
  readonly timeoutSeconds: Template | undefined;
  readonly heartbeatSeconds: Template | undefined;
}

interface Pass extends Named, Going, Result {
  readonly type: 'Pass';
}

export interface Choice extends Named, Result {
  readonly type: 'Choice';
  readonly choices: readonly (Result & { readonly condition: Template; readonly next: string })[];
  readonly fallback: string | undefined;
}

export interface Wait extends Named, Going, Result {
  readonly type: 'Wait';
  readonly until: { readonly kind: 'seconds' | 'timestamp'; readonly value: Template };
}

export interface Parallel extends Named, Going, Result, Recovering {
  readonly type: 'Parallel';
  readonly arguments: Template | undefined;
  readonly branches: readonly Block[];
}

export interface MapState extends Named, Going, Result, Recovering {
  readonly type: 'Map';
  readonly items: Template | undefined;
  readonly itemSelector: Template | undefined;
  readonly processor: Block;
  readonly maxConcurrency: Template | undefined;
  readonly toleratedCount: Template | undefined;
  readonly toleratedPercentage: Template | undefined;
}

interface Succeed extends Named {
  readonly type: 'Succeed';
  readonly output: Template | undefined;
}

interface Fail extends Named {
  readonly type: 'Fail';
  readonly error: Template | undefined;
  readonly cause: Template | undefined;
}

export interface Retrier {
  readonly errors: readonly string[];
  readonly intervalSeconds: number;
  readonly maxAttempts: number;
  readonly backoffRate: number;
  readonly maxDelaySeconds: number | undefined;
  readonly jitter: 'FULL' | 'NONE';
}

export interface Catcher extends Result {
  readonly errors: readonly string[];
  readonly next: string;
}

/** A failure as AWS names it. */
export interface Failure {
  readonly error: string | undefined;
  readonly cause: string | undefined;
}

export function failure(error: string | undefined, cause: string | undefined): Failure {
  return { error, cause };
}

/** The value that `$states.errorOutput` has, and what a catcher passes on by default. */
export function errorOutput({ error, cause }: Failure): Json {
  return { ...(error === undefined ? {} : { Error: error }), ...(cause === undefined ? {} : { Cause: cause }) };
}
