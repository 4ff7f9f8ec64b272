/**
 * The supervisor: one process per job of the `command` plugin, in a session of its own, so that it outlives the engine.
 * It reads the job's directory from its standard input, claims the job, runs the command and records how that ended.
 *
 * 1. The command is started only while this process holds the job's last run, and there was no result (job-directory.ts).
 * 2. The result is on disk before this process ends; a run whose supervisor is gone without one is lost, and run again.
 * 3. Time limit and stopping are kept here: they hold while no engine is running.
 *
 * It is bundled to one CommonJS file of Node's own modules, as its start-up is the cost of a job.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { JobDirectory, type ResultRecord } from '../../plugins/command/job-directory.ts';
import { identify, isAlive } from '../../plugins/command/process-identity.ts';
import { killLostRun } from './command-group.ts';
import { runCommand } from './command-run.ts';
import { openLogPipe } from './log-pipe.ts';

/** A command that takes its supervisor down with it would be run for ever. */
const MOST_RUNS = 5;

// Before there is a job to wait for it: most supervisors are started ahead of theirs.
const pipe = openLogPipe();
const self = identify(process.pid);
// Empty when whoever started this process ended without giving it a job.
const given = readFileSync(0, 'utf8');
if (given.endsWith('\n')) supervise(new JobDirectory(given.slice(0, -1)));

function supervise(directory: JobDirectory): void {
  process.on('uncaughtException', (error) => {
    appendFileSync(directory.supervisorErrors, `${error.stack ?? error.message}\n`);
    process.exit(1);
  });
  let stop = () => {};
  // A shutdown of the machine sends the signal too, and is nobody's wish to stop the deploy.
  process.on('SIGTERM', () => {
    if (directory.stopRequested()) stop();
  });

  const run = claim(directory);
  if (run === undefined) return;
  const conclude = (ending: ResultRecord['ending']) => {
    directory.conclude({ run, endedAt: Date.now(), ending });
    process.exit(0);
  };
  const job = directory.job();
  if (job === undefined) throw new Error(`${directory.path} holds no job`);
  const { invocation, startedAt, timeoutSeconds } = job;
  const left = startedAt + timeoutSeconds * 1000 - Date.now();
  if ('refused' in invocation) conclude({ kind: 'not-run', reason: invocation.refused });
  else if (directory.stopRequested()) conclude({ kind: 'stopped' });
  else if (run > MOST_RUNS)
    conclude({ kind: 'not-run', reason: `The command's supervisor was lost ${MOST_RUNS} times.` });
  else if (left <= 0) conclude({ kind: 'timed-out', seconds: timeoutSeconds });
  else stop = runCommand({ directory, run, invocation, left, timeoutSeconds, pipe }, conclude);
}

/** The run that this process now holds, or undefined when the job is over or somebody else's. */
function claim(directory: JobDirectory): number | undefined {
  if (self === undefined) throw new Error('the start time of this process cannot be read');
  // One look at the last run: a second could show one that somebody claimed since, and be taken for lost.
  const last = directory.lastRun();
  if (directory.result() !== undefined || (last !== undefined && isAlive(last.holder))) return undefined;
  const run = (last?.run ?? 0) + 1;
  if (!directory.claim(run, self)) return undefined;
  // The holder before may have concluded between the look at its result and the one at itself.
  if (directory.result() !== undefined) return undefined;
  for (let lost = 1; lost < run; lost++) killLostRun(directory.command(lost), directory.environmentMark);
  return run;
}
