import type { Happening } from './happening.ts';
import type { Json } from './json.ts';
import type { Block, MapState, Parallel, State } from './machine.ts';

/** One thread of control: the execution's own, a branch's or an iteration's. */
export interface Strand {
  readonly block: Block;
  readonly group: Group | undefined;
  readonly index: number;
  readonly item: { readonly Index: number; readonly Value: Json } | undefined;
  /** Replaced as a whole by an assignment, so an inner strand may share its outer one's. */
  variables: Readonly<Record<string, Json>>;
  /** The event before the next one of this strand. */
  last: number;
  visit: Visit | undefined;
  pending: Pending | undefined;
  inner: Group | undefined;
  over: boolean;
}

/** One stay in a state, over all its attempts. */
interface Visit {
  readonly state: State;
  readonly input: Json;
  readonly enteredAt: number;
  readonly enteredId: number;
  /** The event before the entering. */
  readonly beforeId: number;
  /** How often each retrier was used. */
  readonly attempts: number[];
  retries: number;
}

/** The branches of a Parallel, or the iterations of a Map. */
export interface Group {
  readonly owner: Strand;
  readonly state: Parallel | MapState;
  readonly strands: Set<Strand>;
  readonly results: Json[];
  readonly total: number;
  finished: number;
  failed: number;
  /** The first that was not started yet. */
  next: number;
  readonly start: (index: number) => Promise<Strand>;
  /** Whether the group goes on after so many failures; undefined when none is tolerated. */
  readonly tolerates: ((failed: number) => boolean) | undefined;
}

/** Something from outside that an execution waits for. */
export interface Pending {
  readonly id: number;
  /** The function to invoke, until it has answered. */
  invocation: { readonly functionArn: string; readonly payload: Json } | undefined;
  /** Whether a task token answers it. */
  readonly token: boolean;
  /** Instants, in milliseconds. */
  readonly timeoutAt: number | undefined;
  heartbeatAt: number | undefined;
  /** Milliseconds from one heartbeat to the next. */
  readonly heartbeat: number | undefined;
  readonly strand: Strand | undefined;
  readonly resume: (happening: Happening, pending: Pending) => Promise<void> | void;
}

/** A strand that has not begun: inside a group, or the execution's own. */
export function newStrand(
  block: Block,
  group: Group | undefined,
  index: number,
  item: Strand['item'],
  variables: Strand['variables'],
): Strand {
  return {
    ...{ block, group, index, item, variables, last: group?.owner.last ?? 0, over: false },
    ...{ visit: undefined, pending: undefined, inner: undefined },
  };
}
