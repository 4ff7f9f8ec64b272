import { describe, expect, test } from 'vitest';
import { checkExports } from '../../../core/exports/check.ts';
import { text } from './exports.ts';

const declared = (pattern: string, name = 'db_host') => ({ [name]: text(`deploy.${name}`, pattern) });
const once = (outputs: Record<string, string>) => ({ deploy: [outputs] });

describe('B47: an export that the plugin did not give is missing by name, never empty', () => {
  test('it gave nothing', () => {
    expect(checkExports(declared('[a-z.]*'), once({}))).toEqual({
      problems: [
        {
          code: 'export-missing',
          path: 'exports.db_host',
          message: 'export "db_host" is missing: the plugin gave no output "db_host"',
          hint: 'it gave no outputs at all',
        },
      ],
    });
    // An inherited name is no output, nor a step.
    expect(checkExports(declared('.*', 'constructor'), once({})).problems).toHaveLength(1);
    expect(checkExports({ a: text('constructor.a', '.*') }, {}).problems).toMatchObject([{ code: 'export-missing' }]);
  });

  test('its step did not run', () => {
    const message = (from: string) => checkExports({ a: text(from, '.*') }, {}).problems?.[0]?.message;
    expect(message('deploy.url')).toBe('export "a" is missing: the plugin did not run');
    expect(message('smoke.url')).toBe('export "a" is missing: the step "smoke" did not run');
  });

  test('an output of another step of the same name does not stand for it', () => {
    const { problems } = checkExports(
      { a: text('smoke.url', '.*') },
      { deploy: [{ url: 'x' }], smoke: [{ uri: 'x' }] },
    );
    expect(problems?.map(({ message, hint }) => `${message} (${hint})`)).toEqual([
      'export "a" is missing: the step "smoke" gave no output "url" (it gave 1 other outputs; compare the name in `from`)',
    ]);
  });
});

describe('B50: what was not declared or did not match leaves no trace', () => {
  test('an undeclared output is dropped', () => {
    const outputs = { db_host: 'db.example', db_password: 's3cr3t-Value' };
    expect(checkExports(declared('[a-z.]+'), once(outputs))).toEqual({
      values: { db_host: { format: 'string', value: 'db.example' } },
    });
  });

  test('a value that does not match is named by its export, not shown', () => {
    const outputs = { token: 's3cr3t-Value', other: 's3cr3t-Other' };
    const { problems, values } = checkExports(declared('[0-9]+', 'token'), once(outputs));
    expect(values).toBeUndefined();
    expect(problems).toMatchObject([{ code: 'export-mismatch', path: 'exports.token' }]);
    expect(JSON.stringify(problems)).toContain('token');
    expect(JSON.stringify(problems)).not.toContain('s3cr3t');
  });

  test('a name of an output that was not asked for is not shown either', () => {
    expect(JSON.stringify(checkExports(declared('a'), once({ 's3cr3t-Value': 'x' })))).not.toContain('s3cr3t');
  });

  test('one bad export refuses the good ones with it', () => {
    const all = { ...declared('x', 'good'), ...declared('x', 'bad') };
    const checked = checkExports(all, once({ good: 'x', bad: 'y' }));
    expect(checked.values).toBeUndefined();
    expect(checked.problems).toMatchObject([{ code: 'export-mismatch', path: 'exports.bad' }]);
  });
});

describe('B51: nobody gets an empty value or asterisks for one', () => {
  test.each([
    ['nothing', '', 'export-empty'],
    ['white space', ' \n', 'export-empty'],
    ['three asterisks', '***', 'export-masked'],
    ['asterisks with white space around', ' ********\n', 'export-masked'],
  ])('%s is refused, whatever the pattern says', (_, value, code) => {
    const { problems } = checkExports(declared('(?s).*'), once({ db_host: value }));
    expect(problems).toMatchObject([{ code, path: 'exports.db_host' }]);
    expect(problems?.[0]?.hint).toEqual(expect.any(String));
  });

  test.each(['**', '*', '*** x', 'a***'])('%j is a value like any other', (value) => {
    expect(checkExports(declared('.*'), once({ db_host: value })).values).toEqual({
      db_host: { format: 'string', value },
    });
  });
});

test.each([
  ['65,536 letters', 'a'.repeat(65_536), undefined],
  ['65,537 letters', 'a'.repeat(65_537), 'export "db_host" has 65537 bytes; the limit is 65536'],
  ['30,000 letters of 3 bytes', '語'.repeat(30_000), 'export "db_host" has 90000 bytes; the limit is 65536'],
])('B55: an export of %s is measured in bytes', (_, value, message) => {
  const checked = checkExports(declared('.*'), once({ db_host: value }));
  expect(checked.problems?.map((problem) => problem.message)).toEqual(message === undefined ? undefined : [message]);
});

test('B55: all exports together have a limit too', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const value = 'x'.repeat(60_000);
  const all = Object.assign({}, ...names.map((name) => declared('x+', name)));
  const outputs = Object.fromEntries(names.map((name) => [name, value]));
  expect(checkExports(all, once(outputs)).problems).toEqual([
    {
      code: 'exports-too-large',
      path: 'exports',
      message: 'the exports have 300000 bytes together; the limit is 262144',
    },
  ]);
  const { e: _, ...four } = all;
  expect(Object.keys(checkExports(four, once(outputs)).values ?? {})).toEqual(['a', 'b', 'c', 'd']);
});

test.each([65_536, 65_537])(
  'B55: four exports of 64 KiB are all there may be; one byte more (%i) is too much',
  (last) => {
    const names = ['a', 'b', 'c', 'd'];
    const all = Object.assign(
      {},
      ...names.map((name) => declared('x+', name)),
      last > 65_536 ? declared('x', 'e') : {},
    );
    const outputs = Object.fromEntries(names.map((name) => [name, 'x'.repeat(65_536)]));
    const checked = checkExports(all, once({ ...outputs, e: 'x' }));
    expect(checked.problems?.map(({ code }) => code)).toEqual(last > 65_536 ? ['exports-too-large'] : undefined);
  },
);

test('an export may have another name than its output, and a name that every object has', () => {
  const { values = {} } = checkExports({ constructor: text('deploy.a.b', '.') }, once({ 'a.b': 'x' }));
  expect(Object.entries(values)).toEqual([['constructor', { format: 'string', value: 'x' }]]);
});

test('only a public export says so', () => {
  const exports = { a: text('deploy.a', '.'), b: { ...text('deploy.a', '.'), public: true } };
  expect(checkExports(exports, once({ a: 'x' })).values).toEqual({
    a: { format: 'string', value: 'x' },
    b: { format: 'string', value: 'x', public: true },
  });
});

describe('line breaks and what is no text', () => {
  test.each([
    ['a line break', 'a\nb', '.*', 'export-mismatch'],
    ['a line break that the pattern allows', 'a\nb', '(?s).*', undefined],
    ['a line break at the end', 'a\n', '[a-z]+', 'export-mismatch'],
    ['NUL', 'a\u0000b', '(?s).*', 'export-not-text'],
    ['the colours of a terminal', '\u001b[32ma', '(?s).*', 'export-not-text'],
    ['half a character', 'a\ud800', '(?s).*', 'export-not-text'],
    ['a tab', 'a\tb', '.*', undefined],
    ['a character of two halves', '😀', '.*', undefined],
  ])('%s', (_, value, pattern, code) => {
    const checked = checkExports(declared(pattern), once({ db_host: value }));
    expect(checked.problems?.map((problem) => problem.code)).toEqual(code === undefined ? undefined : [code]);
  });
});
