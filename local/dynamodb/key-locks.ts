/** One holder a key; those who wait get it in the order they asked. */
export class KeyLocks {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Calls `held` once the key is the caller's, which then owes a {@link release}. */
  acquire(key: string, held: () => void): void {
    const queue = this.#waiting.get(key);
    if (queue === undefined) {
      this.#waiting.set(key, []);
      held();
    } else {
      queue.push(held);
    }
  }

  release(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next === undefined) this.#waiting.delete(key);
    else queueMicrotask(next);
  }
}
