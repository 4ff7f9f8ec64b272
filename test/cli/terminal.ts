/** A terminal and a clock for the CLI's tests: what it writes is read, and time passes only while it sleeps. */
import { readFile } from 'node:fs/promises';
import { CommandFailure } from '../../cli/failure.ts';
import { run } from '../../cli/run.ts';
import type { Output, ServerOptions, StartedServer, Surroundings } from '../../cli/surroundings.ts';

export const NOON = Date.parse('2026-10-12T12:00:00Z');

export interface Setting {
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly tty?: { columns: number; rows: number };
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds after the start at which Ctrl-C is pressed. */
  readonly interruptAt?: number;
  /** Called whenever time has passed, with the seconds since the start. */
  readonly tick?: (seconds: number) => void;
  /** Called with what is written to the standard output. */
  readonly watch?: (text: string) => void;
  readonly startServer?: (options: ServerOptions) => Promise<StartedServer>;
  readonly written?: Map<string, string>;
  /** What stands on the standard input. */
  readonly input?: string;
}

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Virtual seconds that it took. */
  readonly seconds: number;
  /** Sleeps between two looks, in milliseconds. */
  readonly sleeps: readonly number[];
}

const nobody = async (): Promise<Response> => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
};

/** Runs a command line in this process; a word with spaces stands between quotes. */
export async function renga(line: string, setting: Setting = {}): Promise<Ran> {
  let now = NOON;
  const texts = { stdout: '', stderr: '' };
  const sleeps: number[] = [];
  let interrupt = () => {};
  const output = (name: 'stdout' | 'stderr'): Output => ({
    write: (text) => {
      texts[name] += text;
      if (name === 'stdout') setting.watch?.(text);
    },
    isTTY: setting.tty !== undefined,
    get columns() {
      return setting.tty?.columns ?? 80;
    },
    get rows() {
      return setting.tty?.rows ?? 24;
    },
  });
  const surroundings: Surroundings = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: setting.env ?? {},
    now: () => now,
    sleep: async (milliseconds) => {
      sleeps.push(milliseconds);
      const pressed = setting.interruptAt === undefined ? undefined : NOON + setting.interruptAt * 1000;
      const woken = pressed !== undefined && pressed > now && pressed <= now + milliseconds;
      now = woken ? pressed : now + milliseconds;
      setting.tick?.((now - NOON) / 1000);
      if (woken) interrupt();
    },
    fetch: setting.fetch ?? nobody,
    readFile: async (path) => setting.written?.get(path) ?? readFile(path, 'utf8'),
    writeFile: async (path, text) => {
      setting.written?.set(path, text);
    },
    writePrivate: async (path, text) => {
      setting.written?.set(path, text);
    },
    readInput: async () => setting.input ?? '',
    onInterrupt: (listener) => {
      interrupt = listener;
      if (setting.interruptAt === 0) queueMicrotask(listener);
      return () => {
        interrupt = () => {};
      };
    },
    startServer:
      setting.startServer ??
      (async () => {
        throw new CommandFailure(2, 'port-unavailable', 'port 4080 is in use');
      }),
  };
  const exit = await run(wordsOf(line), surroundings);
  return { exit, ...texts, seconds: (now - NOON) / 1000, sleeps };
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

/** What a person sees on a terminal: cursor moves and erasures are applied, and a narrower one breaks its long lines. */
export class Screen {
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(private columns: number) {}

  get lines(): string[] {
    return this.#rows.map((line) => line.join('').trimEnd());
  }

  resize(columns: number): void {
    if (columns === this.columns) return;
    this.columns = columns;
    const broken = (row: readonly string[]) =>
      Array.from({ length: Math.max(1, Math.ceil(row.length / columns)) }, (_, at) =>
        row.slice(at * columns, (at + 1) * columns),
      );
    const above = this.#rows.slice(0, this.#row).flatMap(broken);
    this.#rows = [...above, ...this.#rows.slice(this.#row).flatMap(broken)];
    this.#row = above.length;
  }

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it reads what is written to a terminal
    for (const [piece, count = '', verb] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|[\s\S]/gu)) {
      if (verb === 'A') this.#row = Math.max(0, this.#row - Number(count));
      else if (verb === 'K') this.#cut();
      else if (verb === 'J') {
        this.#cut();
        this.#rows.length = this.#row + 1;
      } else if (verb !== undefined) continue;
      else if (piece === '\r') this.#column = 0;
      else if (piece === '\n') this.#next();
      else this.#put(piece);
    }
  }

  #put(piece: string): void {
    if (this.#column === this.columns) this.#next();
    const line = this.#line();
    while (line.length < this.#column) line.push(' ');
    line[this.#column] = piece;
    this.#column += 1;
  }

  #next(): void {
    this.#row += 1;
    this.#column = 0;
    this.#line();
  }

  #cut(): void {
    const line = this.#line();
    line.length = Math.min(line.length, this.#column);
  }

  #line(): string[] {
    while (this.#rows.length <= this.#row) this.#rows.push([]);
    return this.#rows[this.#row] ?? [];
  }
}
