import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RengaError } from '../../core/errors.ts';
import { CI_FORMATS, type CiFormat, ciOutcome, ciTarget, writeCiOutcome } from '../../files/ci-outcome.ts';

const outcome = (exports: Record<string, string> = {}) => ({ id: 'infra-42', state: 'SUCCESS', exports });
const folder = () => mkdtemp(path.join(tmpdir(), 'renga-ci-'));

function refusal(what: () => unknown): RengaError {
  try {
    what();
  } catch (error) {
    if (error instanceof RengaError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** Reads a file as the runner of GitHub Actions does: name=value, or name<<delimiter up to a line that is the delimiter. */
function readByGithub(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    if (line === '') continue;
    const [equals, heredoc] = [line.indexOf('='), line.indexOf('<<')];
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      values[line.slice(0, equals)] = line.slice(equals + 1);
      continue;
    }
    const end = lines.indexOf(line.slice(heredoc + 2));
    if (heredoc < 0 || end < 0) throw new Error(`unreadable: ${line}`);
    values[line.slice(0, heredoc)] = lines
      .splice(0, end + 1)
      .slice(0, -1)
      .join('\n');
  }
  return values;
}

describe('the text of an outcome', () => {
  const exports = { url: 'https://a.example/?b=c', 'db.host': 'db', 'db-port': '5432', vms: '[{"host":"10.20.0.1"}]' };

  test('github: lines of name=value, a dot in a name becomes _', () => {
    expect(ciOutcome('github', outcome(exports))).toBe(
      [
        'deploy_id=infra-42',
        'state=SUCCESS',
        'export_url=https://a.example/?b=c',
        'export_db_host=db',
        'export_db-port=5432',
        'export_vms=[{"host":"10.20.0.1"}]',
        '',
      ].join('\n'),
    );
  });

  test('gitlab: values as they are, since it keeps quotes', () => {
    expect(ciOutcome('gitlab', outcome(exports))).toContain('export_vms=[{"host":"10.20.0.1"}]\n');
    expect(ciOutcome('gitlab', outcome(exports))).toContain('export_db_port=5432\n');
  });

  test('dotenv: values that a shell would take apart are quoted', () => {
    expect(ciOutcome('dotenv', outcome({ ...exports, said: "it's" }))).toBe(
      [
        'deploy_id=infra-42',
        'state=SUCCESS',
        "export_url='https://a.example/?b=c'",
        'export_db_host=db',
        'export_db_port=5432',
        `export_vms='[{"host":"10.20.0.1"}]'`,
        `export_said="it's"`,
        '',
      ].join('\n'),
    );
  });

  test('json: one document, names and values as they are', () => {
    expect(JSON.parse(ciOutcome('json', outcome({ ...exports, text: 'a\nb' })))).toEqual({
      id: 'infra-42',
      state: 'SUCCESS',
      exports: { ...exports, text: 'a\nb' },
    });
  });

  test('no value, whatever it has, breaks out of its own variable for GitHub', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('state=ERROR', 'x<<E', 'E', '', '\r', '=', '<<'), { maxLength: 6 })
        .map((a) => a.join('\n')),
    );
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(readByGithub(ciOutcome('github', outcome({ a, b })))).toEqual({
          deploy_id: 'infra-42',
          state: 'SUCCESS',
          export_a: a,
          export_b: b,
        });
      }),
    );
  });

  test('a value of several lines that knows its delimiter gets another one', () => {
    const [, end = ''] = /<<(\w+)/.exec(ciOutcome('github', outcome({ a: 'x\ny' }))) ?? [];
    const value = `x\n${end}\nstate=ERROR`;
    expect(readByGithub(ciOutcome('github', outcome({ a: value })))).toMatchObject({
      state: 'SUCCESS',
      export_a: value,
    });
  });

  test('a shell reads a dotenv file as it was meant', async () => {
    const file = path.join(await folder(), 'renga.env');
    const exports = { a: '$HOME `id` $(id) "x" \\ ! #', b: "it's; id", c: ' x ', d: 'ü 語 & | > <' };
    await writeFile(file, ciOutcome('dotenv', outcome(exports)));
    const printed = execFileSync('sh', [
      '-c',
      `. "$1"; printf '%s\\n' "$export_a" "$export_b" "$export_c" "$export_d"`,
      'sh',
      file,
    ]);
    expect(printed.toString().split('\n').slice(0, 4)).toEqual(Object.values(exports));
  });
});

describe('what a file can not hold is refused by name, never shown', () => {
  test.each([
    ['gitlab', 's3cr3t\nx', 'has line breaks'],
    ['gitlab', 's3cr3t\rx', 'has line breaks'],
    ['gitlab', ' s3cr3t', 'begins or ends with white space'],
    ['dotenv', 's3cr3t\nx', 'has line breaks'],
    ['dotenv', `s3cr3t'"`, "has a ' together with"],
  ] as const)('%s: %j', (format, value, why) => {
    const error = refusal(() => ciOutcome(format, outcome({ token: value })));
    expect(error.message).toContain(`the export "token" ${why}`);
    expect(error.code).toBe('invalid-request');
    expect(JSON.stringify([error.message, error.details])).not.toContain('s3cr3t');
  });

  test.each([
    ['github', ['a.b', 'a_b'], 'export_a_b'],
    ['gitlab', ['a-b', 'a.b'], 'export_a_b'],
    ['dotenv', ['a_b', 'a-b'], 'export_a_b'],
  ] as const)('%s: two exports with one name, before anything is submitted', (format, names, variable) => {
    const { message } = refusal(() => ciTarget(format, { GITHUB_OUTPUT: 'out' }, undefined, names));
    expect(message).toBe(`the exports "${names[0]}" and "${names[1]}" would both be ${variable} for --ci ${format}`);
    expect(refusal(() => ciOutcome(format, outcome({ [names[0]]: 'x', [names[1]]: 'y' }))).message).toBe(message);
  });

  test('names that differ for GitHub and in JSON stay two', () => {
    expect(ciTarget('github', { GITHUB_OUTPUT: 'out' }, undefined, ['a-b', 'a_b'])).toBeDefined();
    expect(ciTarget('json', {}, undefined, ['a.b', 'a_b', 'a-b'])).toBeDefined();
  });
});

describe('where an outcome goes', () => {
  test.each<[CiFormat, string | undefined, string | undefined]>([
    ['github', undefined, '/tmp/output'],
    ['github', 'mine', 'mine'],
    ['gitlab', undefined, 'renga.env'],
    ['dotenv', undefined, 'renga.env'],
    ['dotenv', 'build.env', 'build.env'],
    ['json', undefined, 'renga.json'],
    ['json', '-', undefined],
  ])('%s with --ci-file %s: %s', (format, file, where) => {
    expect(ciTarget(format, { GITHUB_OUTPUT: '/tmp/output' }, file).file).toBe(where);
  });

  test.each([{}, { GITHUB_OUTPUT: '' }])('without GITHUB_OUTPUT, github is refused at once: %j', (env) => {
    const error = refusal(() => ciTarget('github', env));
    expect(error.message).toBe('--ci github writes to the file that GITHUB_OUTPUT names, and GITHUB_OUTPUT is not set');
    expect(error.details.hint).toContain('--ci-file');
  });

  test.each(CI_FORMATS.filter((format) => format !== 'json'))('%s does not go to the standard output', (format) => {
    expect(refusal(() => ciTarget(format, { GITHUB_OUTPUT: 'out' }, '-')).message).toContain('is no file');
  });
});

describe('writing', () => {
  test('GitHub: appended, on a line of its own', async () => {
    const file = path.join(await folder(), 'output');
    await writeFile(file, 'before=1');
    for (const id of ['a', 'b']) await writeCiOutcome({ format: 'github', file }, { ...outcome(), id });
    expect(await readFile(file, 'utf8')).toBe('before=1\ndeploy_id=a\nstate=SUCCESS\ndeploy_id=b\nstate=SUCCESS\n');
  });

  test('the others replace what was there', async () => {
    const file = path.join(await folder(), 'renga.env');
    await writeFile(file, 'before=1\n');
    expect(await writeCiOutcome({ format: 'gitlab', file }, outcome())).toBeUndefined();
    expect(await readFile(file, 'utf8')).toBe('deploy_id=infra-42\nstate=SUCCESS\n');
  });

  test('a value that can not be written leaves the file as it was', async () => {
    const file = path.join(await folder(), 'renga.env');
    await writeFile(file, 'before=1\n');
    await expect(writeCiOutcome({ format: 'gitlab', file }, outcome({ a: 'x\ny' }))).rejects.toThrow('has line breaks');
    expect(await readFile(file, 'utf8')).toBe('before=1\n');
  });

  test('the standard output is the caller’s', async () => {
    expect(JSON.parse((await writeCiOutcome({ format: 'json' }, outcome())) ?? '')).toEqual(outcome());
  });

  test('a file that can not be written is named, with what became of the deploy', async () => {
    const file = path.join(await folder(), 'missing', 'renga.env');
    await expect(writeCiOutcome({ format: 'dotenv', file }, outcome())).rejects.toThrow(
      /^infra-42 is SUCCESS, and its outcome can't be written to .*: ENOENT$/,
    );
  });
});
