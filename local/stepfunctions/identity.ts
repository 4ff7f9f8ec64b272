import type { Json } from './json.ts';

/** Who an execution is. Nothing here changes while it runs. */
export interface Identity {
  readonly arn: string;
  readonly name: string;
  readonly machineArn: string;
  readonly machineName: string;
  readonly roleArn: string;
  /** Names the execution inside its task tokens. */
  readonly key: string;
  /** Hex; task tokens and the execution's random numbers come from it, so it never leaves the journal. */
  readonly secret: string;
  readonly region: string;
  readonly account: string;
}

export interface Conclusion {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly at: number;
  readonly output?: Json;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}
