import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lastLines, logFrom } from '../../plugins/command/log-text.ts';
import { parseOutputs } from '../../plugins/command/outputs.ts';
import { problemsOf } from '../../plugins/command/params.ts';

const directory = mkdtempSync(join(tmpdir(), 'renga-command-parts-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('outputs', () => {
  it.each<[string, string, Record<string, string>]>([
    ['nothing', '', {}],
    ['a line without newline', 'a=1', { a: '1' }],
    ['empty lines and returns', '\na=1\r\n\r\nb=2\n', { a: '1', b: '2' }],
    ['a value with = and <<', 'a=b=c<<d\n', { a: 'b=c<<d' }],
    ['spaces as they are', 'a= 1 \n', { a: ' 1 ' }],
    ['a block', 'a<<E=F\n x\nE\n\nE=F\nb=2', { a: ' x\nE\n', b: '2' }],
    ['an empty block', 'a<<E\nE\n', { a: '' }],
    ['a name of Object', '__proto__=1', Object.fromEntries([['__proto__', '1']])],
  ])('may be %s', (_, text, outputs) => {
    expect(parseOutputs(Buffer.from(text))).toEqual({ outputs });
  });

  it.each<[string, string | Uint8Array, string]>([
    ['no =', 'a=1\ns3cr3t\n', 'line 2: neither key=value nor key<<DELIMITER.'],
    [
      'a bad key',
      's3cr3t x=1',
      'line 1: the key must match [A-Za-z0-9_][A-Za-z0-9_.-]* and have at most 128 characters.',
    ],
    ['no key', '=s3cr3t', 'line 1: the key must match [A-Za-z0-9_][A-Za-z0-9_.-]* and have at most 128 characters.'],
    ['a key twice', 'a=1\n\na=s3cr3t', 'line 3: its key was given before.'],
    ['an open block', 'a=1\nb<<E\ns3cr3t\n', 'line 2: the block that begins here is never closed by its delimiter.'],
    ['a block without delimiter', 'b<<\ns3cr3t\n', 'line 1: no delimiter after <<.'],
    ['NUL', 'a=1\nb=s3cr3t\0', 'line 2: holds a NUL character.'],
    ['no UTF-8', Buffer.from([0x61, 0x3d, 0x31, 0x0a, 0x62, 0x3d, 0xff]), 'line 2: is not valid UTF-8.'],
    ['65 keys', Array.from({ length: 65 }, (_, i) => `k${i}=s3cr3t`).join('\n'), 'line 65: more than 64 keys.'],
  ])('with %s are refused by line, without the value', (_, text, problem) => {
    expect(parseOutputs(Buffer.from(text))).toEqual({ problem: `$RENGA_OUTPUT, ${problem}` });
  });
});

describe('parameters', () => {
  it.each<[string, Record<string, string | number | boolean | string[]>, readonly RegExp[]]>([
    ['a list', { COMMAND: ['./deploy.sh', '--all'], GRACE: 30, ANY: true }, []],
    ['one string', { COMMAND: './deploy.sh', GRACE: '0' }, []],
    ['nothing', {}, [/^COMMAND is missing/]],
    ['an empty list', { COMMAND: [] }, [/^COMMAND must be a list/]],
    ['an empty name', { COMMAND: '' }, [/^COMMAND must be a list/]],
    ['a number', { COMMAND: 1 }, [/^COMMAND must be a list/]],
    ['a name of renga', { COMMAND: 'x', RENGA_TOKEN: 's3cr3t' }, [/^RENGA_TOKEN: names that begin with RENGA_/]],
    ['NUL in a list', { COMMAND: 'x', A: ['s3cr3t\0'] }, [/^A: holds a NUL/]],
    ['a long grace', { COMMAND: 'x', GRACE: 601 }, [/^GRACE must be/]],
    ['a grace in words', { COMMAND: 'x', GRACE: 'long' }, [/^GRACE must be/]],
    ['an absolute CWD', { COMMAND: 'x', CWD: '/tmp' }, [/^CWD must be a directory, written relative/]],
    ['a CWD outside', { COMMAND: 'x', CWD: 'a/../..' }, [/^CWD leads out/]],
    ['a CWD that is not there', { COMMAND: 'x', CWD: 'absent' }, [/^CWD is no directory/]],
    ['several mistakes', { CWD: 1, GRACE: -1 }, [/^COMMAND/, /^GRACE/, /^CWD/]],
  ])('with %s', (_, params, problems) => {
    const found = problemsOf(params, directory);
    expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
    expect(found.join()).not.toContain('s3cr3t');
  });
});

describe('the log as text', () => {
  const log = (content: string | Uint8Array) => {
    const path = join(directory, 'log');
    writeFileSync(path, content);
    return path;
  };

  it('gives the same text in slices as in one piece, wherever a slice ends in a character', () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = 'x'.repeat(shift) + '語𝄞é'.repeat(80_000);
      const path = log(text);
      let read = '';
      for (let next = 0; next < Buffer.byteLength(text); ) {
        const slice = logFrom(path, next, true);
        if (slice === undefined || slice.next === next) throw new Error(`no progress at ${next}`);
        read += slice.text;
        next = slice.next;
      }
      expect(read === text).toBe(true);
    }
  });

  it.each([
    ['waits for the rest of a character', Buffer.from([0x61, 0xf0, 0x9d, 0x84]), false, { text: 'a', next: 1 }],
    ['does not wait when the job is over', Buffer.from([0x61, 0xf0, 0x9d, 0x84]), true, { text: 'a\ufffd', next: 4 }],
    [
      'does not wait for what begins no character',
      Buffer.from([0x61, 0x80, 0x80]),
      false,
      { text: 'a\ufffd\ufffd', next: 3 },
    ],
    ['does not wait for bytes that UTF-8 never has', Buffer.from([0x61, 0xff]), false, { text: 'a\ufffd', next: 2 }],
  ])('%s', (_, content, complete, slice) => {
    expect(logFrom(log(content), 0, complete)).toEqual(slice);
  });

  it('has last lines without colours and control characters', () => {
    expect(lastLines(log('\x1b[31mred\x1b[0m\r\n\x07bell\n\n'))).toBe('red\n\ufffdbell');
    expect(lastLines(log(''))).toBe('');
    expect(lastLines(join(directory, 'absent'))).toBe('');
  });
});
