/**
 * Counts what the embedded engine is doing by itself (an invocation, a delivery, a state being entered), so that a test
 * can drive the clock: time moves only when nothing is under way.
 */
export class Activity {
  #running = 0;
  #waiting: (() => void)[] = [];

  /** Runs `task` as something under way. Whatever starts work in the background starts it through this. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await task();
    } finally {
      this.#running--;
      if (this.#running === 0) this.#wake();
    }
  }

  /** Resolves once nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
