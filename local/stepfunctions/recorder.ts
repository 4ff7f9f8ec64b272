import { type EventDetails, HISTORY_EVENTS, type HistoryEvent } from './history.ts';
import type { Pending, Strand } from './strand.ts';

/** The history has no room but for the execution's end. */
export class HistoryIsFull extends Error {
  override readonly name = 'HistoryIsFull';
}

/** The book of one execution: its events, and what it waits for. */
export class Recorder {
  readonly history: HistoryEvent[] = [];
  readonly pending = new Map<number, Pending>();
  /** The instant of the happening that is being applied, in milliseconds. */
  now = 0;
  #fresh: Pending[] = [];
  #gone: number[] = [];

  /** The id that the next event will have. */
  get nextId(): number {
    return this.history.length + 1;
  }

  event(strand: Strand | undefined, type: string, details?: EventDetails): number {
    const id = this.nextId;
    if (id >= HISTORY_EVENTS) throw new HistoryIsFull();
    const previousEventId = strand?.last ?? 0;
    this.history.push({ id, previousEventId, type, at: this.now, ...(details === undefined ? {} : { details }) });
    if (strand !== undefined) strand.last = id;
    return id;
  }

  /** The execution's last event, for which there is always room. Nothing is waited for any more. */
  end(previousEventId: number, type: string, details: EventDetails): void {
    this.#gone.push(...this.pending.keys());
    this.pending.clear();
    this.history.push({ id: this.nextId, previousEventId, type, at: this.now, details });
  }

  await(pending: Pending): void {
    this.pending.set(pending.id, pending);
    this.#fresh.push(pending);
    if (pending.strand !== undefined) pending.strand.pending = pending;
  }

  awaitInstant(strand: Strand | undefined, id: number, until: number, then: () => Promise<void> | void): void {
    this.await({
      ...{ id, token: false, strand, invocation: undefined, timeoutAt: until },
      ...{ heartbeat: undefined, heartbeatAt: undefined },
      resume: (happening) => {
        if (happening.kind !== 'due') return;
        if (strand !== undefined) this.settle(strand);
        return then();
      },
    });
  }

  /** Its deadline has changed. */
  renew(pending: Pending): void {
    this.#fresh.push(pending);
  }

  /** The strand waits no more. */
  settle(strand: Strand): void {
    if (strand.pending === undefined) return;
    this.pending.delete(strand.pending.id);
    this.#gone.push(strand.pending.id);
    strand.pending = undefined;
  }

  takeChanges(): { readonly fresh: readonly Pending[]; readonly gone: readonly number[] } {
    const changes = { fresh: this.#fresh.filter((pending) => this.pending.has(pending.id)), gone: this.#gone };
    this.#fresh = [];
    this.#gone = [];
    return changes;
  }
}
