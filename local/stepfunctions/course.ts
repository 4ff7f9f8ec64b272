import type { Json } from './json.ts';
import { type Failure, failure, type Result } from './machine.ts';
import type { Strand } from './strand.ts';

/** How strands go on; the kinds of states that need more than one step call back here. */
export interface Course {
  /** Enters a state at the strand's next turn. */
  goTo(strand: Strand, name: string, input: Json): void;
  /** Leaves a state that did its work. `got` is its result, where expressions may see it. */
  leave(strand: Strand, result: Result, next: string | undefined, output: Json, got?: Json): Promise<void>;
  /** A state failed: another attempt, a catcher, or the strand's end. */
  failed(strand: Strand, failed: Failure): Promise<void>;
  /** Runs part of a state; an expression that cannot be evaluated is that state's failure. */
  guarded(strand: Strand, part: () => Promise<void> | void): Promise<void>;
}

export function tooLarge(name: string, what: 'input' | 'output' | 'result' | 'variable'): Failure {
  const cause = `The state/task '${name}' has a ${what} with a size exceeding the maximum number of bytes service limit.`;
  return failure('States.DataLimitExceeded', cause);
}
