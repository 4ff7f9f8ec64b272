/**
 * The engine's storage as a scenario sees it: every write to the head of a deploy or a release is told in the order in
 * which the table took it, and the process can be made to die at any call.
 */
import type { EmbeddedDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import type { Storage } from '../../local/engine.ts';
import type { Journal } from '../../local/stepfunctions/index.ts';
import { type ItemWritten, itemsIn } from './observed-items.ts';

export interface HeadWritten {
  readonly kind: 'head';
  readonly of: 'deploy' | 'release';
  readonly id: string;
  readonly seq: number;
  readonly state: string;
  /** Of a release that has not ended: `running`, `failing`, `rolling-back`, `cancelling`. */
  readonly phase: string | undefined;
  readonly attempt: number | undefined;
  readonly paused: boolean;
  /** Who has approved it so far. */
  readonly approvals: readonly string[];
  /** Of a deploy that asks for approval. */
  readonly asked: { readonly required: number; readonly selfApproval: boolean } | undefined;
}

/** The life of one process over the storage. */
export class Life {
  alive = true;
  calls = 0;
  readonly died: Promise<void>;
  #die: () => void = () => {};
  /** Told of everything that is to be written, before it is. */
  writes: (what: unknown) => void = () => {};
  /** What happens at a call: deaths, and whatever a scenario lets happen in the middle. */
  atCall: (call: number) => 'go on' | 'die before' | 'die after' = () => 'go on';

  constructor() {
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** Ends at a call, once; `then` is told. */
  dieAt(wanted: number, then: () => void): void {
    this.atCall = (call) => {
      if (call !== wanted) return 'go on';
      then();
      return wanted % 2 === 0 ? 'die before' : 'die after';
    };
  }

  end(): void {
    this.alive = false;
    this.#die();
  }

  async call<T>(perform: () => Promise<T>): Promise<T> {
    if (!this.alive) return never();
    const what = this.atCall(++this.calls);
    if (what === 'die before') this.end();
    if (!this.alive) return never();
    const answer = await perform();
    if (what === 'die after') this.end();
    return this.alive ? answer : never();
  }
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => {});
}

export function observed(storage: Storage, life: Life, told: (written: HeadWritten | ItemWritten) => void): Storage {
  const { dynamodb, journal } = storage;
  const table: EmbeddedDynamoDb = {
    target: dynamodb.target,
    counters: dynamodb.counters,
    close: () => dynamodb.close(),
    call: (operation, input) =>
      life.call(async () => {
        life.writes(input);
        const output = await dynamodb.call(operation, input);
        const head = headIn(operation, input, output);
        if (head !== undefined) told(head);
        for (const item of itemsIn(operation, input, output)) told(item);
        return output;
      }),
  };
  const log: Journal = {
    write: (changes) =>
      life.call(() => {
        life.writes(changes);
        return journal.write(changes);
      }),
    get: (key) => journal.get(key),
    read: (prefix) => journal.read(prefix),
    keys: (prefix) => journal.keys(prefix),
    close: () => journal.close(),
  };
  return { dynamodb: table, journal: log };
}

interface Wire {
  readonly S?: string;
  readonly N?: string;
  readonly BOOL?: boolean;
  readonly M?: Readonly<Record<string, Wire>>;
  readonly L?: readonly Wire[];
}

function headIn(operation: string, input: unknown, output: unknown): HeadWritten | undefined {
  const item =
    operation === 'PutItem'
      ? (input as { Item?: Record<string, Wire> }).Item
      : operation === 'UpdateItem'
        ? (output as { Attributes?: Record<string, Wire> }).Attributes
        : undefined;
  const of = item?.type?.S;
  if (item === undefined || (of !== 'deploy' && of !== 'release')) return undefined;
  const { status, attempt, approvals } = item.data?.M ?? {};
  const required = status?.M?.required?.N;
  return {
    kind: 'head',
    of,
    id: item.pk?.S?.slice(2) ?? '',
    seq: Number(item.seq?.N),
    state: status?.M?.state?.S ?? '',
    phase: status?.M?.phase?.S,
    attempt: attempt === undefined ? undefined : Number(attempt.M?.number?.N),
    paused: status?.M?.paused?.BOOL === true,
    approvals: (approvals?.L ?? []).map(({ M }) => M?.by?.S ?? ''),
    asked:
      required === undefined
        ? undefined
        : { required: Number(required), selfApproval: status?.M?.selfApproval?.BOOL === true },
  };
}
