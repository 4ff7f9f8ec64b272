/** The processes of a demonstration. Whichever way it ends, none of them outlives it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { RENGA } from './build.ts';

/** A server that is told to end closes its files first. Milliseconds; one that takes longer hangs. */
const ENDING = 10_000;

export class Processes {
  readonly #running = new Map<ChildProcess, Promise<number>>();
  #complaints = '';

  constructor(private readonly folder: string) {}

  /** What services said on their standard error. */
  get complaints(): string {
    return this.#complaints;
  }

  /** Starts what goes on running, and gives the document that says that it is up. */
  async service(args: readonly string[]): Promise<unknown> {
    const child = this.#start(args, undefined, 'pipe', 'pipe');
    child.stderr?.on('data', (chunk) => {
      this.#complaints += chunk;
    });
    return firstDocument(child);
  }

  show(args: readonly string[], url: string | undefined): Promise<number> {
    return this.#ended(this.#start(args, url, 'inherit', 'inherit'));
  }

  async ask(args: readonly string[], url: string | undefined): Promise<unknown> {
    const child = this.#start(args, url, 'pipe', 'inherit');
    const document = await firstDocument(child);
    await this.#ended(child);
    return document;
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#running].map(async ([child, ended]) => {
        const tooLate = setTimeout(() => child.kill('SIGKILL'), ENDING);
        child.kill('SIGTERM');
        await ended.finally(() => clearTimeout(tooLate));
      }),
    );
  }

  #start(args: readonly string[], url: string | undefined, stdout: 'inherit' | 'pipe', stderr: 'inherit' | 'pipe') {
    // What a person has set for another renga must not lead there.
    const { RENGA_URL: _, RENGA_TOKEN: __, ...env } = process.env;
    const child = spawn(process.execPath, [RENGA, ...args], {
      cwd: this.folder,
      env: { ...env, ...(url !== undefined && { RENGA_URL: url }) },
      stdio: ['ignore', stdout, stderr],
    });
    const ended = new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      // `exit` and not `close`: nobody may be reading what it prints any more.
      child.once('exit', (code) => resolve(code ?? 1));
    }).finally(() => this.#running.delete(child));
    this.#running.set(child, ended);
    return child;
  }

  #ended(child: ChildProcess): Promise<number> {
    return this.#running.get(child) ?? Promise.resolve(child.exitCode ?? 1);
  }
}

/** The first whole JSON document that a process prints. */
async function firstDocument({ stdout }: ChildProcess): Promise<unknown> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += chunk;
    if (!text.endsWith('}\n')) continue;
    try {
      return JSON.parse(text);
    } catch {
      // Not whole yet.
    }
  }
  throw new Error(`renga ended without its answer${text === '' ? '' : `: ${text}`}`);
}
