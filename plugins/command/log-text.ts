/** A job's log as text: a slice from a byte offset, or the last lines for a message. The log may hold any bytes. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isErrno } from './job-directory.ts';

const SLICE_BYTES = 256 * 1024;
const LAST_LINES = 20;
const LAST_BYTES = 4 * 1024;

/**
 * Text from a byte offset, at most 256 KiB of it, and the offset to go on from. A character that is not whole yet is
 * left for the next call, unless the log is `complete`; bytes that are no UTF-8 become U+FFFD.
 */
export function logFrom(
  path: string,
  offset: number,
  complete: boolean,
): { readonly text: string; readonly next: number } | undefined {
  return withFile(path, (file, size) => {
    const from = Math.min(Math.max(0, Math.trunc(offset)), size);
    const bytes = readAt(file, from, Math.min(SLICE_BYTES, size - from));
    const reachesEnd = from + bytes.length >= size;
    const whole = complete && reachesEnd ? bytes.length : bytes.length - unfinishedCharacter(bytes);
    return { text: bytes.subarray(0, whole).toString('utf8'), next: from + whole };
  });
}

/** At most 20 lines and 4 KiB from the end of the log, without control characters; '' when there is none. */
export function lastLines(path: string): string {
  return (
    withFile(path, (file, size) => {
      const from = Math.max(0, size - LAST_BYTES);
      const text = readAt(file, from, size - from).toString('utf8');
      const lines = printable(text).trimEnd().split('\n').slice(-LAST_LINES).join('\n');
      return lastBytes(lines, LAST_BYTES);
    }) ?? ''
  );
}

/** Bytes at the end that begin a UTF-8 character without finishing it. */
function unfinishedCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back && byte < 0xf8 ? back : 0;
  }
  return 0;
}

function printable(text: string): string {
  return (
    text
      // Colours and cursor movements of terminals.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      .replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd')
  );
}

function lastBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let start = bytes.length - limit;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start).toString('utf8');
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
}

function withFile<T>(path: string, use: (file: number, size: number) => T): T | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    return use(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}
