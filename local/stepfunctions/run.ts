import { type Course, tooLarge } from './course.ts';
import { QueryError } from './expressions.ts';
import { Groups } from './groups.ts';
import type { Happening } from './happening.ts';
import { type EventDetails, HISTORY_EVENTS, type HistoryEvent } from './history.ts';
import type { Conclusion, Identity } from './identity.ts';
import { isTooLarge, type Json, parseJson } from './json.ts';
import { errorOutput, type Failure, failure, type Machine, type Result, type State, type Wait } from './machine.ts';
import { HistoryIsFull, Recorder } from './recorder.ts';
import { matches, nextAttempt } from './recovery.ts';
import { Sight } from './sight.ts';
import { newStrand, type Pending, type Strand } from './strand.ts';
import { Tasks } from './tasks.ts';
import { instantOf } from './timestamp.ts';

const END_EVENTS: Readonly<Record<Conclusion['status'], string>> = {
  SUCCEEDED: 'ExecutionSucceeded',
  FAILED: 'ExecutionFailed',
  TIMED_OUT: 'ExecutionTimedOut',
  ABORTED: 'ExecutionAborted',
};

/**
 * One execution as a pure function of what happened to it: no clock, no I/O, no randomness of its own. `apply` runs it
 * until every strand waits for something from outside; strands take turns, one state at a time, so that the same
 * happenings always give the same history.
 */
export class Run implements Course {
  conclusion: Conclusion | undefined;
  /** State transitions as AWS bills them: every state entered and every retry. */
  transitions = 0;
  /** The input as it was given. */
  input = '{}';

  readonly #recorder = new Recorder();
  readonly #sight: Sight;
  readonly #tasks: Tasks;
  readonly #groups: Groups;
  #doomed = false;
  #turns: (() => Promise<void> | void)[] = [];

  constructor(
    readonly identity: Identity,
    private readonly machine: Machine,
  ) {
    const stateMachine = { Id: identity.machineArn, Name: identity.machineName };
    this.#sight = new Sight(stateMachine, identity.secret, this.#recorder);
    this.#tasks = new Tasks(this, this.#recorder, this.#sight, identity);
    this.#groups = new Groups(this, this.#recorder, this.#sight);
  }

  get history(): readonly HistoryEvent[] {
    return this.#recorder.history;
  }

  get pending(): ReadonlyMap<number, Pending> {
    return this.#recorder.pending;
  }

  /** What began to be waited for, or changed its deadline, since the last call; and what is over. */
  takeChanges(): { readonly fresh: readonly Pending[]; readonly gone: readonly number[] } {
    return this.#recorder.takeChanges();
  }

  async apply(happening: Happening): Promise<void> {
    if (this.conclusion !== undefined) return;
    this.#recorder.now = happening.at;
    try {
      await this.#dispatch(happening);
      for (let turn = 0; turn < this.#turns.length && this.conclusion === undefined; turn++)
        await this.#turns[turn]?.();
    } catch (error) {
      const cause =
        error instanceof HistoryIsFull
          ? `The execution reached the maximum number of history events (${HISTORY_EVENTS}).`
          : `An internal error ended the execution. ${String(error)}`;
      this.#conclude({ status: 'FAILED', at: happening.at, error: 'States.Runtime', cause }, 0);
    }
    this.#turns = [];
  }

  async #dispatch(happening: Happening): Promise<void> {
    switch (happening.kind) {
      case 'started':
        return this.#start(happening);
      case 'stopped': {
        const { at, error, cause } = happening;
        return this.#conclude({ status: 'ABORTED', at, error, cause }, 0);
      }
      case 'deleted':
        this.#doomed = true;
        return;
    }
    const pending = this.pending.get(happening.id);
    if (pending === undefined) return;
    if (happening.kind === 'beat') {
      if (pending.heartbeat !== undefined) pending.heartbeatAt = happening.at + pending.heartbeat;
      return this.#recorder.renew(pending);
    }
    const resume = () => pending.resume(happening, pending);
    return pending.strand === undefined ? resume() : this.guarded(pending.strand, resume);
  }

  #start({ at, input }: Extract<Happening, { kind: 'started' }>): void {
    const { arn, name, roleArn } = this.identity;
    this.input = input;
    const value = parseJson(input);
    const StartTime = new Date(at).toISOString();
    this.#sight.execution = { Id: arn, Input: value, Name: name, RoleArn: roleArn, StartTime, RedriveCount: 0 };
    this.#recorder.event(undefined, 'ExecutionStarted', { payload: { field: 'input', value }, plain: { roleArn } });
    const { timeoutSeconds, block } = this.machine;
    if (timeoutSeconds !== undefined) {
      const until = at + timeoutSeconds * 1000;
      const timedOut = () => this.#conclude({ status: 'TIMED_OUT', at: this.#recorder.now }, 0);
      this.#recorder.awaitInstant(undefined, 0, until, timedOut);
    }
    this.goTo(newStrand(block, undefined, 0, undefined, {}), block.startAt, value);
  }

  goTo(strand: Strand, name: string, input: Json): void {
    this.#turns.push(() => (strand.over ? undefined : this.#enter(strand, name, input)));
  }

  async #enter(strand: Strand, name: string, input: Json): Promise<void> {
    const { now } = this.#recorder;
    if (this.#doomed) {
      return this.#conclude({ status: 'ABORTED', at: now, cause: 'The state machine was deleted.' }, strand.last);
    }
    const state = strand.block.states.get(name);
    if (state === undefined) throw new Error(`there is no state ${name}`);
    this.transitions++;
    const beforeId = strand.last;
    const details = { payload: { field: 'input', value: input }, plain: { name } } as const;
    const enteredId = this.#recorder.event(strand, `${state.type}StateEntered`, details);
    strand.visit = { state, input, enteredAt: now, enteredId, beforeId, attempts: [], retries: 0 };
    await this.guarded(strand, () => this.#perform(strand, state, input));
  }

  async #perform(strand: Strand, state: State, input: Json): Promise<void> {
    const sight = this.#sight;
    switch (state.type) {
      case 'Pass':
        return this.leave(strand, state, state.next, input);
      case 'Succeed':
        return this.leave(strand, { output: state.output, assign: undefined }, undefined, input);
      case 'Fail': {
        const bindings = sight.bindings(strand);
        const error = await sight.text(state.error, bindings);
        return this.failed(strand, failure(error, await sight.text(state.cause, bindings)));
      }
      case 'Choice': {
        const bindings = sight.bindings(strand);
        for (const choice of state.choices) {
          const holds = await sight.valueOf('boolean', choice.condition, bindings);
          if (holds === true) return this.leave(strand, choice, choice.next, input);
        }
        if (state.fallback !== undefined) return this.leave(strand, state, state.fallback, input);
        const cause = `${where(strand)}Failed to transition out of the state: no rule matched and there is no default.`;
        return this.failed(strand, failure('States.NoChoiceMatched', cause));
      }
      case 'Wait':
        return this.#sleep(strand, state, input);
      case 'Task':
        return this.#tasks.attempt(strand, state);
      case 'Parallel':
        return this.#groups.fork(strand, state);
      case 'Map':
        return this.#groups.iterate(strand, state);
    }
  }

  async #sleep(strand: Strand, state: Wait, input: Json): Promise<void> {
    const { now } = this.#recorder;
    const kind = state.until.kind === 'seconds' ? 'number' : 'string';
    const value = await this.#sight.valueOf(kind, state.until.value, this.#sight.bindings(strand));
    if (typeof value === 'number' && value < 0) {
      throw new QueryError(`The Seconds field must not be negative: ${value}`, 'Seconds');
    }
    const until = typeof value === 'number' ? now + value * 1000 : instantOf(String(value));
    if (until === undefined) {
      const message = 'The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string';
      throw new QueryError(`${message}: ${String(value)}`, 'Timestamp');
    }
    const on = () => this.leave(strand, state, state.next, input);
    if (until <= now) return on();
    this.#recorder.awaitInstant(strand, strand.visit?.enteredId ?? 0, until, on);
  }

  async leave(strand: Strand, result: Result, next: string | undefined, output: Json, got?: Json): Promise<void> {
    if (result.output === undefined && result.assign === undefined) return this.#exit(strand, undefined, output, next);
    const bindings = this.#sight.bindings(strand, {}, got === undefined ? {} : { result: got });
    const said = await this.#sight.value(result.output, bindings, output);
    return this.#exit(strand, await this.#sight.assigned(result.assign, bindings), said, next);
  }

  async #exit(
    strand: Strand,
    assigned: Strand['variables'] | undefined,
    output: Json,
    next: string | undefined,
  ): Promise<void> {
    const { visit } = strand;
    if (visit === undefined) throw new Error('a state was left that nobody had entered');
    const { name, type } = visit.state;
    if (isTooLarge(output)) return this.failed(strand, tooLarge(name, 'output'));
    const values = Object.values(assigned ?? {});
    if (values.some(isTooLarge)) return this.failed(strand, tooLarge(name, 'variable'));
    this.#recorder.event(strand, `${type}StateExited`, {
      ...{ plain: { name }, payload: { field: 'output', value: output } },
      ...(assigned === undefined || values.length === 0 ? {} : { assigned }),
    });
    if (assigned !== undefined) strand.variables = { ...strand.variables, ...assigned };
    strand.visit = undefined;
    if (next !== undefined) this.goTo(strand, next, output);
    else this.#turns.push(() => (strand.over ? undefined : this.#finished(strand, output)));
  }

  async failed(strand: Strand, failed: Failure): Promise<void> {
    const { visit } = strand;
    const state = visit?.state;
    if (visit === undefined || state === undefined || !('retry' in state)) return this.#strandFailed(strand, failed);
    const again = nextAttempt(state, failed, visit.attempts, this.#sight.random);
    if (again !== undefined) {
      this.#recorder.awaitInstant(strand, strand.last, this.#recorder.now + again.delay, () => {
        visit.attempts[again.retrier] = (visit.attempts[again.retrier] ?? 0) + 1;
        visit.retries++;
        this.transitions++;
        return this.#perform(strand, state, visit.input);
      });
      return;
    }
    const catcher = state.catch.find(({ errors }) => matches(errors, failed));
    if (catcher === undefined) return this.#strandFailed(strand, failed);
    const output = errorOutput(failed);
    try {
      const bindings = this.#sight.bindings(strand, {}, { errorOutput: output });
      const said = await this.#sight.value(catcher.output, bindings, output);
      const assigned = await this.#sight.assigned(catcher.assign, bindings);
      if (![said, ...Object.values(assigned ?? {})].some(isTooLarge)) {
        return await this.#exit(strand, assigned, said, catcher.next);
      }
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      return this.#strandFailed(strand, this.#evaluationFailed(strand, error, strand.last));
    }
    return this.#strandFailed(strand, tooLarge(state.name, 'output'));
  }

  async guarded(strand: Strand, part: () => Promise<void> | void): Promise<void> {
    try {
      await part();
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      this.#groups.abortInner(strand);
      const { visit } = strand;
      const state = visit?.state;
      const first =
        visit !== undefined && strand.last === visit.enteredId && (state?.type === 'Task' || state?.type === 'Map');
      const failed = this.#evaluationFailed(strand, error, first ? visit.beforeId : strand.last);
      if (state?.type === 'Map' || state?.type === 'Parallel') await this.#groups.end(strand, state, failed);
      else await this.failed(strand, failed);
    }
  }

  #evaluationFailed(strand: Strand, { message, location }: QueryError, before: number): Failure {
    const error = 'States.QueryEvaluationError';
    const cause = where(strand) + message;
    strand.last = before;
    const plain = { error, cause, location, state: strand.visit?.state.name };
    this.#recorder.event(strand, 'EvaluationFailed', { plain });
    return failure(error, cause);
  }

  #finished(strand: Strand, output: Json): Promise<void> | void {
    strand.over = true;
    if (strand.group !== undefined) return this.#groups.finished(strand.group, strand, output);
    this.#conclude({ status: 'SUCCEEDED', at: this.#recorder.now, output }, strand.last);
  }

  async #strandFailed(strand: Strand, failed: Failure): Promise<void> {
    strand.over = true;
    if (strand.group !== undefined) return this.#groups.failed(strand.group, strand, failed);
    this.#conclude({ status: 'FAILED', at: this.#recorder.now, ...failed }, strand.last);
  }

  #conclude(conclusion: Conclusion, before: number): void {
    const { status, output, error, cause } = conclusion;
    this.conclusion = conclusion;
    const details: EventDetails =
      output === undefined ? { plain: { error, cause } } : { payload: { field: 'output', value: output } };
    this.#recorder.end(before, END_EVENTS[status], details);
  }
}

/** How AWS begins the cause of what went wrong inside a state. */
function where({ visit }: Strand): string {
  return `An error occurred while executing the state '${visit?.state.name}' (entered at the event id #${visit?.enteredId}). `;
}
