/**
 * Sees to it that every job of this engine ends: starts a supervisor for a job that nobody holds, waits for the one that
 * does, and tells once when there is a result. Looks at the disk are synchronous, so that no two can interleave.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { Socket } from 'node:net';
import { isErrno, type JobDirectory, jobOfToken } from './job-directory.ts';

/** What the plugin needs of a clock; milliseconds since the epoch. The answer of `at` takes the task back. */
export interface CommandClock {
  now(): number;
  at(instant: number, task: () => void): () => void;
}

/** How late the end of a job is noticed that another engine started, where watching its directory tells nothing. */
const LOOK_EVERY_MS = 1000;
/** Supervisors that end without claiming the job or concluding it, one after another, until the job is given up. */
const MOST_FAILED_LAUNCHES = 3;

interface Attended {
  readonly token: string;
  readonly directory: JobDirectory;
  /** `waiting`: for a place among the jobs that run at once. `ours`: its supervisor is a child of this process. */
  state: 'new' | 'waiting' | 'ours' | 'watched';
  watcher?: FSWatcher;
  failedLaunches: number;
  readonly whenEnded: (() => void)[];
}

export interface AttendanceOptions {
  /** The supervisor's program, for this Node. */
  readonly supervisor: string;
  readonly clock: CommandClock;
  /** The environment of supervisors, which commands inherit. */
  readonly environment: Readonly<Record<string, string>>;
  /** Supervisors that this process starts at once; further jobs wait for one to end. */
  readonly atOnce: number;
  readonly ended: (token: string) => void;
}

export class Attendance {
  readonly #options: AttendanceOptions;
  readonly #jobs = new Map<string, Attended>();
  #standby: ChildProcess | undefined;
  #takeBackLook: (() => void) | undefined;
  #closed = false;

  constructor(options: AttendanceOptions) {
    this.#options = options;
  }

  /** Attends a recorded job from now until it has ended; attending twice is attending once. */
  attend(token: string, directory: JobDirectory): void {
    const job = jobOfToken(token);
    if (this.#closed || this.#jobs.has(job)) return;
    const attended: Attended = { token, directory, state: 'new', failedLaunches: 0, whenEnded: [] };
    this.#jobs.set(job, attended);
    this.#look(attended);
  }

  /** A job that waits for its place goes at once: it is to be stopped, and its supervisor will see that. */
  hurry(job: string): void {
    const attended = this.#jobs.get(job);
    if (attended?.state === 'waiting') this.#launch(attended);
  }

  /** Resolves when the attended job has ended or attending is over; at once when it is not attended (any more). */
  ended(job: string): Promise<void> {
    const attended = this.#jobs.get(job);
    return attended === undefined ? Promise.resolve() : new Promise((resolve) => attended.whenEnded.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#takeBackLook?.();
    for (const { watcher, whenEnded } of this.#jobs.values()) {
      watcher?.close();
      for (const resolve of whenEnded) resolve();
    }
    this.#jobs.clear();
    this.#standby?.stdin?.end();
    this.#standby = undefined;
  }

  #look(attended: Attended): void {
    if (this.#closed) return;
    const { directory, state } = attended;
    // Without its record the job was removed under us: nobody will conclude it, and `read` says so.
    if (directory.result() !== undefined || directory.job() === undefined) this.#conclude(attended);
    else if (state === 'ours' || state === 'waiting') return;
    else if (directory.holder() === undefined) this.#launchInTurn(attended);
    else if (state === 'new') this.#watch(attended);
  }

  #watch(attended: Attended): void {
    attended.state = 'watched';
    try {
      attended.watcher = watch(attended.directory.path, { persistent: false }, () => this.#look(attended));
      attended.watcher.on('error', () => attended.watcher?.close());
    } catch {
      // The system has no more watches to give: the slow look remains.
    }
    this.#lookLater();
    // The result may have come between the look and the watch.
    this.#look(attended);
  }

  #conclude(attended: Attended): void {
    if (!this.#jobs.delete(jobOfToken(attended.token))) return;
    attended.watcher?.close();
    this.#options.ended(attended.token);
    for (const resolve of attended.whenEnded) resolve();
    this.#fillPlaces();
  }

  #launchInTurn(attended: Attended): void {
    attended.watcher?.close();
    if (this.#count('ours') >= this.#options.atOnce && !attended.directory.stopRequested()) attended.state = 'waiting';
    else this.#launch(attended);
  }

  #fillPlaces(): void {
    for (const attended of this.#jobs.values()) {
      if (this.#closed || this.#count('ours') >= this.#options.atOnce) return;
      if (attended.state === 'waiting') this.#launch(attended);
    }
  }

  #count(state: Attended['state']): number {
    let count = 0;
    for (const attended of this.#jobs.values()) if (attended.state === state) count++;
    return count;
  }

  #launch(attended: Attended): void {
    attended.state = 'ours';
    const runBefore = attended.directory.lastRun()?.run;
    const supervisor = this.#standby ?? this.#spawn();
    this.#standby = undefined;
    let gone = false;
    const leave = (why: string) => {
      if (gone || this.#closed) return;
      gone = true;
      attended.state = 'new';
      const { directory } = attended;
      const nothingDone = directory.lastRun()?.run === runBefore && directory.holder() === undefined;
      attended.failedLaunches = nothingDone ? attended.failedLaunches + 1 : 0;
      if (attended.failedLaunches >= MOST_FAILED_LAUNCHES && directory.job() !== undefined) this.#giveUp(attended, why);
      this.#look(attended);
    };
    supervisor.once('error', (error) => leave(error.message));
    supervisor.once('exit', (code, signal) => leave(`it ended with ${signal ?? `exit code ${code}`}`));
    supervisor.stdin?.end(`${attended.directory.path}\n`);
    // Its start-up is most of what a short job costs: the next job finds one that has started.
    if (supervisor.pid !== undefined) this.#standby = this.#spawn();
  }

  #giveUp({ directory }: Attended, why: string): void {
    const errors = readIfThere(directory.supervisorErrors).trim().split('\n')[0] ?? '';
    const reason = `The supervisor of the command could not be started: ${errors === '' ? why : errors}.`;
    directory.conclude({ run: 0, endedAt: Date.now(), ending: { kind: 'not-run', reason } });
  }

  /** A supervisor that waits for its job on standard input and ends when that closes: also when this process is killed. */
  #spawn(): ChildProcess {
    const supervisor = spawn(process.execPath, [this.#options.supervisor], {
      cwd: '/',
      env: this.#options.environment,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    const dropStandby = () => {
      if (this.#standby === supervisor) this.#standby = undefined;
    };
    supervisor.on('exit', dropStandby);
    supervisor.on('error', dropStandby);
    // Writing to one that has ended fails; that it ended is what is acted upon.
    supervisor.stdin?.on('error', () => {});
    supervisor.unref();
    if (supervisor.stdin instanceof Socket) supervisor.stdin.unref();
    return supervisor;
  }

  #lookLater(): void {
    this.#takeBackLook?.();
    this.#takeBackLook = undefined;
    if (this.#count('watched') === 0) return;
    this.#takeBackLook = this.#options.clock.at(this.#options.clock.now() + LOOK_EVERY_MS, () => {
      for (const attended of [...this.#jobs.values()]) if (attended.state === 'watched') this.#look(attended);
      this.#lookLater();
    });
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return '';
    throw error;
  }
}
