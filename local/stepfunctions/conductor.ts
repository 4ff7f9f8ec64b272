import type { Activity } from '../activity.ts';
import type { Clock } from '../clock.ts';
import { type ExecutionRecord, keys } from './executions.ts';
import type { Happening } from './happening.ts';
import type { Change } from './journal.ts';
import { type Json, textOf } from './json.ts';
import type { Machine } from './machine.ts';
import { Run } from './run.ts';
import type { Pending } from './strand.ts';

/** Calls a function by its ARN. A function that fails is an answer; only what nobody foresaw is thrown. */
export interface LambdaInvoker {
  invoke(
    functionArn: string,
    payload: unknown,
  ): Promise<{ ok: true; payload: unknown } | { ok: false; errorType: string; errorMessage: string }>;
}

export interface Counters {
  /** State transitions as AWS bills them: every state entered and every retry. */
  transitions: number;
  /** Functions invoked. */
  invocations: number;
  /** Executions started. */
  executions: number;
}

export interface Stage {
  readonly clock: Clock;
  readonly activity: Activity;
  readonly invoker: LambdaInvoker;
  readonly counters: Counters;
  readonly write: (changes: readonly Change[]) => Promise<void>;
  readonly dead: () => boolean;
  readonly concluded: (conductor: Conductor) => Promise<void>;
}

/** Thrown where a killed instance would go on. Nobody but the instance sees it. */
export class Killed extends Error {
  override readonly name = 'Killed';
  constructor() {
    super('this instance was killed');
  }
}

/**
 * Leads one running execution: writes down what happens before the run sees it, and does what the run then waits for.
 * Nothing leaves for the outside, an invocation or an answer, before the happenings that led to it are durable.
 */
export class Conductor {
  readonly run: Run;
  #written = 0;
  /** Happenings are applied one after the other, in the order of their acceptance. */
  #turn: Promise<void> = Promise.resolve();
  readonly #timers = new Map<number, () => void>();
  readonly #invoked = new Set<number>();
  /** Pending ids whose end is accepted, though the run may not have seen it yet. */
  readonly #settled = new Set<number>();
  #counted = 0;

  constructor(
    readonly record: ExecutionRecord,
    machine: Machine,
    private readonly stage: Stage,
  ) {
    this.run = new Run(record, machine);
  }

  /** Brings the run to where it was. Nothing is written, invoked or published meanwhile. */
  async replay(happenings: readonly Happening[]): Promise<void> {
    for (const happening of happenings) await this.run.apply(happening);
    this.#written = happenings.length;
    this.#counted = this.run.transitions;
    for (const pending of this.run.pending.values())
      if (pending.invocation === undefined) this.#invoked.add(pending.id);
  }

  /** Goes on after {@link replay}. */
  async proceed(): Promise<void> {
    await this.#react();
  }

  /** Resolves once the happening is durable; it is applied in the background. */
  accept(happening: Happening, further: readonly Change[] = []): Promise<void> {
    const put = keys.happening(this.record.key, this.#written++);
    const durable = this.stage.write([...further, { put, text: JSON.stringify(happening) }]);
    const before = this.#turn;
    const turn = this.stage.activity.run(async () => {
      await before;
      await durable;
      if (this.stage.dead()) return;
      await this.run.apply(happening);
      if (this.stage.dead()) return;
      await this.#react();
    });
    this.#turn = turn;
    turn.catch(surprise);
    return durable;
  }

  /** The task that a token names, as long as nothing has ended it. */
  openTask(id: number): Pending | undefined {
    const pending = this.run.pending.get(id);
    return pending?.token === true && !this.#settled.has(id) ? pending : undefined;
  }

  /** Accepts a happening that ends what `id` waits for. */
  settle(id: number, happening: Happening): Promise<void> {
    this.#settled.add(id);
    this.#cancel(id);
    return this.accept(happening);
  }

  beat(id: number): Promise<void> {
    // The timer stands for the old deadline; applying the beat sets the new one.
    this.#cancel(id);
    return this.accept({ kind: 'beat', at: this.stage.clock.now(), id });
  }

  /** Takes back every timer. */
  silence(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  async #react(): Promise<void> {
    this.stage.counters.transitions += this.run.transitions - this.#counted;
    this.#counted = this.run.transitions;
    const { fresh, gone } = this.run.takeChanges();
    for (const id of gone) {
      this.#cancel(id);
      this.#settled.delete(id);
      this.#invoked.delete(id);
    }
    if (this.run.conclusion !== undefined) {
      this.silence();
      await this.stage.concluded(this);
      return;
    }
    for (const pending of fresh) {
      this.#arm(pending);
      if (pending.invocation !== undefined && !this.#invoked.has(pending.id)) this.#invoke(pending, pending.invocation);
    }
  }

  #arm({ id, timeoutAt, heartbeatAt }: Pending): void {
    this.#cancel(id);
    if (this.#settled.has(id)) return;
    const instant = Math.min(timeoutAt ?? Number.POSITIVE_INFINITY, heartbeatAt ?? Number.POSITIVE_INFINITY);
    if (instant === Number.POSITIVE_INFINITY) return;
    const cancel = this.stage.clock.at(instant, () => {
      this.#timers.delete(id);
      if (this.stage.dead() || this.#settled.has(id)) return;
      // A timer may fire a little early by the clock that dates happenings.
      const at = Math.max(this.stage.clock.now(), instant);
      this.settle(id, { kind: 'due', at, id }).catch(surprise);
    });
    this.#timers.set(id, cancel);
  }

  #cancel(id: number): void {
    this.#timers.get(id)?.();
    this.#timers.delete(id);
  }

  #invoke({ id, token }: Pending, invocation: { readonly functionArn: string; readonly payload: Json }): void {
    const { stage } = this;
    this.#invoked.add(id);
    stage.counters.invocations++;
    stage.activity
      .run(async () => {
        const happening = await this.#answer(id, invocation);
        // What the function did is its own; whether its answer still counts is decided here.
        if (stage.dead() || this.#settled.has(id) || !this.run.pending.has(id)) return;
        if (token && happening.kind === 'returned') await this.accept(happening);
        else await this.settle(id, happening);
      })
      .catch(surprise);
  }

  async #answer(
    id: number,
    { functionArn, payload }: { readonly functionArn: string; readonly payload: Json },
  ): Promise<Happening> {
    const { clock, invoker } = this.stage;
    try {
      // The function gets a copy: values are shared between branches and with the history.
      const answer = await invoker.invoke(functionArn, JSON.parse(textOf(payload)));
      const at = clock.now();
      if (answer.ok) return { kind: 'returned', at, id, payload: asJson(answer.payload) };
      const { errorType, errorMessage } = answer;
      return { kind: 'raised', at, id, error: errorType, cause: JSON.stringify({ errorMessage, errorType }) };
    } catch (error) {
      const cause = `The function could not be invoked: ${String(error)}`;
      return { kind: 'raised', at: clock.now(), id, error: 'Lambda.Unknown', cause };
    }
  }
}

/** A function's answer as it would come over the wire. */
function asJson(payload: unknown): Json {
  const text = JSON.stringify(payload);
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** A journal that cannot be written ends the process: going on would forget. */
function surprise(error: unknown): void {
  if (error instanceof Killed) return;
  queueMicrotask(() => {
    throw error;
  });
}
