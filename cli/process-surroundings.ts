/** The surroundings of a real process. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { WriteStream } from 'node:tty';
import { startLocalServer } from './local-server.ts';
import type { Output, Surroundings } from './surroundings.ts';

/** A server that has not answered by then is taken for one that does not. Milliseconds; its slowest answer is a check of 500 deploys. */
const ANSWER_WITHIN = 30_000;

export function processSurroundings(): Surroundings {
  return {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    env: process.env,
    now: () => Date.now(),
    sleep,
    fetch: (request) =>
      fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_WITHIN)]) }),
    readFile: (file) => readFile(file, 'utf8'),
    writeFile: (file, content) => writeFile(file, content),
    writePrivate,
    readInput: () => text(process.stdin),
    onInterrupt,
    startServer: startLocalServer,
  };
}

async function writePrivate(file: string, content: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // A file that is there keeps its mode when it is written over, so another takes its place.
  const fresh = `${file}.${process.pid}`;
  try {
    await writeFile(fresh, content, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

function outputOf(stream: WriteStream): Output {
  return {
    write: (text) => {
      stream.write(text);
    },
    get isTTY() {
      return stream.isTTY === true;
    },
    // Undefined for what is no terminal, and 0 for some that do not say.
    get columns() {
      return stream.columns || 80;
    },
    get rows() {
      return stream.rows || 24;
    },
  };
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** The first signal asks to end, a second one doesn't wait for the answer. */
function onInterrupt(listener: () => void): () => void {
  let asked = false;
  const signalled = () => {
    if (asked) process.exit(130);
    asked = true;
    listener();
  };
  process.on('SIGINT', signalled);
  process.on('SIGTERM', signalled);
  return () => {
    process.off('SIGINT', signalled);
    process.off('SIGTERM', signalled);
  };
}
