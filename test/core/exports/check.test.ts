import { describe, expect, test } from 'vitest';
import { checkExports } from '../../../core/exports/check.ts';
import { matchesWhole, patternProblem } from '../../../core/exports/pattern.ts';

const declared = (pattern: string, name = 'db_host') => ({
  [name]: { from: `deploy.${name}`, format: 'string' as const, pattern },
});

test('B47: an export that the plugin did not give is missing by name, never empty', () => {
  expect(checkExports(declared('[a-z.]*'), {})).toEqual({
    problems: [
      {
        code: 'export-missing',
        path: 'exports.db_host',
        message: 'export "db_host" is missing: the plugin gave no output "db_host"',
        hint: 'it gave no outputs at all',
      },
    ],
  });
  // An inherited name is no output.
  expect(checkExports(declared('.*', 'constructor'), {}).problems).toHaveLength(1);
});

describe('B50: what was not declared or did not match leaves no trace', () => {
  test('an undeclared output is dropped', () => {
    expect(checkExports(declared('[a-z.]+'), { db_host: 'db.example', db_password: 's3cr3t-Value' })).toEqual({
      values: { db_host: 'db.example' },
    });
  });

  test('a value that does not match is named by its export, not shown', () => {
    const { problems, values } = checkExports(declared('[0-9]+', 'token'), {
      token: 's3cr3t-Value',
      other: 's3cr3t-Other',
    });
    expect(values).toBeUndefined();
    expect(problems).toMatchObject([{ code: 'export-mismatch', path: 'exports.token' }]);
    expect(JSON.stringify(problems)).toContain('token');
    expect(JSON.stringify(problems)).not.toContain('s3cr3t');
  });

  test('a name of an output that was not asked for is not shown either', () => {
    expect(JSON.stringify(checkExports(declared('a'), { 's3cr3t-Value': 'x' }))).not.toContain('s3cr3t');
  });
});

test.each([
  ['eu|us', 'eu', true],
  ['eu|us', 'us', true],
  ['eu|us', 'europe', false],
  ['eu|us', 'xus', false],
  ['a|ab', 'ab', true],
  ['[a-z]+', 'abc\n', false],
  ['[a-z]+$', 'abc\n', false],
  ['(?m)^[a-z]+$', 'abc\nDEF', false],
  ['.*', 'a\nb', false],
  ['(?s).*', 'a\nb', true],
  ['[a-z\\n]+', 'a\nb', true],
  ['a*', '', true],
])('B52: the pattern %s on the whole of %j: %s', (pattern, value, matches) => {
  expect(matchesWhole(pattern, value)).toBe(matches);
});

test.each(['a)|(?:b', '(a', '[', 'a{3,2}', '(?=a)', '(a)\\1', 'a{1001}', '((a{100}){100}){100}', 'x'.repeat(1025)])(
  'B52: %s is no pattern',
  (pattern) => {
    expect(patternProblem(pattern)).toEqual(expect.any(String));
  },
);

test.each(['eu|us', '[a-z0-9.-]{1,253}', '10\\.20\\.\\d+\\.\\d+', '(?i)\\w+', '\\p{L}+'])(
  '%s is a pattern',
  (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  },
);

test.each([
  ['65,536 letters', 'a'.repeat(65_536), undefined],
  ['65,537 letters', 'a'.repeat(65_537), 'export "db_host" has 65537 bytes; the limit is 65536'],
  ['30,000 letters of 3 bytes', '語'.repeat(30_000), 'export "db_host" has 90000 bytes; the limit is 65536'],
])('B55: an export of %s is measured in bytes', (_, value, message) => {
  const checked = checkExports(declared('.*'), { db_host: value });
  expect(checked.problems?.map((problem) => problem.message)).toEqual(message === undefined ? undefined : [message]);
});

test('B55: all exports together have a limit too', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const value = 'x'.repeat(60_000);
  const all = Object.assign({}, ...names.map((name) => declared('x+', name)));
  const outputs = Object.fromEntries(names.map((name) => [name, value]));
  expect(checkExports(all, outputs).problems).toEqual([
    {
      code: 'exports-too-large',
      path: 'exports',
      message: 'the exports have 300000 bytes together; the limit is 262144',
    },
  ]);
  const { e: _, ...four } = all;
  expect(Object.keys(checkExports(four, outputs).values ?? {})).toEqual(['a', 'b', 'c', 'd']);
});

test('an export may have another name than its output, and a name that every object has', () => {
  const exports = { constructor: { from: 'deploy.a.b', format: 'string' as const, pattern: '.' } };
  const { values = {} } = checkExports(exports, { 'a.b': 'x' });
  expect(Object.entries(values)).toEqual([['constructor', 'x']]);
});
