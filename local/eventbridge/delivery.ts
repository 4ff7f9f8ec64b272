import type { Activity } from '../activity.ts';
import type { Clock } from '../clock.ts';
import type { DeliveredEvent, RuleTarget } from './rule.ts';

/** Hands an event to a function, and resolves once the function has ended well. */
export type Deliver = (functionName: string, event: DeliveredEvent) => Promise<void>;

/** An event that a target refused to the end. */
export interface DeadLetter {
  readonly rule: string;
  readonly target: string;
  readonly functionName: string;
  readonly event: DeliveredEvent;
  readonly attempts: number;
  readonly reason: string;
}

/** Waits before the 2nd to 6th attempt: 1 + 2 + 4 + 8 + 16 s, so a target has half a minute to recover. */
const WAITS = [1_000, 2_000, 4_000, 8_000, 16_000];

/**
 * Delivery to targets, at least once: after the call that caused it has been answered, again after a failure, and to the
 * list of dead letters in the end. What is under way when the process dies is lost; whoever waits for an event must also
 * look for its cause from time to time.
 */
export class Delivery {
  readonly deadLetters: DeadLetter[] = [];
  readonly #clock: Clock;
  readonly #activity: Activity;
  readonly #deliver: Deliver;
  readonly #retries = new Set<() => void>();
  #stopped = false;

  constructor(clock: Clock, activity: Activity, deliver: Deliver) {
    this.#clock = clock;
    this.#activity = activity;
    this.#deliver = deliver;
  }

  send(rule: string, target: RuleTarget, event: DeliveredEvent): void {
    this.#attempt(rule, target, event, 1);
  }

  /** Starts nothing any more. */
  stop(): void {
    this.#stopped = true;
    for (const takeBack of this.#retries) takeBack();
    this.#retries.clear();
  }

  #attempt(rule: string, target: RuleTarget, event: DeliveredEvent, attempt: number): void {
    void this.#activity.run(async () => {
      // A turn of its own, so that the answer to the caller comes first.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#stopped) return;
      try {
        // Every target has a copy of its own, as if it had come over the wire.
        await this.#deliver(target.functionName, structuredClone(event));
      } catch (error) {
        if (this.#stopped) return;
        const wait = WAITS[attempt - 1];
        if (wait === undefined) {
          const reason = error instanceof Error ? error.message : String(error);
          this.deadLetters.push({
            rule,
            target: target.id,
            functionName: target.functionName,
            event,
            attempts: attempt,
            reason,
          });
        } else {
          this.#later(wait, () => this.#attempt(rule, target, event, attempt + 1));
        }
      }
    });
  }

  #later(wait: number, task: () => void): void {
    const takeBack = this.#clock.at(this.#clock.now() + wait, () => {
      this.#retries.delete(takeBack);
      task();
    });
    this.#retries.add(takeBack);
  }
}
