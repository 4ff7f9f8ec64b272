/**
 * Which process a process id means. Ids are used again, so a record names a process by its id and its start time; on
 * Linux the boot's id is part of that, as start times count from it. A zombie has ended: it is nobody.
 * Only Node's own modules here: the supervisor is bundled from this and must start quickly.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal only for the same process. */
  readonly started: string;
}

/** The process that has this id now, or undefined when none has or it is a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/**
 * Processes whose environment was started with `entry` (`NAME=value`) or with an entry that begins so: they are found
 * even when they left their process group. Linux only; elsewhere none is found.
 */
export function processesWithEnvironment(entry: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid)
    .filter((pid) => {
      const environment = readUnlessGone(`/proc/${pid}/environ`);
      return environment !== undefined && `\0${environment}`.includes(`\0${entry}`);
    });
}

/**
 * Whether anybody in a process group is alive. Signal 0 also reaches zombies, and an orphan stays one until some init
 * process takes note, which may be seconds later or never in a container.
 */
export function groupIsAlive(leader: number): boolean {
  if (process.platform !== 'linux') return signalReaches(-leader);
  if (!signalReaches(-leader)) return false;
  return readdirSync('/proc').some((name) => {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    return stat?.group === leader;
  });
}

function signalReaches(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function startedOnLinux(pid: number): string | undefined {
  const stat = readStat(pid);
  return stat && `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}/${stat.started}`;
}

/** Of a process that is alive: its group, and its start in clock ticks since the boot. */
function readStat(pid: number): { readonly group: number; readonly started: string } | undefined {
  const stat = readUnlessGone(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the command's name in brackets and may hold anything; the numbers are those of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, group, started] = [fields[3 - 3], fields[5 - 3], fields[22 - 3]];
  if (started === undefined || state === 'Z' || state === 'X') return undefined;
  return { group: Number(group), started };
}

function startedByPs(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'latin1' });
  const [, state, started] = /^\s*(\S+)\s+(.+?)\s*$/.exec(stdout ?? '') ?? [];
  return started === undefined || state?.startsWith('Z') ? undefined : started;
}

/** A process may end between being listed and being read, or belong to somebody else: both mean it is not ours. */
function readUnlessGone(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
