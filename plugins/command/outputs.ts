/**
 * Reads what a command wrote to `$RENGA_OUTPUT`: `key=value` lines, and for values of several lines
 *
 *   key<<DELIMITER
 *   first line
 *   DELIMITER
 *
 * Problems name a line, never a key or a value: what was not declared leaves no trace (I8).
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { LIMITS } from '../../core/documents/limits.ts';
import { isErrno } from './job-directory.ts';

const OUTPUT_FILE_BYTES = 1024 * 1024;
const KEY = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

type Outputs = { readonly outputs: Readonly<Record<string, string>> } | { readonly problem: string };

/** The outputs in a file; a file that was removed holds none. The command may have put anything in its place. */
export function readOutputs(path: string): Outputs {
  let file: number;
  try {
    // Not through a symbolic link, and not waiting for the other end of a FIFO.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return { outputs: {} };
    if (isErrno(error, 'ELOOP', 'EMLINK', 'ENXIO', 'EACCES', 'EOPNOTSUPP')) return { problem: NOT_A_FILE };
    throw error;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { problem: NOT_A_FILE };
    const content = Buffer.alloc(Math.min(stat.size, OUTPUT_FILE_BYTES) + 1);
    let length = 0;
    for (let got = -1; got !== 0 && length < content.length; length += got) {
      got = readSync(file, content, length, content.length - length, length);
    }
    if (stat.size > OUTPUT_FILE_BYTES || length > OUTPUT_FILE_BYTES) {
      return { problem: `$RENGA_OUTPUT holds ${stat.size} bytes; the limit is ${OUTPUT_FILE_BYTES}.` };
    }
    return parseOutputs(content.subarray(0, length));
  } finally {
    closeSync(file);
  }
}

const NOT_A_FILE = '$RENGA_OUTPUT is no longer a plain file that can be read: the command replaced it.';

export function parseOutputs(content: Uint8Array): Outputs {
  const lines = decodeLines(content);
  if ('problem' in lines) return lines;
  const outputs = new Map<string, string>();
  for (let at = 0; at < lines.text.length; at++) {
    const line = lines.text[at] ?? '';
    const problem = (what: string) => ({ problem: `$RENGA_OUTPUT, line ${at + 1}: ${what}.` });
    if (withoutReturn(line) === '') continue;
    const equals = line.indexOf('=');
    const block = line.indexOf('<<');
    if (equals < 0 && block < 0) return problem('neither key=value nor key<<DELIMITER');
    const isBlock = block >= 0 && (equals < 0 || block < equals);
    const key = line.slice(0, isBlock ? block : equals);
    if (!KEY.test(key))
      return problem('the key must match [A-Za-z0-9_][A-Za-z0-9_.-]* and have at most 128 characters');
    if (outputs.has(key)) return problem('its key was given before');
    if (outputs.size === LIMITS.pluginOutputs) return problem(`more than ${LIMITS.pluginOutputs} keys`);
    if (!isBlock) {
      outputs.set(key, withoutReturn(line.slice(equals + 1)));
      continue;
    }
    const delimiter = withoutReturn(line.slice(block + 2));
    if (delimiter === '') return problem('no delimiter after <<');
    const end = lines.text.findIndex((other, index) => index > at && withoutReturn(other) === delimiter);
    if (end < 0) return problem('the block that begins here is never closed by its delimiter');
    outputs.set(key, lines.text.slice(at + 1, end).join('\n'));
    at = end;
  }
  return { outputs: Object.fromEntries(outputs) };
}

function decodeLines(content: Uint8Array): { readonly text: readonly string[] } | { readonly problem: string } {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const text: string[] = [];
  for (let start = 0; start <= content.length; ) {
    const newline = content.indexOf(0x0a, start);
    const end = newline < 0 ? content.length : newline;
    const bytes = content.subarray(start, end);
    if (bytes.includes(0)) return { problem: `$RENGA_OUTPUT, line ${text.length + 1}: holds a NUL character.` };
    try {
      text.push(decoder.decode(bytes));
    } catch {
      return { problem: `$RENGA_OUTPUT, line ${text.length + 1}: is not valid UTF-8.` };
    }
    start = end + 1;
  }
  return { text };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
