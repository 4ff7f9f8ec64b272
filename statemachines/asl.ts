/** The part of the Amazon States Language that renga writes: JSONata only. */
export interface Definition {
  readonly Comment: string;
  readonly QueryLanguage: 'JSONata';
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}
export type Branch = Omit<Definition, 'Comment' | 'QueryLanguage'>;

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type Common = { readonly Comment?: string; readonly Assign?: { readonly [key: string]: Json }; readonly Output?: Json };
type Flow = { readonly Next: string } | { readonly End: true };

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly MaxAttempts: number;
  readonly IntervalSeconds?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: 'FULL' | 'NONE';
}
export interface Catcher {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
  readonly Assign?: { readonly [key: string]: Json };
  readonly Output?: Json;
}

export type State =
  | (Common & {
      readonly Type: 'Task';
      readonly Resource: string;
      readonly Arguments: Json;
      readonly TimeoutSeconds?: number | string;
      readonly Retry?: readonly Retrier[];
      readonly Catch?: readonly Catcher[];
    } & Flow)
  | (Common & {
      readonly Type: 'Parallel';
      readonly Branches: readonly Branch[];
      readonly Catch?: readonly Catcher[];
    } & Flow)
  | (Common & {
      readonly Type: 'Map';
      readonly Items: Json;
      readonly MaxConcurrency: number;
      readonly ItemProcessor: Branch & { readonly ProcessorConfig: { readonly Mode: 'INLINE' } };
      readonly Catch?: readonly Catcher[];
    } & Flow)
  | (Common & {
      readonly Type: 'Choice';
      readonly Choices: readonly ({ readonly Condition: string; readonly Next: string } & Common)[];
      readonly Default: string;
    })
  | (Common & { readonly Type: 'Wait'; readonly Seconds: number | string } & Flow)
  | (Common & { readonly Type: 'Pass' } & Flow)
  | (Common & { readonly Type: 'Succeed' })
  | { readonly Type: 'Fail'; readonly Comment?: string; readonly Error: string; readonly Cause: string };

/** Writes a definition the same way, byte for byte, whenever it says the same. */
export function render(definition: Definition): string {
  return JSON.stringify(definition);
}
