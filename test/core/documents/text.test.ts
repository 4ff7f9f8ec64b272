import { expect, test } from 'vitest';
import { parseDocuments, parseJsonBody } from '../../../core/documents/parse.ts';
import { decode } from '../../../core/documents/source-text.ts';
import { bodyProblems, deployText, problemsIn, releaseText, told } from './texts.ts';

/** The version stands on line 5, column 57. */
const version = (text: string) => deployText('', { artifact: `artifact: {type: app, name: shop, version: ${text}}` });

const misread = [
  '1.10',
  '1.0',
  '12e3',
  '0123',
  '0x1F',
  '0o17',
  '0b101',
  '1_000',
  '1_000.5',
  '.5',
  '5.',
  '+1',
  '-0',
  '.inf',
  '.nan',
  '9007199254740993',
  '12345678901234567890',
  '2026-10-12',
  '2026-10-12T22:00:00Z',
  '22:30',
  'True',
  'FALSE',
  '1',
  '2.5',
  '2026.10',
  'true',
];

test.each(misread)('a version written %s must be quoted, and is accepted in quotes', (text) => {
  expect(told(problemsIn(version(text)))).toEqual(['must-be-quoted artifact.version 5:44']);
  expect(problemsIn(version(`"${text}"`))).toEqual([]);
});

test.each(['1.10.0', 'v1.10', '1.10-rc.1', 'no', 'on', 'yes', 'off', 'y', '1e', '3f2a9c1', '10.20.0.1'])(
  'a version written %s is text as it stands',
  (text) => {
    const { documents, problems } = parseDocuments(version(text), 'a.yml');
    expect(problems).toEqual([]);
    expect(documents[0]?.value).toMatchObject({ artifact: { version: text } });
  },
);

test('a parameter may be a number, but only one that reads back as it was written', () => {
  const params = (value: string) => deployText('', { deploy: `deploy: {plugin: p, params: {PORT: ${value}}}` });
  expect(parseDocuments(params('8080'), 'a.yml').documents[0]?.value).toMatchObject({
    deploy: { params: { PORT: 8080 } },
  });
  expect(told(problemsIn(params('010')))).toEqual(['must-be-quoted deploy.params.PORT 6:36']);
});

const start = deployText();
const refused: [what: string, text: string, problem: string][] = [
  ['an empty file', '', 'no-document  1:1'],
  ['only spaces', '  \n\n', 'no-document  1:1'],
  ['only comments', '# nothing\n# here\n', 'no-document  1:1'],
  ['only marks', '---\n---\n', 'no-document  1:1'],
  ['an empty document among others', `${start}---\n# nothing\n---\n${start}`, 'empty-document  7:4'],
  ['a doubled key', `${start}tenant: a\ntenant: a\n`, 'duplicate-key tenant 8:1'],
  ['a doubled key, quoted once', `${start}tenant: a\n"tenant": b\n`, 'duplicate-key tenant 8:1'],
  [
    'a doubled key deep inside',
    `${start}exports: {a: {from: deploy.a, from: deploy.b, pattern: a}}`,
    'duplicate-key exports.a.from 7:31',
  ],
  ['a merge key', `${start}imports:\n  <<: {}\n`, 'merge-key imports["<<"] 8:3'],
  ['a binary tag', `${start}tenant: !!binary aGk=\n`, 'yaml-tag tenant 7:18'],
  ['an own tag', `${start}tenant: !ref abc\n`, 'yaml-tag tenant 7:14'],
  ['a text tag', `${start}tenant: !!str 12\n`, 'yaml-tag tenant 7:15'],
  ['a tag on a mapping', `${start}imports: !x {}\n`, 'yaml-tag imports 7:13'],
  ['a number as key', `${start}imports: {1: {}}\n`, 'key-not-text imports 7:11'],
  ['nothing as key', `${start}imports: {~: {}}\n`, 'key-not-text imports 7:11'],
  ['true as key', `${start}imports: {true: {}}\n`, 'key-not-text imports 7:11'],
  ['a list as key', `${start}? [a]\n: b\n`, 'key-not-text  7:3'],
  ['__proto__ as key', `${start}imports: {__proto__: {deployment: a}}\n`, 'unknown-field imports.__proto__ 7:11'],
  ['an alias of nothing', `${start}tenant: *a\n`, 'unknown-alias tenant 7:9'],
  ['an alias inside itself', `${start}after: &a [*a]\n`, 'unknown-alias after[0] 7:12'],
  ['a tab as indentation', `${start}rollback:\n\tautomatic: true\n`, 'yaml-tab  8:1'],
  ['an open bracket', `${start}after: [a\n`, 'yaml-syntax  8:1'],
  ['a mapping in a line', 'a: b: c', 'yaml-syntax  1:4'],
  ['an old directive', `%YAML 1.1\n---\n${start}`, 'directive  1:1'],
  ['a tag directive', `%TAG ! tag:x,2026:\n---\n${start}`, 'directive  1:1'],
  ['a zero byte', `${start}tenant: a\0b\n`, 'not-text  7:10'],
  ['an escaped zero byte', `${start}tenant: "a\\0b"\n`, 'not-text tenant 7:9'],
  ['half a character', `${start}tenant: "\\ud800"\n`, 'not-text tenant 7:9'],
];

test.each(refused)('%s is refused', (_, text, problem) => {
  expect(told(problemsIn(text))).toContain(problem);
});

test('a tag or key that is refused is not reported again for its value', () => {
  expect(told(problemsIn(`${start}tenant: !!str abc\n`))).toEqual(['yaml-tag tenant 7:15']);
});

const nested: [what: string, text: string][] = [
  ['brackets', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ['open brackets', '['.repeat(5_000)],
  ['braces', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  ['dashes', `${'- '.repeat(5_000)}a`],
  ['question marks', `${'? '.repeat(5_000)}a`],
  ['indented fields', Array.from({ length: 700 }, (_, i) => `${' '.repeat(i)}a:\n`).join('')],
];

test.each(nested)('%s nested thousands deep are refused without being followed', (_, text) => {
  expect(problemsIn(text).map(({ code }) => code)).toEqual(['too-deep']);
});

test('JSON nested 5,000 deep is refused over the API', () => {
  expect(bodyProblems(`${'['.repeat(5_000)}${']'.repeat(5_000)}`).map(({ code }) => code)).toEqual(['too-deep']);
});

test('aliases that nest are counted with all they stand for', () => {
  const bomb = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`);
  expect(problemsIn(['a0: &a0 [x]', ...bomb].join('\n')).map(({ code }) => code)).toEqual(['too-large']);
  const tower = Array.from({ length: 70 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}]`);
  expect(problemsIn(['a0: &a0 [x]', ...tower].join('\n')).map(({ code }) => code)).toEqual(['too-deep']);
});

test('100 aliases are accepted and 101 are not', () => {
  const text = (count: number) =>
    `${start}tenant: &t a\nx: [${Array.from({ length: count }, () => '*t').join(', ')}]\n`;
  expect(told(problemsIn(text(100)))).toEqual(['unknown-field x 8:1']);
  expect(problemsIn(text(101)).map(({ code }) => code)).toEqual(['too-many-aliases']);
});

test('an alias stands for the same value in every place', () => {
  const { documents, problems } = parseDocuments(`${start}tenant: &t retail\nid: *t\n`, 'a.yml');
  expect(problems).toEqual([]);
  expect(documents[0]?.value).toMatchObject({ tenant: 'retail', id: 'retail' });
});

test('a byte order mark and Windows line ends change nothing', () => {
  const { documents, problems } = parseDocuments(`\uFEFF${start.replaceAll('\n', '\r\n')}`, 'a.yml');
  expect(problems).toEqual([]);
  expect(documents[0]?.value).toEqual(parseDocuments(start, 'a.yml').documents[0]?.value);
});

test('a line is shown without its line end, and columns count characters', () => {
  const [problem] = problemsIn(`${start}imports: {"😀": {deployment: a}, Bad: {}}\r\n`);
  expect(problem?.position).toMatchObject({ line: 7, source: 'imports: {"😀": {deployment: a}, Bad: {}}' });
  const columns = problemsIn(`${start}imports: {"😀": {deployment: a}, Bad: {}}\r\n`).map((p) => p.position?.column);
  expect(columns).toContain(33);
});

test('a very long line is shown as an excerpt', () => {
  const [problem] = problemsIn(`${start}after: [${'a,'.repeat(400)} "x y"]`).filter(
    ({ code }) => code === 'invalid-name',
  );
  expect(problem?.position?.source.length).toBeLessThan(210);
  expect(problem?.position?.source).toContain('x y');
});

test('several documents are all read, each with its own places', () => {
  const { documents, problems } = parseDocuments(`${start}---\n${releaseText()}`, 'a.yml');
  expect(problems).toEqual([]);
  expect(documents.map(({ kind, locate }) => [kind, locate('id').line])).toEqual([
    ['Deploy', 1],
    ['Release', 10],
  ]);
  expect(documents[1]?.locate('deploys[0].descriptor.artifact.version')).toMatchObject({ line: 18, column: 58 });
});

test('text over 1 MiB is refused with its size', () => {
  const [problem] = problemsIn(`# ${'語'.repeat(400_000)}\n${start}`);
  expect(problem).toMatchObject({ code: 'too-large' });
  expect(problem?.message).toMatch(/has 1200158 bytes; the limit is 1048576/);
});

test('hostile text of 1 MiB is given up after a bounded number of words', () => {
  expect(problemsIn(`[${','.repeat(1_000_000)}]`).map(({ code }) => code)).toEqual(['too-large']);
});

test('a file with very many problems tells the first 500 and that there are more', () => {
  const problems = problemsIn(`${start}${Array.from({ length: 20_000 }, (_, i) => `zz${i}: 1\n`).join('')}`);
  expect(problems).toHaveLength(501);
  expect(problems[0]).toMatchObject({ code: 'unknown-field', path: 'zz0' });
  expect(problems.at(-1)).toMatchObject({ code: 'more-problems' });
});

test.each([
  ['UTF-16', new Uint8Array([0xff, 0xfe, 0x61, 0x00])],
  ['Latin-1', new Uint8Array([0x63, 0x69, 0xf2])],
])('bytes in %s are no text', (_, bytes) => {
  expect(decode(bytes, 'a.yml')).toMatchObject({ problem: { code: 'not-text' } });
});

const badJson: [what: string, text: string, problem: string][] = [
  ['a doubled key', '{\n\t"apiVersion": "renga/v1",\n\t"apiVersion": "renga/v1"\n}', 'duplicate-key apiVersion 3:2'],
  ['a comment', '{} # no', 'not-json  1:4'],
  ['YAML', 'a: b', 'not-json  1:1'],
  ['nothing', '', 'no-document  1:1'],
  ['two values', '{}\n{}', 'not-json  2:1'],
  ['__proto__', '{"__proto__": {"id": "a"}}', 'unknown-field __proto__ 1:2'],
  ['a number that reads otherwise', '{"id": 1.10}', 'must-be-quoted id 1:8'],
  ['a number for a text', '{"id": 1}', 'must-be-quoted id 1:8'],
  ['null', 'null', 'no-document  1:1'],
  ['a list', '[]', 'wrong-type  1:1'],
];

test.each(badJson)('a body with %s is refused', (_, text, problem) => {
  expect(told(bodyProblems(text))).toContain(problem);
});

test('a JSON body indented by tabs, with every escape, is read as JSON reads it', () => {
  const body = {
    apiVersion: 'renga/v1',
    application: 'shop',
    environment: 'prod',
    artifact: { type: 'a', name: 'b', version: '1.10\t"\\/😀\u2028é' },
    deploy: { plugin: 'p', params: { A: ['<<', '!x', '*y', '&z', '# no'], B: 1.5, C: true, D: '' } },
  };
  for (const text of [JSON.stringify(body, null, '\t'), JSON.stringify(body).replace('😀', '\\ud83d\\ude00')]) {
    const read = parseJsonBody(text);
    expect(read.problems).toBeUndefined();
    expect('document' in read ? read.document?.value : undefined).toMatchObject(body);
  }
});
