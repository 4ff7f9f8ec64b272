/** A world on its way: what has become of everything so far, and what is still to come. */
import type { ExternalState, Run, Timer, Unit, Version } from './model-units.ts';
import type { Rules, World } from './world.ts';

export interface Course {
  readonly world: World;
  readonly line: (one: string, other: string) => number;
  readonly timers: Set<Timer>;
  readonly units: Map<string, Unit>;
  readonly runs: Map<string, Run>;
  readonly externals: Map<string, ExternalState>;
  /** Of each place, the current one last. */
  readonly versions: Map<string, Version[]>;
  now: number;
  /** How much later than now is right as well for what happens now. */
  slack: number;
  orders: number;
  ambiguous: string | undefined;
  hangsOnInstants: boolean;
}

export function setTimer(course: Course, at: number, run: () => void, more: Partial<Timer> = {}): void {
  course.timers.add({ at, run, slack: 0, quiet: false, isLive: () => true, ...more });
}

export function leaveOpen(course: Course, why: string): void {
  course.ambiguous ??= `${why} at ${course.now}`;
}

export function rulesOf(course: Course, environment: string): Rules {
  const documents = course.world.environments.find(({ name }) => name === environment)?.documents ?? [];
  return documents.findLast(({ at }) => at <= course.now) as Rules;
}
