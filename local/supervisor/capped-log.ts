/**
 * The log of a job, at most 10 MiB however much the command writes: what comes first goes to the file at once, so that a
 * reader's byte offsets stay true; of the rest the end is kept in memory and written, after a notice, when the run ends.
 */
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

const LOG_HEAD_BYTES = 8 * 1024 * 1024;
const LOG_TAIL_BYTES = 2 * 1024 * 1024;

export class CappedLog {
  readonly #file: number;
  #headLeft: number;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #leftOut = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'a', 0o600);
    this.#headLeft = Math.max(0, LOG_HEAD_BYTES - fstatSync(this.#file).size);
  }

  write(chunk: Buffer): void {
    const head = chunk.subarray(0, this.#headLeft);
    if (head.length > 0) this.#append(head);
    this.#headLeft -= head.length;
    if (head.length < chunk.length) this.#keep(chunk.subarray(head.length));
  }

  close(): void {
    if (this.#leftOut > 0) this.#append(Buffer.from(`\n[${this.#leftOut} bytes of the log are left out here]\n`));
    for (const chunk of this.#tail) this.#append(chunk);
    closeSync(this.#file);
  }

  #keep(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    while (this.#tailBytes > LOG_TAIL_BYTES) {
      const first = this.#tail.shift();
      if (first === undefined) return;
      const surplus = Math.min(first.length, this.#tailBytes - LOG_TAIL_BYTES);
      this.#leftOut += surplus;
      this.#tailBytes -= surplus;
      if (surplus < first.length) this.#tail.unshift(first.subarray(surplus));
    }
  }

  #append(bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
  }
}
