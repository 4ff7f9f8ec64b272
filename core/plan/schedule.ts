import type { Start } from '../documents/release.ts';
import type { Plan, PlannedDeploy } from './plan.ts';

/** How long each deploy runs, by name, in any one unit; a name that is missing takes no time. */
export type Durations = ReadonlyMap<string, number>;

/**
 * How long the release takes when every deploy runs as long as `durations` says and nothing else takes time:
 * `layers` waits for the slowest of each layer, `eager` only for what each deploy itself waits for. In sequential
 * order both are the sum. Same unit as `durations`.
 */
export function makespan(plan: Plan, durations: Durations, start: Start = plan.start): number {
  if (start === 'eager' && plan.order === 'dag') return criticalPath(plan, durations).length;
  return plan.layers.reduce((sum, layer) => {
    const slowest = layer.reduce((most, { name }) => Math.max(most, durations.get(name) ?? 0), 0);
    return sum + slowest;
  }, 0);
}

/**
 * The chain of deploys that no parallelism can shorten, first to last, and how long it takes. Of several as long, the
 * one whose last deploy comes first in the plan. In sequential order it is the whole release.
 */
export function criticalPath(plan: Plan, durations: Durations): { path: string[]; length: number } {
  const ends = new Map<string, { end: number; via: string | undefined }>();
  let last: string | undefined;
  const endOf = (name: string | undefined) => (name === undefined ? -1 : (ends.get(name)?.end ?? -1));
  for (const { name, after } of plan.layers.flat()) {
    const waits = plan.order === 'sequential' ? (last === undefined ? [] : [last]) : after;
    const via = waits.reduce<string | undefined>(
      (best, other) => (endOf(other) > endOf(best) ? other : best),
      undefined,
    );
    const end = Math.max(0, endOf(via)) + (durations.get(name) ?? 0);
    ends.set(name, { end, via });
    if (plan.order === 'sequential' || end > endOf(last)) last = name;
  }
  const path: string[] = [];
  for (let name = last; name !== undefined; name = ends.get(name)?.via) path.push(name);
  return { path: path.reverse(), length: Math.max(0, endOf(last)) };
}

/** What holds one deploy back when its release runs. */
export interface Wait {
  readonly name: string;
  /** Counted from 1. */
  readonly layer: number;
  /** Deploys of the release that must succeed first. */
  readonly deploys: readonly string[];
  /** Ids outside the release that must succeed first. */
  readonly external: readonly string[];
  /** Deploys of the layer before that must conclude first although it does not depend on them; 0 with `eager`. */
  readonly barrier: number;
}

/** The deploys of a plan that wait for something, in the plan's order. */
export function waitsOf(plan: Plan): Wait[] {
  return plan.layers.flatMap((layer, at) => {
    const before = new Set(plan.layers[at - 1]?.map(({ name }) => name));
    return layer
      .map((deploy) => waitOf(deploy, at + 1, plan.start === 'eager' ? new Set<string>() : before))
      .filter(({ deploys, external, barrier }) => deploys.length + external.length + barrier > 0);
  });
}

function waitOf({ name, after, external }: PlannedDeploy, layer: number, before: ReadonlySet<string>): Wait {
  const named = after.filter((other) => before.has(other)).length;
  return { name, layer, deploys: after, external, barrier: before.size - named };
}
