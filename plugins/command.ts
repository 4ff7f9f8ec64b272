/**
 * The `command` plugin: carries a deploy out by a local process, without a shell. A small supervisor process per job
 * holds it, so that a job survives the engine and is found again by its idempotency token (I10).
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Attendance, type CommandClock } from './command/attendance.ts';
import { JobDirectory, jobOfToken } from './command/job-directory.ts';
import { failed, resultOf } from './command/job-result.ts';
import { logFrom } from './command/log-text.ts';
import { INHERITED, invocationOf, problemsOf } from './command/params.ts';
import type { Job, Plugin, PluginHost } from './contract.ts';

/** How long stopping may take beyond the command's own grace, until whoever asked is told that it cannot be stopped. */
const STOPPING_MS = 10_000;
/** A supervisor takes some 40 MB and, starting, 35 ms of a core: a wide layer must not start hundreds. */
const AT_ONCE = 64;

export interface CommandPluginOptions {
  /** Holds one directory per job, private to this user. On a local file system: claims are hard links. */
  readonly jobsDirectory: string;
  /** Where commands run; `CWD` is relative to it. */
  readonly workingDirectory: string;
  /** The supervisor's program, for `node`: see `supervisorProgram` of local/supervisor. */
  readonly supervisor: string;
  readonly host: PluginHost;
  readonly clock: CommandClock;
  /** The most jobs that are started at once; more wait for a place. */
  readonly atOnce?: number;
  /** What PATH, HOME, LANG, TMPDIR and USER are taken from; by default this process's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface CommandPlugin extends Plugin {
  log(job: Job, offset: number): Promise<{ readonly text: string; readonly next: number } | undefined>;
  /** Attends again what an earlier engine started, and tells of every job that has ended and was not forgotten. */
  resume(): Promise<void>;
  /**
   * For when the job's result is recorded: removes its outputs, declared or not (I8). The job stays known, so that its
   * token starts nothing again.
   */
  forget(job: Job): Promise<void>;
  /** Removes jobs that ended before an instant (milliseconds since the epoch), and says how many. Their tokens are free again. */
  prune(olderThan: number): Promise<number>;
  /** Stops attending. Jobs go on under their supervisors. */
  close(): void;
}

export function commandPlugin(options: CommandPluginOptions): CommandPlugin {
  const { clock } = options;
  const jobsDirectory = resolve(options.jobsDirectory);
  const workingDirectory = resolve(options.workingDirectory);
  const attendance = new Attendance({
    supervisor: options.supervisor,
    clock,
    environment: inherited(options.environment ?? process.env),
    atOnce: options.atOnce ?? AT_ONCE,
    ended: (token) => options.host.ended(token),
  });
  const directoryOf = (job: Job) => new JobDirectory(join(jobsDirectory, job));
  const knownDirectoryOf = (job: Job) => {
    const directory = directoryOf(job);
    return JOB.test(job) && directory.job() !== undefined ? directory : undefined;
  };

  return {
    name: 'command',

    check: (params) => problemsOf(params, workingDirectory),

    async start(request) {
      const job = jobOfToken(request.idempotencyToken);
      const directory = directoryOf(job);
      await mkdir(directory.path, { recursive: true, mode: 0o700 });
      directory.recordTargets(request.targets);
      directory.recordJob({
        token: request.idempotencyToken,
        startedAt: Date.now(),
        timeoutSeconds: request.timeoutSeconds,
        invocation: invocationOf(request, workingDirectory),
      });
      attendance.attend(request.idempotencyToken, directory);
      return { job };
    },

    async read(job) {
      const directory = knownDirectoryOf(job);
      if (directory === undefined) return failed('The job is unknown here: its records were removed.');
      const result = directory.result();
      return result === undefined ? undefined : resultOf(directory, result);
    },

    async stop(job) {
      const directory = knownDirectoryOf(job);
      const record = directory?.job();
      if (directory === undefined || record === undefined || directory.result() !== undefined) return 'already-ended';
      await writeFile(directory.stop, '', { mode: 0o600 });
      attendance.attend(record.token, directory);
      attendance.hurry(job);
      // A supervisor that has not claimed the job yet sees the file; one that has gets the signal.
      const holder = directory.holder();
      if (holder !== undefined) signalStop(holder.pid);
      const grace = 'refused' in record.invocation ? 0 : record.invocation.graceSeconds * 1000;
      let takeBack = () => {};
      const tooLate = new Promise<void>((done) => {
        takeBack = clock.at(clock.now() + grace + STOPPING_MS, done);
      });
      await Promise.race([attendance.ended(job), tooLate]);
      takeBack();
      const result = directory.result();
      if (result === undefined) return 'cannot-stop';
      return result.ending.kind === 'stopped' ? 'stopped' : 'already-ended';
    },

    async log(job, offset) {
      const directory = knownDirectoryOf(job);
      // Looked at before the log is read: what is written after the look is for the next call.
      const complete = directory?.result() !== undefined;
      return directory && logFrom(directory.log, offset, complete);
    },

    async resume() {
      for (const job of await jobsIn(jobsDirectory)) {
        const directory = directoryOf(job);
        const record = directory.job();
        if (record !== undefined && !existsSync(directory.forgotten)) attendance.attend(record.token, directory);
      }
    },

    async forget(job) {
      const directory = knownDirectoryOf(job);
      const result = directory?.result();
      if (directory === undefined || result === undefined) return;
      await writeFile(directory.forgotten, '', { mode: 0o600 });
      for (let run = 1; run <= (directory.lastRun()?.run ?? 0); run++) {
        await rm(directory.output(run), { recursive: true, force: true });
      }
    },

    async prune(olderThan) {
      await mkdir(jobsDirectory, { recursive: true, mode: 0o700 });
      let removed = 0;
      // What a prune that was interrupted has left.
      for (const name of await readdir(jobsDirectory)) {
        if (name.endsWith(PRUNED)) await rm(join(jobsDirectory, name), { recursive: true, force: true });
      }
      for (const job of await jobsIn(jobsDirectory)) {
        const directory = directoryOf(job);
        const result = directory.result();
        if (result === undefined || result.endedAt >= olderThan) continue;
        // Under another name first: a job is known whole or not at all.
        await rename(directory.path, `${directory.path}${PRUNED}`);
        await rm(`${directory.path}${PRUNED}`, { recursive: true, force: true });
        removed++;
      }
      return removed;
    },

    close: () => attendance.close(),
  };
}

const JOB = /^[0-9a-f]{64}$/;
const PRUNED = '.pruned';

async function jobsIn(jobsDirectory: string): Promise<readonly Job[]> {
  await mkdir(jobsDirectory, { recursive: true, mode: 0o700 });
  return (await readdir(jobsDirectory)).filter((name) => JOB.test(name)).sort();
}

function inherited(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function signalStop(supervisor: number): void {
  try {
    process.kill(supervisor, 'SIGTERM');
  } catch {
    // It ended since it was looked at: its result, or the loss of it, is seen by the attendance.
  }
}
