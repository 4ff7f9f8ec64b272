/**
 * What is on disk about one job. The plugin and the supervisor share it, across kills of either.
 *
 *   job.json       the command; written by the plugin, once
 *   targets.json   the hosts to act on, which the command finds by $RENGA_TARGETS; written before job.json
 *   run-1.json …   who supervises run n: linked into place with its content, so a claim always names its holder
 *   command-1.json the command's process of run n, once it exists
 *   output-1       what the command of run n writes to $RENGA_OUTPUT
 *   log            stdout and stderr of every run
 *   stop           stopping was asked for
 *   result.json    how it ended; written once, and from then on the job is over
 *   forgotten      the result is recorded elsewhere and outputs are gone
 *
 * Invariants: a run is claimed only when the holder of the run before is dead and there is no result; so at most one
 * supervisor at a time may start the command. Only Node's own modules here: the supervisor is bundled from this.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity } from './process-identity.ts';

/** A process to run, complete but for the few variables that the supervisor inherits and `RENGA_OUTPUT`. */
export interface Invocation {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Seconds between asking the command to end and killing it. */
  readonly graceSeconds: number;
}

export interface JobRecord {
  readonly token: string;
  /** Milliseconds since the epoch, by the machine's clock: the timeout counts from here over every run. */
  readonly startedAt: number;
  readonly timeoutSeconds: number;
  readonly invocation: Invocation | { readonly refused: string };
}

export type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed-out'; readonly seconds: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'not-run'; readonly reason: string };

export interface ResultRecord {
  /** Which run ended; 0 when none was begun. */
  readonly run: number;
  readonly endedAt: number;
  readonly ending: Ending;
}

/** The directory's name, which is also the job's: tokens hold any text, a SHA-256 is a safe name. */
export function jobOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export class JobDirectory {
  constructor(readonly path: string) {}

  get log(): string {
    return join(this.path, 'log');
  }
  get supervisorErrors(): string {
    return join(this.path, 'supervisor-errors');
  }
  get stop(): string {
    return join(this.path, 'stop');
  }
  get forgotten(): string {
    return join(this.path, 'forgotten');
  }
  get targets(): string {
    return join(this.path, 'targets.json');
  }
  output(run: number): string {
    return join(this.path, `output-${run}`);
  }
  /** Every process of this job, whatever the run, has an entry of its environment that begins so. */
  get environmentMark(): string {
    return `RENGA_OUTPUT=${join(this.path, 'output-')}`;
  }

  job(): JobRecord | undefined {
    return this.#read<JobRecord>('job.json');
  }
  result(): ResultRecord | undefined {
    return this.#read<ResultRecord>('result.json');
  }
  command(run: number): ProcessIdentity | undefined {
    return this.#read<ProcessIdentity>(`command-${run}.json`);
  }
  stopRequested(): boolean {
    return existsSync(this.stop);
  }

  /** The last run that was claimed, alive or not. */
  lastRun(): { readonly run: number; readonly holder: ProcessIdentity } | undefined {
    let last: { run: number; holder: ProcessIdentity } | undefined;
    for (let run = 1; ; run++) {
      const holder = this.#read<ProcessIdentity>(`run-${run}.json`);
      if (holder === undefined) return last;
      last = { run, holder };
    }
  }

  /** The supervisor that holds the job now. */
  holder(): ProcessIdentity | undefined {
    const last = this.lastRun();
    return last !== undefined && isAlive(last.holder) ? last.holder : undefined;
  }

  /** Each of these is written by the first who comes, whole and on disk; false for everyone else. */
  recordJob(job: JobRecord): boolean {
    return this.#writeOnce('job.json', job);
  }
  /** A file, since an environment variable ends at 128 KiB, which a thousand hosts with labels exceed. */
  recordTargets(targets: readonly object[]): boolean {
    return this.#writeOnce('targets.json', targets);
  }
  claim(run: number, holder: ProcessIdentity): boolean {
    return this.#writeOnce(`run-${run}.json`, holder);
  }
  recordCommand(run: number, command: ProcessIdentity): boolean {
    return this.#writeOnce(`command-${run}.json`, command);
  }
  conclude(result: ResultRecord): boolean {
    return this.#writeOnce('result.json', result);
  }

  /** Records come from this file alone and appear whole, so their shape is trusted. */
  #read<T>(name: string): T | undefined {
    try {
      return JSON.parse(readFileSync(join(this.path, name), 'utf8')) as T;
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  /** `link` refuses to replace, unlike `rename`: the content and the exclusive claim come into being together. */
  #writeOnce(name: string, record: object): boolean {
    const path = join(this.path, name);
    const draft = `${path}.${process.pid}.${drafts++}`;
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeSync(file, JSON.stringify(record));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    try {
      linkSync(draft, path);
    } catch (error) {
      if (isErrno(error, 'EEXIST')) return false;
      throw error;
    } finally {
      unlinkSync(draft);
    }
    const directory = openSync(this.path, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
    return true;
  }
}

let drafts = 0;

export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => error.code === code);
}
