/** Signals to a command with everything that it started: its process group, and on Linux also what left the group. */

import { isErrno } from '../../plugins/command/job-directory.ts';
import {
  identify,
  isAlive,
  type ProcessIdentity,
  processesWithEnvironment,
} from '../../plugins/command/process-identity.ts';

/** The leader's id stays the group's as long as it has a member, also when the leader has ended. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  signalIfThere(-leader, signal);
}

/**
 * Kills what a run whose supervisor was lost has left behind, so that the next run is alone. The group is killed only
 * when its leader is still the process that was recorded; members without a leader carry the mark.
 */
export function killLostRun(leader: ProcessIdentity | undefined, environmentMark: string): void {
  if (leader !== undefined && isAlive(leader)) signalGroup(leader.pid, 'SIGKILL');
  killMarked(environmentMark);
}

/** Repeats until none is found: a process may have forked while the list was read. */
export function killMarked(environmentMark: string): void {
  const killed = new Set<string>();
  for (;;) {
    const found = processesWithEnvironment(environmentMark)
      .map(identify)
      .filter((identity) => identity !== undefined)
      .filter(({ pid, started }) => !killed.has(`${pid} ${started}`));
    if (found.length === 0) return;
    for (const { pid, started } of found) {
      signalIfThere(pid, 'SIGKILL');
      killed.add(`${pid} ${started}`);
    }
  }
}

function signalIfThere(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    // EPERM: it changed its user, and cannot be ended from here.
    if (!isErrno(error, 'ESRCH', 'EPERM')) throw error;
  }
}
