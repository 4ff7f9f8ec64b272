/** A release's machine as text, and what it costs: bytes, history events and state transitions against AWS's limits. */
import type { OnFailure } from '../core/documents/release.ts';
import type { Problem } from '../core/errors.ts';
import type { Plan } from '../core/plan/plan.ts';
import { render } from './asl.ts';
import type { FunctionArns } from './functions.ts';
import { RECORDED_AT_ONCE, releaseMachine } from './release-machine.ts';

/** Step Functions' own limits for a standard workflow. */
export const AWS_LIMITS = { definitionBytes: 1024 * 1024, historyEvents: 25_000 } as const;

/** History events of one step, as Step Functions writes them. */
const EVENTS = {
  start: 1,
  end: 1,
  /** Entered, scheduled, started, succeeded, exited. */
  invoke: 5,
  /** Entered, scheduled, started, submitted, succeeded (or failed), exited. */
  invokeAndWait: 6,
  choice: 2,
  /** Entered, exited; a failed branch passes through one. */
  pass: 2,
  /** Entered, started, succeeded, exited. */
  parallel: 4,
  map: 4,
  /** Started, succeeded. */
  iteration: 2,
  terminal: 2,
} as const;

export interface CompiledRelease {
  readonly definition: string;
  readonly bytes: number;
  /** When everything succeeds, and at the most: every deploy but the last layer succeeds, and all of them go back. */
  readonly historyEvents: { readonly success: number; readonly most: number };
  /** Transitions of the release's machine alone; each deploy's own machine adds {@link DEPLOY_TRANSITIONS}. */
  readonly transitions: { readonly success: number; readonly most: number };
}

/** Transitions of a deploy's machine that waits for nothing and succeeds. */
export const DEPLOY_TRANSITIONS = 10;

export function compile(plan: Plan, onFailure: OnFailure, functions: FunctionArns): CompiledRelease {
  const definition = render(releaseMachine(plan, onFailure, functions));
  const deploys = plan.deploys.length;
  const layers = plan.start === 'eager' ? 1 : plan.layers.length;
  const parallels =
    plan.start === 'eager' ? Number(deploys > 1) : plan.layers.filter(({ length }) => length > 1).length;
  const choices = onFailure === 'continue' ? 0 : onFailure === 'rollback' ? layers : layers - 1;
  const recordings = Math.ceil(deploys / RECORDED_AT_ONCE);
  const success =
    EVENTS.start +
    EVENTS.end +
    recordings * (EVENTS.invoke + EVENTS.choice) +
    parallels * EVENTS.parallel +
    choices * EVENTS.choice +
    deploys * EVENTS.invokeAndWait +
    EVENTS.invoke +
    EVENTS.choice +
    EVENTS.terminal;
  const rollback =
    onFailure === 'rollback' ? EVENTS.invoke + EVENTS.map + deploys * (EVENTS.iteration + EVENTS.invokeAndWait) : 0;
  // One transition a state entered.
  const moves = 2 * recordings + parallels + choices + deploys + 3;
  return {
    definition,
    bytes: Buffer.byteLength(definition),
    historyEvents: { success, most: success + deploys * EVENTS.pass + rollback },
    transitions: { success: moves, most: moves + deploys + (onFailure === 'rollback' ? 2 + deploys : 0) },
  };
}

/** Refuses, with the number, what Step Functions would refuse or end half-way. */
export function sizeProblems(compiled: CompiledRelease): Problem[] {
  const problems: Problem[] = [];
  const hint = 'split it into several releases, the later ones with `after` on deploys of the earlier';
  const refuse = (message: string) => problems.push({ code: 'release-too-large', path: 'deploys', message, hint });
  if (compiled.bytes > AWS_LIMITS.definitionBytes) {
    refuse(`its state machine has ${compiled.bytes} bytes; Step Functions takes ${AWS_LIMITS.definitionBytes}`);
  }
  if (compiled.historyEvents.most > AWS_LIMITS.historyEvents) {
    refuse(
      `its execution may have ${compiled.historyEvents.most} history events; Step Functions ends at ${AWS_LIMITS.historyEvents}`,
    );
  }
  return problems;
}
