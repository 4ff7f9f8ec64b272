import type { Happening } from './happening.ts';
import type { HistoryEvent } from './history.ts';
import type { Conclusion, Identity } from './identity.ts';
import type { Journal } from './journal.ts';
import type { Json } from './json.ts';
import type { Machine } from './machine.ts';
import { Run } from './run.ts';

/** What is known of an execution without its journal of happenings. Dates in milliseconds. */
export interface ExecutionRecord extends Identity {
  /** Hash of the definition that it runs, whatever its machine's is by now. */
  readonly definition: string;
  readonly inputHash: string;
  readonly startedAt: number;
  readonly status: 'RUNNING' | Conclusion['status'];
  readonly stoppedAt?: number;
}

export interface Outcome {
  readonly output?: Json | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}

/** The keys under which an execution is kept: `execution/` its record, `happening/` what happened, `outcome/` its end. */
export const keys = {
  execution: (key: string) => `execution/${key}`,
  happenings: (key: string) => `happening/${key}/`,
  happening: (key: string, index: number) => `happening/${key}/${String(index).padStart(8, '0')}`,
  outcome: (key: string) => `outcome/${key}`,
};

/** A key that sorts as its number does. */
export function executionKey(number: number): string {
  return String(number).padStart(12, '0');
}

export async function happeningsOf(journal: Journal, key: string): Promise<readonly Happening[]> {
  return (await journal.read(keys.happenings(key))).map(([, text]) => JSON.parse(text) as Happening);
}

export async function inputOf(journal: Journal, key: string): Promise<string> {
  const first = await journal.get(keys.happening(key, 0));
  if (first === undefined) throw new Error(`the journal holds no start of execution ${key}`);
  const happening = JSON.parse(first) as Happening;
  return happening.kind === 'started' ? happening.input : '{}';
}

export async function outcomeOf(journal: Journal, key: string): Promise<Outcome> {
  const text = await journal.get(keys.outcome(key));
  return text === undefined ? {} : (JSON.parse(text) as Outcome);
}

const KEPT = 64;

/**
 * Histories of ended executions. They are not stored: what happened gives them again, so ended executions cost neither
 * memory nor time at a restart, and a history is written to disk once, as the happenings that made it.
 */
export class Histories {
  readonly #kept = new Map<string, readonly HistoryEvent[]>();

  keep(key: string, history: readonly HistoryEvent[]): void {
    this.#kept.delete(key);
    this.#kept.set(key, history);
    if (this.#kept.size <= KEPT) return;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  async of(journal: Journal, record: ExecutionRecord, machine: Machine): Promise<readonly HistoryEvent[]> {
    const kept = this.#kept.get(record.key);
    if (kept !== undefined) return kept;
    const run = new Run(record, machine);
    for (const happening of await happeningsOf(journal, record.key)) await run.apply(happening);
    this.keep(record.key, run.history);
    return run.history;
  }
}
