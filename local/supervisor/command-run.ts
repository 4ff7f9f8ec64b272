/** One run of a command: started, logged, kept to its time limit, and ended with everything that it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type Ending, type Invocation, isErrno, type JobDirectory } from '../../plugins/command/job-directory.ts';
import { groupIsAlive, identify } from '../../plugins/command/process-identity.ts';
import { CappedLog } from './capped-log.ts';
import { killMarked, signalGroup } from './command-group.ts';
import type { LogPipe } from './log-pipe.ts';

/** How long to read on for what is still in the pipe when the command ended: somebody who left the group may hold it open. */
const DRAIN_MS = 250;
/** Between looks at whether a group that was asked to end has done so. */
const GROUP_LOOK_MS = 20;
/** Node's timers hold 31 bits of milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Run {
  readonly directory: JobDirectory;
  readonly run: number;
  readonly invocation: Invocation;
  /** Milliseconds until the time limit. */
  readonly left: number;
  readonly timeoutSeconds: number;
  readonly pipe: LogPipe | undefined;
}

/** Starts the command; `concluded` is called once. The answer asks it to stop, and may be called at any time. */
export function runCommand(run: Run, concluded: (ending: Ending) => void): () => void {
  const { directory, invocation, pipe } = run;
  const log = new CappedLog(directory.log);
  if (run.run > 1) log.write(Buffer.from(`[run ${run.run}: the supervisor of the run before was lost]\n`));
  const finish = (ending: Ending) => {
    log.close();
    concluded(ending);
  };
  writeFileSync(directory.output(run.run), '', { flag: 'wx', mode: 0o600 });

  let command: ChildProcess;
  try {
    command = spawn(invocation.argv[0], invocation.argv.slice(1), {
      cwd: invocation.cwd,
      env: {
        ...process.env,
        ...invocation.environment,
        RENGA_OUTPUT: directory.output(run.run),
        RENGA_TARGETS: directory.targets,
      },
      stdio: pipe === undefined ? ['ignore', 'pipe', 'pipe'] : ['ignore', pipe.write, pipe.write],
      detached: true,
    });
  } catch (error) {
    finish({ kind: 'not-run', reason: whyNotStarted(error, invocation) });
    return () => {};
  }
  const leader = command.pid;
  if (leader === undefined) {
    command.on('error', (error) => finish({ kind: 'not-run', reason: whyNotStarted(error, invocation) }));
    return () => {};
  }
  const identity = identify(leader);
  if (identity !== undefined) directory.recordCommand(run.run, identity);
  if (pipe !== undefined) closeSync(pipe.write);
  const streams: Readable[] =
    pipe === undefined
      ? [command.stdout, command.stderr].filter((stream) => stream !== null)
      : [new Socket({ fd: pipe.read, readable: true, writable: false })];
  const drained = Promise.all(streams.map((stream) => logUntilEnd(stream, log)));

  let over = false;
  let cutShort: { readonly ending: Ending; readonly groupEnded: Promise<void> } | undefined;
  const cutShortBy = (ending: Ending) => {
    if (cutShort !== undefined || over) return;
    signalGroup(leader, 'SIGTERM');
    // A process that is suspended gets the signal only when it goes on.
    signalGroup(leader, 'SIGCONT');
    const groupEnded = groupEnds(leader, invocation.graceSeconds * 1000).then(() => {
      signalGroup(leader, 'SIGKILL');
      killMarked(directory.environmentMark);
    });
    cutShort = { ending, groupEnded };
  };
  after(run.left, () => cutShortBy({ kind: 'timed-out', seconds: run.timeoutSeconds }));

  command.on('exit', async (code, signal) => {
    over = true;
    if (cutShort === undefined) signalGroup(leader, 'SIGKILL');
    await cutShort?.groupEnded;
    await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, DRAIN_MS))]);
    const own: Ending = code === null ? { kind: 'signalled', signal: signal ?? 'unknown' } : { kind: 'exited', code };
    finish(cutShort?.ending ?? own);
  });
  return () => cutShortBy({ kind: 'stopped' });
}

/** Resolves once nobody is left in the group, or after the time given. */
async function groupEnds(leader: number, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (performance.now() < until && groupIsAlive(leader)) {
    await new Promise((resolve) => setTimeout(resolve, GROUP_LOOK_MS));
  }
}

function logUntilEnd(stream: Readable, log: CappedLog): Promise<void> {
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => log.write(chunk));
    stream.on('close', resolve);
  });
}

function after(ms: number, task: () => void): void {
  setTimeout(
    () => (ms > LONGEST_TIMER_MS ? after(ms - LONGEST_TIMER_MS, task) : task()),
    Math.min(ms, LONGEST_TIMER_MS),
  );
}

function whyNotStarted(error: unknown, { argv: [executable], cwd }: Invocation): string {
  if (isErrno(error, 'ENOENT')) {
    return `The command ${executable} was not found, or the interpreter in its first line was not, or the directory ${cwd} is gone.`;
  }
  if (isErrno(error, 'EACCES'))
    return `The command ${executable} is not executable, or the directory ${cwd} is closed.`;
  if (isErrno(error, 'E2BIG')) {
    return `The command ${executable} could not be started: its arguments and variables are longer than this system takes.`;
  }
  return `The command ${executable} could not be started: ${error instanceof Error ? error.message : String(error)}.`;
}
