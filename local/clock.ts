/** Time as the embedded engine sees it: the machine's clock, or one that a test drives. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `task` once, at or after `instant`; the answer takes it back. */
  at(instant: number, task: () => void): () => void;
}

/** Node's timers hold 31 bits of milliseconds and fire at once above that, so a longer wait is chained. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(instant, task) {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const left = instant - Date.now();
      timer = left > LONGEST_TIMER ? setTimeout(arm, LONGEST_TIMER) : setTimeout(task, Math.max(0, left));
    };
    arm();
    return () => clearTimeout(timer);
  },
};

interface Timer {
  instant: number;
  readonly order: number;
  readonly task: () => void;
}

/** A clock that stands still until it is told to move. Timers of one instant run in the order they were set. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  at(instant: number, task: () => void): () => void {
    const timer: Timer = { instant, order: this.#order++, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Instant of the next timer, or undefined when none is set. */
  next(): number | undefined {
    return this.#earliest()?.instant;
  }

  /** Moves to the next timer and runs that one alone; false when none is set. */
  step(): boolean {
    const timer = this.#earliest();
    if (timer === undefined) return false;
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.instant);
    timer.task();
    return true;
  }

  /** Somebody sets the machine's clock back. Timers that are set count what passes, as Node's do, and come too early by it. */
  turnBack(by: number): void {
    this.#now -= by;
    for (const timer of this.#timers) timer.instant -= by;
  }

  #earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (
        first === undefined ||
        timer.instant < first.instant ||
        (timer.instant === first.instant && timer.order < first.order)
      ) {
        first = timer;
      }
    }
    return first;
  }
}
