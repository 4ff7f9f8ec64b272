import { createHmac } from 'node:crypto';
import { type Bindings, evaluate, evaluateAs, QueryError, sequence, type Template } from './expressions.ts';
import type { Happening } from './happening.ts';
import { type EventDetails, HISTORY_EVENTS, type HistoryEvent } from './history.ts';
import { isArray, isObject, isTooLarge, type Json, type JsonObject, parseJson, textOf } from './json.ts';
import {
  type Assignments,
  type Block,
  errorOutput,
  type Failure,
  failure,
  type Machine,
  type MapState,
  type Parallel,
  type Result,
  type State,
  type Task,
  type Wait,
} from './machine.ts';
import { matches, nextAttempt } from './recovery.ts';
import { instantOf } from './timestamp.ts';

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
  readonly heartbeat: number | undefined;
  readonly strand: Strand | undefined;
  readonly resume: (happening: Happening, pending: Pending) => Promise<void> | void;
}

export interface Conclusion {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly at: number;
  readonly output?: Json;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}

/** One thread of control: the execution's own, a branch's or an iteration's. */
interface Strand {
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
  readonly beforeId: number;
  readonly attempts: number[];
  retries: number;
}

/** The branches of a Parallel, or the iterations of a Map. */
interface Group {
  readonly owner: Strand;
  readonly state: Parallel | MapState;
  readonly strands: Set<Strand>;
  readonly results: Json[];
  readonly total: number;
  finished: number;
  failed: number;
  /** Iterations that may be started yet, from this index on. */
  next: number;
  readonly start: (index: number) => Promise<Strand>;
  readonly tolerated: (failed: number) => boolean;
  readonly strict: boolean;
}

class HistoryIsFull extends Error {}

const INLINE_CONCURRENCY = 40;
const ABORTABLE: readonly State['type'][] = ['Task', 'Wait', 'Parallel', 'Map'];

/**
 * One execution as a pure function of what happened to it: no clock, no I/O, no randomness of its own. `apply` runs it
 * until every strand waits for something from outside; strands take turns, one state at a time, so that the same
 * happenings always give the same history.
 */
export class Run {
  readonly history: HistoryEvent[] = [];
  readonly pending = new Map<number, Pending>();
  conclusion: Conclusion | undefined;
  /** State transitions as AWS bills them: every state entered and every retry. */
  transitions = 0;
  /** The input as it was given. */
  input = '{}';
  startedAt = 0;

  #fresh: Pending[] = [];
  #gone: number[] = [];
  #now = 0;
  #doomed = false;
  #ready: (() => Promise<void> | void)[] = [];
  readonly #random: () => number;
  #execution: JsonObject = {};
  readonly #stateMachine: JsonObject;

  constructor(
    readonly identity: Identity,
    private readonly machine: Machine,
  ) {
    this.#random = sequence(`random ${identity.secret}`);
    this.#stateMachine = { Id: identity.machineArn, Name: identity.machineName };
  }

  async apply(happening: Happening): Promise<void> {
    if (this.conclusion !== undefined) return;
    this.#now = happening.at;
    try {
      await this.#dispatch(happening);
      for (let turn = 0; turn < this.#ready.length; turn++) {
        await this.#ready[turn]?.();
        if (this.conclusion !== undefined) break;
      }
    } catch (error) {
      const cause =
        error instanceof HistoryIsFull
          ? `The execution reached the maximum number of history events (${HISTORY_EVENTS}).`
          : `An internal error ended the execution. ${String(error)}`;
      this.#conclude({ status: 'FAILED', at: this.#now, error: 'States.Runtime', cause }, 0);
    }
    this.#ready = [];
  }

  /** What began to be waited for, or changed its deadline, since the last call; and what is over. */
  takeChanges(): { readonly fresh: readonly Pending[]; readonly gone: readonly number[] } {
    const changes = { fresh: this.#fresh.filter((pending) => this.pending.has(pending.id)), gone: this.#gone };
    this.#fresh = [];
    this.#gone = [];
    return changes;
  }

  tokenOf(id: number): string {
    const { key, secret } = this.identity;
    return taskToken(key, id, secret);
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
      case 'beat': {
        const pending = this.pending.get(happening.id);
        if (pending === undefined) return;
        if (pending.heartbeat !== undefined) pending.heartbeatAt = happening.at + pending.heartbeat;
        this.#fresh.push(pending);
        return;
      }
      default: {
        const pending = this.pending.get(happening.id);
        if (pending === undefined) return;
        const { strand } = pending;
        return strand === undefined
          ? pending.resume(happening, pending)
          : this.#guarded(strand, () => pending.resume(happening, pending));
      }
    }
  }

  #start({ at, input }: Extract<Happening, { kind: 'started' }>): void {
    const { arn, name, roleArn } = this.identity;
    this.input = input;
    this.startedAt = at;
    const value = parseJson(input);
    const StartTime = new Date(at).toISOString();
    this.#execution = { Id: arn, Input: value, Name: name, RoleArn: roleArn, StartTime, RedriveCount: 0 };
    this.#event(undefined, 'ExecutionStarted', { payload: { field: 'input', value }, plain: { roleArn } });
    if (this.machine.timeoutSeconds !== undefined) {
      this.#wait(undefined, 0, at + this.machine.timeoutSeconds * 1000, () => {
        this.#conclude({ status: 'TIMED_OUT', at: this.#now }, 0);
      });
    }
    const strand = this.#strand(this.machine.block, undefined, 0, undefined, {});
    this.#goTo(strand, strand.block.startAt, value);
  }

  #strand(
    block: Block,
    group: Group | undefined,
    index: number,
    item: Strand['item'],
    variables: Strand['variables'],
  ): Strand {
    const last = group?.owner.last ?? 0;
    return {
      ...{ block, group, index, item, variables, last, over: false },
      ...{ visit: undefined, pending: undefined, inner: undefined },
    };
  }

  // States

  #goTo(strand: Strand, name: string, input: Json): void {
    this.#ready.push(() => {
      if (!strand.over) return this.#enter(strand, name, input);
    });
  }

  async #enter(strand: Strand, name: string, input: Json): Promise<void> {
    if (this.#doomed) {
      const cause = 'The state machine was deleted.';
      this.#conclude({ status: 'ABORTED', at: this.#now, cause }, strand.last);
      return;
    }
    const state = strand.block.states.get(name);
    if (state === undefined) throw new Error(`there is no state ${name}`);
    this.transitions++;
    const beforeId = strand.last;
    const details = { payload: { field: 'input', value: input }, plain: { name } } as const;
    const enteredId = this.#event(strand, `${state.type}StateEntered`, details);
    strand.visit = { state, input, enteredAt: this.#now, enteredId, beforeId, attempts: [], retries: 0 };
    await this.#guarded(strand, () => this.#perform(strand, state, input));
  }

  async #perform(strand: Strand, state: State, input: Json): Promise<void> {
    switch (state.type) {
      case 'Pass':
        return this.#leave(strand, state, state.next, input);
      case 'Succeed': {
        const output = await this.#evaluated(strand, state.output, input);
        return this.#exitChecked(strand, undefined, output, undefined);
      }
      case 'Fail': {
        const error = await this.#text(strand, state.error);
        const cause = await this.#text(strand, state.cause);
        return this.#failed(strand, failure(error, cause));
      }
      case 'Choice': {
        for (const choice of state.choices) {
          if (await evaluateAs('boolean', choice.condition, this.#bindings(strand), this.#source)) {
            return this.#leave(strand, choice, choice.next, input);
          }
        }
        if (state.fallback !== undefined) return this.#leave(strand, state, state.fallback, input);
        const cause = `${this.#where(strand)}Failed to transition out of the state: no rule matched and there is no default.`;
        return this.#failed(strand, failure('States.NoChoiceMatched', cause));
      }
      case 'Wait':
        return this.#sleep(strand, state, input);
      case 'Task':
        return this.#attempt(strand, state);
      case 'Parallel':
        return this.#fork(strand, state);
      case 'Map':
        return this.#iterate(strand, state);
    }
  }

  async #sleep(strand: Strand, state: Wait, input: Json): Promise<void> {
    const value = await evaluateAs(
      state.until.kind === 'seconds' ? 'number' : 'string',
      state.until.value,
      this.#bindings(strand),
      this.#source,
    );
    const until = typeof value === 'number' ? this.#now + value * 1000 : instantOf(String(value));
    if (until === undefined) {
      const message = 'The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string';
      throw new QueryError(`${message}: ${String(value)}`, 'Timestamp');
    }
    if (typeof value === 'number' && value < 0) {
      throw new QueryError(`The Seconds field must not be negative: ${value}`, 'Seconds');
    }
    if (until <= this.#now) return this.#leave(strand, state, state.next, input);
    const { visit } = strand;
    this.#wait(strand, visit?.enteredId ?? 0, until, () => this.#leave(strand, state, state.next, input));
  }

  // Tasks

  async #attempt(strand: Strand, state: Task): Promise<void> {
    const id = this.history.length + 1;
    const token = state.resource.kind === 'invoke' && state.resource.token;
    const bindings = this.#bindings(strand, token ? { Task: { Token: this.tokenOf(id) } } : {});
    const input = strand.visit?.input ?? {};
    const given = state.arguments === undefined ? input : await evaluate(state.arguments, bindings, this.#source);
    const timeout = await this.#seconds(state.timeoutSeconds, 'TimeoutSeconds', bindings);
    const heartbeat = await this.#seconds(state.heartbeatSeconds, 'HeartbeatSeconds', bindings);
    if (isTooLarge(given)) return this.#failed(strand, tooLarge(state.name, 'input'));
    const invocation = this.#invocation(state, given);
    const limits = { timeoutInSeconds: timeout, heartbeatInSeconds: heartbeat };
    if (state.resource.kind === 'function') {
      const plain = { resource: state.resource.arn, timeoutInSeconds: timeout };
      this.#event(strand, 'LambdaFunctionScheduled', { plain, payload: { field: 'input', value: given } });
      this.#event(strand, 'LambdaFunctionStarted');
    } else {
      const plain = { ...this.#service(state), region: this.identity.region, ...limits };
      this.#event(strand, 'TaskScheduled', { plain, payload: { field: 'parameters', value: given } });
      this.#event(strand, 'TaskStarted', { plain: this.#service(state) });
    }
    this.#await({
      ...{ id, invocation, token, strand },
      timeoutAt: timeout === undefined ? undefined : this.#now + timeout * 1000,
      heartbeat: heartbeat === undefined ? undefined : heartbeat * 1000,
      heartbeatAt: heartbeat === undefined ? undefined : this.#now + heartbeat * 1000,
      resume: (happening, pending) => this.#taskHappened(strand, state, happening, pending),
    });
  }

  #invocation(state: Task, given: Json): { functionArn: string; payload: Json } {
    if (state.resource.kind === 'function') return { functionArn: state.resource.arn, payload: given };
    const name = isObject(given) ? given.FunctionName : undefined;
    if (!isObject(given) || typeof name !== 'string') {
      throw new QueryError('The field FunctionName must be a string', 'Arguments/FunctionName');
    }
    const { region, account } = this.identity;
    const functionArn = name.startsWith('arn:') ? name : `arn:aws:lambda:${region}:${account}:function:${name}`;
    return { functionArn, payload: given.Payload ?? {} };
  }

  #taskHappened(strand: Strand, state: Task, happening: Happening, pending: Pending): Promise<void> | void {
    switch (happening.kind) {
      case 'returned': {
        const direct = state.resource.kind === 'function';
        const result: Json = direct
          ? happening.payload
          : { ExecutedVersion: '$LATEST', Payload: happening.payload, StatusCode: 200 };
        if (isTooLarge(result)) return this.#taskFailed(strand, state, tooLarge(state.name, 'result'));
        if (!pending.token) return this.#taskSucceeded(strand, state, result);
        pending.invocation = undefined;
        const payload = { field: 'output', value: result } as const;
        this.#event(strand, 'TaskSubmitted', { plain: this.#service(state), payload });
        return;
      }
      case 'answered':
        return this.#taskSucceeded(strand, state, happening.output);
      case 'raised':
      case 'refused':
        return this.#taskFailed(strand, state, failure(happening.error, happening.cause));
      case 'due': {
        const { timeoutAt, heartbeatAt } = pending;
        if (timeoutAt !== undefined && happening.at >= timeoutAt)
          return this.#taskTimedOut(strand, state, 'States.Timeout');
        if (heartbeatAt !== undefined && happening.at >= heartbeatAt) {
          return this.#taskTimedOut(strand, state, 'States.HeartbeatTimeout');
        }
        this.#fresh.push(pending);
        return;
      }
      default:
        return;
    }
  }

  #taskSucceeded(strand: Strand, state: Task, result: Json): Promise<void> {
    this.#settle(strand);
    const payload = { field: 'output', value: result } as const;
    if (state.resource.kind === 'function') this.#event(strand, 'LambdaFunctionSucceeded', { payload });
    else this.#event(strand, 'TaskSucceeded', { plain: this.#service(state), payload });
    return this.#leave(strand, state, state.next, result, result);
  }

  #taskFailed(strand: Strand, state: Task, failed: Failure): Promise<void> {
    this.#settle(strand);
    const { error, cause } = failed;
    if (state.resource.kind === 'function') this.#event(strand, 'LambdaFunctionFailed', { plain: { error, cause } });
    else this.#event(strand, 'TaskFailed', { plain: { ...this.#service(state), error, cause } });
    return this.#failed(strand, failed);
  }

  #taskTimedOut(strand: Strand, state: Task, error: string): Promise<void> {
    this.#settle(strand);
    if (state.resource.kind === 'function') this.#event(strand, 'LambdaFunctionTimedOut', { plain: { error } });
    else this.#event(strand, 'TaskTimedOut', { plain: { ...this.#service(state), error } });
    return this.#failed(strand, failure(error, undefined));
  }

  #service({ resource }: Task): { resourceType: string; resource: string } {
    const token = resource.kind === 'invoke' && resource.token;
    return { resourceType: 'lambda', resource: token ? 'invoke.waitForTaskToken' : 'invoke' };
  }

  async #seconds(template: Template | undefined, field: string, bindings: Bindings): Promise<number | undefined> {
    if (template === undefined) return undefined;
    const value = await evaluateAs('number', template, bindings, this.#source);
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
    throw new QueryError(`The ${field} field must be a positive integer but was: ${textOf(value)}`, field);
  }

  // Branches and iterations

  async #fork(strand: Strand, state: Parallel): Promise<void> {
    const input = await this.#evaluated(strand, state.arguments, strand.visit?.input ?? {});
    if (isTooLarge(input)) return this.#failed(strand, tooLarge(state.name, 'input'));
    this.#event(strand, 'ParallelStateStarted');
    const group: Group = {
      ...{ owner: strand, state, strands: new Set<Strand>(), results: [], total: state.branches.length },
      ...{ finished: 0, failed: 0, next: 0, strict: true, tolerated: () => false },
      start: async (index) => {
        const block = state.branches[index];
        if (block === undefined) throw new Error(`there is no branch ${index}`);
        const branch = this.#strand(block, group, index, strand.item, strand.variables);
        this.#goTo(branch, block.startAt, input);
        return branch;
      },
    };
    strand.inner = group;
    for (; group.next < group.total; group.next++) group.strands.add(await group.start(group.next));
  }

  async #iterate(strand: Strand, state: MapState): Promise<void> {
    const bindings = this.#bindings(strand);
    const items =
      state.items === undefined ? strand.visit?.input : await evaluateAs('array', state.items, bindings, this.#source);
    if (!isArray(items)) throw new QueryError(`Map state input must be an array but was: ${textOf(items ?? null)}`);
    const limit = await this.#count(state.maxConcurrency, 'MaxConcurrency', bindings);
    const count = await this.#count(state.toleratedCount, 'ToleratedFailureCount', bindings);
    const share = await this.#count(state.toleratedPercentage, 'ToleratedFailurePercentage', bindings);
    this.#event(strand, 'MapStateStarted', { plain: { length: items.length } });
    const group: Group = {
      ...{ owner: strand, state, strands: new Set<Strand>(), results: [], total: items.length },
      ...{ finished: 0, failed: 0, next: 0 },
      strict: count === undefined && share === undefined,
      tolerated: (failed) =>
        (count !== undefined && failed <= count) || (share !== undefined && failed * 100 <= share * items.length),
      start: (index) => this.#iteration(strand, state, group, index, items[index] ?? null),
    };
    strand.inner = group;
    if (items.length === 0) return this.#gathered(group);
    const concurrent = limit === undefined || limit === 0 ? INLINE_CONCURRENCY : limit;
    while (group.next < group.total && group.strands.size < concurrent) {
      await this.#startNext(group);
      if (strand.inner !== group) return;
    }
  }

  async #startNext(group: Group): Promise<void> {
    group.strands.add(await group.start(group.next++));
  }

  async #iteration(owner: Strand, state: MapState, group: Group, index: number, value: Json): Promise<Strand> {
    const item = { Index: index, Value: value };
    const strand = this.#strand(state.processor, group, index, item, owner.variables);
    const plain = { name: state.name, index };
    const bindings = this.#bindings(owner, { Map: { Item: item } });
    const input = state.itemSelector === undefined ? value : await evaluate(state.itemSelector, bindings, this.#source);
    this.#event(strand, 'MapIterationStarted', { plain });
    this.#goTo(strand, state.processor.startAt, input);
    return strand;
  }

  async #count(template: Template | undefined, field: string, bindings: Bindings): Promise<number | undefined> {
    if (template === undefined) return undefined;
    const value = await evaluateAs('number', template, bindings, this.#source);
    if (typeof value === 'number' && value >= 0) return value;
    throw new QueryError(`The ${field} field must be a non-negative number but was: ${textOf(value)}`, field);
  }

  async #strandFinished(strand: Strand, output: Json): Promise<void> {
    strand.over = true;
    const { group } = strand;
    if (group === undefined) {
      this.#conclude({ status: 'SUCCEEDED', at: this.#now, output }, strand.last);
      return;
    }
    if (group.state.type === 'Map') {
      this.#event(strand, 'MapIterationSucceeded', { plain: { name: group.state.name, index: strand.index } });
    }
    group.results[strand.index] = output;
    await this.#strandOver(group, strand);
  }

  /** A strand of the group has ended and the group goes on. */
  async #strandOver(group: Group, strand: Strand): Promise<void> {
    group.strands.delete(strand);
    group.owner.last = strand.last;
    group.finished++;
    if (group.finished === group.total) return this.#guarded(group.owner, () => this.#gathered(group));
    if (group.next < group.total) await this.#guarded(group.owner, () => this.#startNext(group));
  }

  #gathered(group: Group): Promise<void> {
    const { owner, state, results } = group;
    owner.inner = undefined;
    if (isTooLarge(results)) return this.#failed(owner, tooLarge(state.name, 'result'));
    // AWS links the exit to what came before this event.
    const before = owner.last;
    this.#event(owner, `${state.type}StateSucceeded`);
    owner.last = before;
    return this.#leave(owner, state, state.next, results, results);
  }

  async #strandFailed(strand: Strand, failed: Failure): Promise<void> {
    strand.over = true;
    const { group, visit } = strand;
    if (group === undefined) {
      this.#conclude({ status: 'FAILED', at: this.#now, ...failed }, strand.last);
      return;
    }
    group.failed++;
    if (group.state.type === 'Map') {
      this.#event(strand, 'MapIterationFailed', { plain: { name: group.state.name, index: strand.index } });
      if (!group.strict && group.tolerated(group.failed)) {
        group.results[strand.index] = errorOutput(failed);
        return this.#strandOver(group, strand);
      }
    } else if (visit?.state.type === 'Task') {
      this.#event(strand, 'TaskStateAborted');
    }
    group.strands.delete(strand);
    const { owner } = group;
    this.#abortInner(owner);
    owner.last = strand.last;
    if (group.strict) return this.#groupFailed(owner, group.state, failed);
    const cause = 'The specified tolerated failure threshold was exceeded';
    return this.#groupFailed(owner, group.state, failure('States.ExceedToleratedFailureThreshold', cause));
  }

  async #groupFailed(owner: Strand, state: Parallel | MapState, failed: Failure): Promise<void> {
    this.#event(owner, `${state.type}StateFailed`);
    return this.#failed(owner, failed);
  }

  #abortInner(owner: Strand): void {
    const group = owner.inner;
    owner.inner = undefined;
    for (const strand of group?.strands ?? []) {
      strand.over = true;
      this.#abortInner(strand);
      this.#settle(strand);
      const type = strand.visit?.state.type;
      if (type !== undefined && ABORTABLE.includes(type)) this.#event(strand, `${type}StateAborted`);
      if (group?.state.type === 'Map') {
        this.#event(strand, 'MapIterationAborted', { plain: { name: group.state.name, index: strand.index } });
      }
    }
  }

  // Leaving a state, well or badly

  async #leave(strand: Strand, result: Result, next: string | undefined, output: Json, got?: Json): Promise<void> {
    if (result.output === undefined && result.assign === undefined) {
      return this.#exitChecked(strand, undefined, output, next);
    }
    const bindings = this.#bindings(strand, {}, got === undefined ? {} : { result: got });
    const said = result.output === undefined ? output : await evaluate(result.output, bindings, this.#source);
    const assigned = await this.#assigned(result.assign, bindings);
    return this.#exitChecked(strand, assigned, said, next);
  }

  async #assigned(
    assign: Assignments | undefined,
    bindings: Bindings,
  ): Promise<Readonly<Record<string, Json>> | undefined> {
    if (assign === undefined) return undefined;
    const assigned: Record<string, Json> = {};
    for (const [variable, template] of assign) {
      assigned[variable] = await evaluate(template, bindings, this.#source);
    }
    return assigned;
  }

  async #exitChecked(
    strand: Strand,
    assigned: Readonly<Record<string, Json>> | undefined,
    output: Json,
    next: string | undefined,
  ): Promise<void> {
    const name = strand.visit?.state.name ?? '';
    if (isTooLarge(output)) return this.#failed(strand, tooLarge(name, 'output'));
    for (const value of Object.values(assigned ?? {})) {
      if (isTooLarge(value)) return this.#failed(strand, tooLarge(name, 'variable'));
    }
    this.#exit(strand, assigned, output, next);
  }

  #exit(
    strand: Strand,
    assigned: Readonly<Record<string, Json>> | undefined,
    output: Json,
    next: string | undefined,
  ): void {
    const { visit } = strand;
    if (visit === undefined) throw new Error('a state was left that nobody had entered');
    this.#event(strand, `${visit.state.type}StateExited`, {
      ...{ plain: { name: visit.state.name }, payload: { field: 'output', value: output } },
      ...(assigned === undefined || Object.keys(assigned).length === 0 ? {} : { assigned }),
    });
    if (assigned !== undefined) strand.variables = { ...strand.variables, ...assigned };
    strand.visit = undefined;
    if (next !== undefined) this.#goTo(strand, next, output);
    else this.#ready.push(() => (strand.over ? undefined : this.#strandFinished(strand, output)));
  }

  /** The state failed: another attempt, a catcher, or the strand's end. */
  async #failed(strand: Strand, failed: Failure): Promise<void> {
    const { visit } = strand;
    const state = visit?.state;
    if (visit === undefined || (state?.type !== 'Task' && state?.type !== 'Parallel' && state?.type !== 'Map')) {
      return this.#strandFailed(strand, failed);
    }
    const again = nextAttempt(state, failed, visit.attempts, this.#random);
    if (again !== undefined) {
      this.#wait(strand, strand.last, this.#now + again.delay, () => {
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
      const bindings = this.#bindings(strand, {}, { errorOutput: output });
      const said = catcher.output === undefined ? output : await evaluate(catcher.output, bindings, this.#source);
      this.#exit(strand, await this.#assigned(catcher.assign, bindings), said, catcher.next);
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      return this.#strandFailed(strand, this.#evaluationFailed(strand, error, strand.last));
    }
  }

  /** Runs part of a state; an expression that cannot be evaluated is that state's failure. */
  async #guarded(strand: Strand, part: () => Promise<void> | void): Promise<void> {
    try {
      await part();
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      this.#abortInner(strand);
      const { visit } = strand;
      const state = visit?.state;
      const first =
        visit !== undefined && strand.last === visit.enteredId && (state?.type === 'Task' || state?.type === 'Map');
      const failed = this.#evaluationFailed(strand, error, first ? visit.beforeId : strand.last);
      if (state?.type === 'Map' || state?.type === 'Parallel') await this.#groupFailed(strand, state, failed);
      else await this.#failed(strand, failed);
    }
  }

  #evaluationFailed(strand: Strand, { message, location }: QueryError, before: number): Failure {
    const error = 'States.QueryEvaluationError';
    const cause = this.#where(strand) + message;
    strand.last = before;
    this.#event(strand, 'EvaluationFailed', { plain: { error, cause, location, state: strand.visit?.state.name } });
    return failure(error, cause);
  }

  #where(strand: Strand): string {
    const { visit } = strand;
    return `An error occurred while executing the state '${visit?.state.name}' (entered at the event id #${visit?.enteredId}). `;
  }

  #conclude(conclusion: Conclusion, before: number): void {
    const { status, at, output, error, cause } = conclusion;
    this.conclusion = conclusion;
    for (const id of this.pending.keys()) this.#gone.push(id);
    this.pending.clear();
    const type = {
      SUCCEEDED: 'ExecutionSucceeded',
      FAILED: 'ExecutionFailed',
      TIMED_OUT: 'ExecutionTimedOut',
      ABORTED: 'ExecutionAborted',
    }[status];
    const details: EventDetails =
      output === undefined ? { plain: { error, cause } } : { payload: { field: 'output', value: output } };
    this.history.push({ id: this.history.length + 1, previousEventId: before, type, at, details });
  }

  // Waiting for the outside

  #wait(strand: Strand | undefined, id: number, until: number, then: () => Promise<void> | void): void {
    this.#await({
      ...{
        id,
        token: false,
        strand,
        invocation: undefined,
        heartbeat: undefined,
        heartbeatAt: undefined,
        timeoutAt: until,
      },
      resume: (happening) => {
        if (happening.kind !== 'due') return;
        if (strand !== undefined) this.#settle(strand);
        return then();
      },
    });
  }

  #await(pending: Pending): void {
    this.pending.set(pending.id, pending);
    this.#fresh.push(pending);
    if (pending.strand !== undefined) pending.strand.pending = pending;
  }

  #settle(strand: Strand): void {
    if (strand.pending === undefined) return;
    this.pending.delete(strand.pending.id);
    this.#gone.push(strand.pending.id);
    strand.pending = undefined;
  }

  // What expressions see

  async #evaluated(strand: Strand, template: Template | undefined, absent: Json): Promise<Json> {
    return template === undefined ? absent : evaluate(template, this.#bindings(strand), this.#source);
  }

  async #text(strand: Strand, template: Template | undefined): Promise<string | undefined> {
    if (template === undefined) return undefined;
    const value = await evaluateAs('string', template, this.#bindings(strand), this.#source);
    return String(value);
  }

  get #source() {
    return { now: this.#now, random: this.#random };
  }

  #bindings(strand: Strand, context: JsonObject = {}, further: JsonObject = {}): Bindings {
    const { visit, item } = strand;
    const state: Json = {
      Name: visit?.state.name ?? '',
      EnteredTime: new Date(visit?.enteredAt ?? 0).toISOString(),
      RetryCount: visit?.retries ?? 0,
    };
    const own = { Execution: this.#execution, StateMachine: this.#stateMachine, State: state };
    const map: JsonObject = item === undefined ? {} : { Map: { Item: item } };
    const states = { input: visit?.input ?? null, context: { ...own, ...map, ...context }, ...further };
    return { ...strand.variables, states };
  }

  #event(strand: Strand | undefined, type: string, details?: EventDetails): number {
    const id = this.history.length + 1;
    if (id >= HISTORY_EVENTS) throw new HistoryIsFull();
    const previousEventId = strand?.last ?? 0;
    this.history.push({ id, previousEventId, type, at: this.#now, ...(details === undefined ? {} : { details }) });
    if (strand !== undefined) strand.last = id;
    return id;
  }
}

function tooLarge(name: string, what: 'input' | 'output' | 'result' | 'variable'): Failure {
  const cause = `The state/task '${name}' has a ${what} with a size exceeding the maximum number of bytes service limit.`;
  return failure('States.DataLimitExceeded', cause);
}

/** `<execution key>.<event id>.<mac>`: whoever lacks the execution's secret cannot make one. */
export function taskToken(key: string, id: number, secret: string): string {
  const mac = createHmac('sha256', Buffer.from(secret, 'hex')).update(`${key}.${id}`).digest('base64url');
  return `${key}.${id}.${mac}`;
}
