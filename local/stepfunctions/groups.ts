import { type Course, tooLarge } from './course.ts';
import { QueryError } from './expressions.ts';
import { isArray, isTooLarge, type Json, textOf } from './json.ts';
import { errorOutput, type Failure, failure, type MapState, type Parallel, type State } from './machine.ts';
import type { Recorder } from './recorder.ts';
import type { Sight } from './sight.ts';
import { type Group, newStrand, type Strand } from './strand.ts';

/** Iterations at once when a Map sets no limit, as AWS runs inline ones. */
const INLINE_CONCURRENCY = 40;
/** States of which AWS writes that they were aborted. */
const ABORTABLE: readonly State['type'][] = ['Task', 'Wait', 'Parallel', 'Map'];

/** Parallel and Map states: several strands below one, gathered again, or aborted together. */
export class Groups {
  constructor(
    private readonly course: Course,
    private readonly recorder: Recorder,
    private readonly sight: Sight,
  ) {}

  async fork(strand: Strand, state: Parallel): Promise<void> {
    const input = await this.sight.value(state.arguments, this.sight.bindings(strand), strand.visit?.input ?? {});
    if (isTooLarge(input)) return this.course.failed(strand, tooLarge(state.name, 'input'));
    this.recorder.event(strand, 'ParallelStateStarted');
    const group: Group = {
      ...{ owner: strand, state, strands: new Set<Strand>(), results: [], total: state.branches.length },
      ...{ finished: 0, failed: 0, next: 0, tolerates: undefined },
      start: async (index) => {
        const block = state.branches[index];
        if (block === undefined) throw new Error(`there is no branch ${index}`);
        const branch = newStrand(block, group, index, strand.item, strand.variables);
        this.course.goTo(branch, block.startAt, input);
        return branch;
      },
    };
    strand.inner = group;
    while (group.next < group.total) await this.#startNext(group);
  }

  async iterate(strand: Strand, state: MapState): Promise<void> {
    const { sight } = this;
    const bindings = sight.bindings(strand);
    const items = state.items === undefined ? strand.visit?.input : await sight.valueOf('array', state.items, bindings);
    if (!isArray(items)) throw new QueryError(`Map state input must be an array but was: ${textOf(items ?? null)}`);
    const limit = await sight.count(state.maxConcurrency, 'MaxConcurrency', bindings);
    const count = await sight.count(state.toleratedCount, 'ToleratedFailureCount', bindings);
    const share = await sight.count(state.toleratedPercentage, 'ToleratedFailurePercentage', bindings);
    this.recorder.event(strand, 'MapStateStarted', { plain: { length: items.length } });
    const tolerates = (failed: number) => failed <= (count ?? 0) || failed * 100 <= (share ?? 0) * items.length;
    const group: Group = {
      ...{ owner: strand, state, strands: new Set<Strand>(), results: [], total: items.length },
      ...{ finished: 0, failed: 0, next: 0 },
      tolerates: count === undefined && share === undefined ? undefined : tolerates,
      start: (index) => this.#iteration(state, group, index, items[index] ?? null),
    };
    strand.inner = group;
    if (items.length === 0) return this.#gathered(group);
    const concurrent = limit === undefined || limit === 0 ? INLINE_CONCURRENCY : limit;
    while (group.next < group.total && group.strands.size < concurrent) await this.#startNext(group);
  }

  /** A strand of a group came to its end. */
  async finished(group: Group, strand: Strand, output: Json): Promise<void> {
    if (group.state.type === 'Map') this.#iterationEvent(group, strand, 'Succeeded');
    group.results[strand.index] = output;
    await this.#goOn(group, strand);
  }

  /** A strand of a group failed: one more that is tolerated, or the group's failure. */
  async failed(group: Group, strand: Strand, failed: Failure): Promise<void> {
    group.failed++;
    if (group.state.type === 'Map') {
      this.#iterationEvent(group, strand, 'Failed');
      if (group.tolerates?.(group.failed)) {
        group.results[strand.index] = errorOutput(failed);
        return this.#goOn(group, strand);
      }
    } else if (strand.visit?.state.type === 'Task') {
      this.recorder.event(strand, 'TaskStateAborted');
    }
    const { owner, state } = group;
    group.strands.delete(strand);
    this.abortInner(owner);
    owner.last = strand.last;
    if (group.tolerates === undefined) return this.end(owner, state, failed);
    const cause = 'The specified tolerated failure threshold was exceeded';
    return this.end(owner, state, failure('States.ExceedToleratedFailureThreshold', cause));
  }

  /** The state that owns a group failed, whether or not its group had begun. */
  async end(owner: Strand, state: Parallel | MapState, failed: Failure): Promise<void> {
    this.recorder.event(owner, `${state.type}StateFailed`);
    return this.course.failed(owner, failed);
  }

  /** Ends everything below a strand: no token, timer or result of it counts any more. */
  abortInner(owner: Strand): void {
    const group = owner.inner;
    owner.inner = undefined;
    if (group === undefined) return;
    for (const strand of group.strands) {
      strand.over = true;
      this.abortInner(strand);
      this.recorder.settle(strand);
      const type = strand.visit?.state.type;
      if (type !== undefined && ABORTABLE.includes(type)) this.recorder.event(strand, `${type}StateAborted`);
      if (group.state.type === 'Map') this.#iterationEvent(group, strand, 'Aborted');
    }
  }

  async #iteration(state: MapState, group: Group, index: number, value: Json): Promise<Strand> {
    const { owner } = group;
    const item = { Index: index, Value: value };
    const bindings = this.sight.bindings(owner, { Map: { Item: item } });
    const input = await this.sight.value(state.itemSelector, bindings, value);
    const strand = newStrand(state.processor, group, index, item, owner.variables);
    this.#iterationEvent(group, strand, 'Started');
    this.course.goTo(strand, state.processor.startAt, input);
    return strand;
  }

  async #startNext(group: Group): Promise<void> {
    group.strands.add(await group.start(group.next++));
  }

  async #goOn(group: Group, strand: Strand): Promise<void> {
    const { owner } = group;
    group.strands.delete(strand);
    owner.last = strand.last;
    group.finished++;
    if (group.finished === group.total) return this.course.guarded(owner, () => this.#gathered(group));
    if (group.next < group.total) await this.course.guarded(owner, () => this.#startNext(group));
  }

  #gathered({ owner, state, results }: Group): Promise<void> {
    owner.inner = undefined;
    if (isTooLarge(results)) return this.course.failed(owner, tooLarge(state.name, 'result'));
    // AWS links the exit to what came before this event.
    const before = owner.last;
    this.recorder.event(owner, `${state.type}StateSucceeded`);
    owner.last = before;
    return this.course.leave(owner, state, state.next, results, results);
  }

  #iterationEvent({ state }: Group, strand: Strand, what: 'Started' | 'Succeeded' | 'Failed' | 'Aborted'): void {
    this.recorder.event(strand, `MapIteration${what}`, { plain: { name: state.name, index: strand.index } });
  }
}
