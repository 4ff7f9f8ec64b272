import type { Place } from './place.ts';

/** One thing that the source deploys: a manifest of Tazuna, a release of helmfile, a service of Compose. */
export interface Unit {
  /** What the source tells it from others by. */
  readonly key: string;
  /** What it is to be called here, if our name rule allows it; distinct from those of others. */
  readonly wanted: string;
  readonly place: Place;
  readonly waits: readonly UnitWait[];
  /** Units of a stage start when all of the stage before have ended. */
  readonly stage: number;
  readonly tags: readonly string[];
  readonly artifact: {
    readonly type: string;
    readonly version?: string | undefined;
    readonly source?: string | undefined;
  };
  /** Facts that whatever carries the deploy out needs, as parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** A command that would do, if there is an obvious one. */
  readonly command?: readonly string[] | undefined;
  readonly about?: string | undefined;
  /** Why it becomes no deploy; those that wait for it wait for what it waits for. */
  readonly left?: string | undefined;
}

export interface UnitWait {
  readonly key: string;
  readonly place: Place;
}

export interface ConvertOptions {
  readonly id: string;
  readonly environment?: string | undefined;
  readonly tenant?: string | undefined;
  readonly plugin: string;
  /** Of artifacts whose version the source does not say. */
  readonly version?: string | undefined;
}
