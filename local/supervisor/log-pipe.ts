/**
 * One pipe for a command's stdout and stderr: it keeps their order, and a command may open /dev/stderr, which the
 * sockets that Node makes for `pipe` don't allow.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** File descriptors. */
export interface LogPipe {
  readonly read: number;
  readonly write: number;
}

/** Undefined where there is no `mkfifo` command or no place for temporary files: Node makes no pipes of its own. */
export function openLogPipe(): LogPipe | undefined {
  const path = join(tmpdir(), `renga-${randomUUID()}`);
  if (spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' }).status !== 0) return undefined;
  try {
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { read, write: openSync(path, constants.O_WRONLY) };
  } finally {
    unlinkSync(path);
  }
}
