/** What the model keeps in mind while it lets a world go by. Nothing here is shared with renga. */
import type { LifeDeploy, LifeRelease, Rules } from './world.ts';

export type ModelState =
  | 'SCHEDULED'
  | 'WAITING'
  | 'ASKED'
  | 'READY'
  | 'RUNNING'
  | 'SUCCESS'
  | 'ERROR'
  | 'CANCELLED'
  | 'DEPENDENCY_FAILED'
  | 'REJECTED'
  | 'EXPIRED';

export const isOver = (state: ModelState) => !['SCHEDULED', 'WAITING', 'ASKED', 'READY', 'RUNNING'].includes(state);
export const hasFailed = (state: ModelState) => isOver(state) && state !== 'SUCCESS';
export const isWaiting = (state: ModelState) => !isOver(state) && state !== 'RUNNING';

/** One deploy, or one rollback of a release. */
export interface Unit {
  readonly id: string;
  readonly spec: LifeDeploy;
  readonly place: string;
  readonly run: Run | undefined;
  /** The deploy that this one takes back, to this version. */
  readonly undoes: { readonly unit: Unit; readonly to: Version } | undefined;
  /** Ids of what must succeed first. */
  readonly after: readonly string[];
  readonly submittedAt: number;
  /** How many seconds its environment gave for an approval when it was recorded. */
  readonly secondsAsked: number | undefined;
  state: ModelState;
  /** Its machine has come to it: single deploys at once, those of a layer with the layer. */
  begun: boolean;
  asked: { readonly required: number; readonly self: boolean; readonly expiresAt: number } | undefined;
  readonly approvals: Set<string>;
  /** Its place in line once it has one, and since when it stands there. */
  order: number | undefined;
  cameAt: number | undefined;
  startedAt: number | undefined;
  /** How much later than that is right as well. */
  slack: number;
  code: string | undefined;
}

/** A release on its way. */
export interface Run {
  readonly release: LifeRelease;
  attempt: number;
  phase: 'running' | 'failing' | 'rolling-back' | 'cancelling';
  paused: boolean;
  wasPaused: boolean;
  stage: number;
  ended: 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined;
  /** Of this attempt, by name. */
  members: Map<string, Unit>;
  /** Of this attempt, in order. */
  rollbacks: Unit[];
  /** Names still to go back. */
  toRollBack: string[];
}

export interface Version {
  /** Undefined for what stood there before. */
  readonly unit: Unit | undefined;
  readonly milliseconds: number;
  readonly back: 'success' | 'error';
}

export interface ExternalState {
  readonly pipeline: string;
  readonly version: string;
  begunAt: number | undefined;
  state: 'RUNNING' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined;
  endedAt: number | undefined;
  /** What its owner said before it had begun. */
  kept: 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined;
}

export interface Timer {
  readonly at: number;
  readonly slack: number;
  /** Only lets everything be looked at again. */
  readonly quiet: boolean;
  readonly isLive: () => boolean;
  readonly run: () => void;
}

/** Names stage by stage: what may run together when a release goes layer by layer. */
export function stagesOf({ mode, deploys }: LifeRelease): string[][] {
  const alone = deploys.every(({ after }) => after.length === 0);
  if (mode === 'sequential' || (mode === 'auto' && alone)) return deploys.map(({ name }) => [name]);
  const left = [...deploys];
  const done = new Set<string>();
  const found: string[][] = [];
  while (left.length > 0) {
    const layer = left.filter(({ after }) => after.every((name) => done.has(name)));
    for (const each of layer) {
      done.add(each.name);
      left.splice(left.indexOf(each), 1);
    }
    found.push(layer.map(({ name }) => name));
  }
  return found;
}

/** Names that wait for a name, however indirectly. */
export function dependantsOf({ deploys }: LifeRelease, name: string): Set<string> {
  const found = new Set<string>();
  const look = (of: string) => {
    for (const each of deploys) {
      if (!each.after.includes(of) || found.has(each.name)) continue;
      found.add(each.name);
      look(each.name);
    }
  };
  look(name);
  return found;
}

export function isFrozen({ freezes }: Rules, at: number): boolean {
  return freezes.some(({ from, to }) => from <= at && at < to);
}
