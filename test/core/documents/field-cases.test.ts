import { expect, test } from 'vitest';
import { contentHash, differences } from '../../../core/documents/content.ts';
import { importProblems } from '../../../core/documents/imports.ts';
import { parseDocuments } from '../../../core/documents/parse.ts';
import { bodyProblems, deployText, problemsIn, releaseText, told } from './texts.ts';

function released(text: string) {
  const { documents, problems } = parseDocuments(text, 'release.yml');
  expect(problems).toEqual([]);
  return documents[0]?.value;
}

test('B10: constructor is a name like any other, and __proto__ is none', () => {
  const text = releaseText(['name: constructor', 'name: api\n    after: [constructor, tostring]']);
  expect(released(text)).toMatchObject({
    deploys: [{ name: 'constructor' }, { name: 'api', after: ['constructor', 'tostring'] }],
  });
  const imports = 'after: [a]\nimports: {constructor: {deployment: a}}\n';
  const used = 'deploy: {plugin: p, paramsFrom: {constructor: {import: constructor, export: constructor}}}';
  expect(problemsIn(deployText(imports, { deploy: used }))).toEqual([]);
  // Not declared, though every plain object has something of that name.
  expect(told(problemsIn(deployText('', { deploy: used })))).toEqual([
    'unknown-import deploy.paramsFrom.constructor.import 6:56',
  ]);
  expect(told(problemsIn(deployText('constructor: a\n')))).toEqual(['unknown-field constructor 7:1']);
  expect(told(problemsIn(releaseText(['name: __proto__'])))).toEqual(['invalid-name deploys[0].name 5:11']);
});

test.each(['a)|(?:b', '(', 'a{2,1}', '(?=a)', '\\1'])(
  'B52: the pattern %s, which does not compile alone, is refused with its place',
  (pattern) => {
    const text = deployText(`exports:\n  a: {from: deploy.a, pattern: '${pattern}'}\n`);
    expect(told(problemsIn(text))).toEqual(['invalid-pattern exports.a.pattern 8:32']);
  },
);

test("B57: an import from a deploy that is only in another one's after is refused", () => {
  const descriptor = {
    apiVersion: 'renga/v1',
    application: 'shop',
    environment: 'prod',
    artifact: { type: 'app', name: 'web', version: '1.2.0' },
    imports: { infra: { deployment: 'infra' } },
    deploy: { plugin: 'p', paramsFrom: { DB: { import: 'infra', export: 'db_host' } } },
  };
  const plain = { ...descriptor, imports: undefined, deploy: { plugin: 'p' } };
  const release = (after: string[]) => ({
    apiVersion: 'renga/v1',
    kind: 'Release',
    id: 'r',
    deploys: [
      { name: 'infra', descriptor: plain },
      { name: 'api', descriptor: plain, after: ['infra'] },
      { name: 'web', descriptor, after },
    ],
  });
  const [problem, ...others] = bodyProblems(release(['api']));
  expect(others).toEqual([]);
  expect(problem).toMatchObject({
    code: 'import-not-in-after',
    path: 'deploys[2].descriptor.imports.infra.deployment',
    hint: 'add it to the after of "web"',
  });
  expect(bodyProblems(release(['api', 'infra']))).toEqual([]);
  // Alone, the id must be in the deploy's own after; in a release that does as well, for a deploy outside of it.
  expect(bodyProblems(descriptor).map(({ code }) => code)).toEqual(['import-not-in-after']);
  expect(bodyProblems({ ...descriptor, after: ['infra'] })).toEqual([]);
  const outside = { name: 'web', after: [], descriptor: { imports: descriptor.imports, after: ['infra'] } };
  expect(importProblems(outside, 'deploys[0]')).toEqual([]);
});

test('B80: on, yes and no stay text', () => {
  const text = releaseText(['name: on', 'name: yes\n    after: [on]']).replace(
    'deploy: {plugin: command}',
    'deploy: {plugin: command, params: {country: no, NO: [off, y, n]}}',
  );
  expect(released(text)).toMatchObject({
    deploys: [
      { name: 'on', descriptor: { deploy: { params: { country: 'no', NO: ['off', 'y', 'n'] } } } },
      { name: 'yes', after: ['on'] },
    ],
  });
});

test.each([
  ['1.10', '1.1'],
  ['12e3', '12000'],
  ['0123', '123'],
])('B81: the version %s is refused and never becomes %s', (written, read) => {
  const [problem, ...others] = problemsIn(deployText().replace('"1.10"', written));
  expect(others).toEqual([]);
  expect(problem).toMatchObject({
    code: 'must-be-quoted',
    path: 'artifact.version',
    message: `${written} would be read as the number ${read}`,
    hint: `write "${written}" if it is text, ${read} if not`,
    position: { file: 'release.yml', line: 5, column: 52 },
  });
});

test('B84: a merge key is refused, and onFailure does not fall back to stop', () => {
  const text = `base: &b {onFailure: rollback}\n${releaseText(['name: api'], '<<: *b\n')}`;
  const { documents, problems } = parseDocuments(text, 'release.yml');
  expect(documents).toEqual([]);
  expect(told(problems)).toEqual(['unknown-field base 1:1', 'merge-key ["<<"] 5:1']);
});

test('B85: two releases in a file are both read, and a file of comments has none', () => {
  const two = `${releaseText()}---\n${releaseText().replace('id: r1', 'id: r2')}`;
  expect(
    parseDocuments(two, 'release.yml').documents.map(({ value }) => ('id' in value ? value.id : undefined)),
  ).toEqual(['r1', 'r2']);
  const [problem] = problemsIn('# nothing yet\n');
  expect(problem).toMatchObject({ code: 'no-document' });
  expect(problem?.message).toMatch(/^no release found in release.yml/);
});

test('B89: order of fields, comments and spaces do not count, one version does', () => {
  const text = releaseText(['name: api', 'name: web\n    after: [api]']);
  const other = `# the same\nonFailure: stop\n${text.replace('kind: Release\n', '').replace('id: r1', 'id:   r1 # id')}kind: Release\n`;
  const [first, same] = [released(text), released(other)];
  expect(contentHash(same)).toBe(contentHash(first));
  expect(differences(first, same)).toEqual([]);

  const changed = released(text.replace('"1.10"', '"1.11"'));
  expect(contentHash(changed)).not.toBe(contentHash(first));
  expect(differences(first, changed)).toEqual(['deploys[api].descriptor.artifact.version: "1.10" → "1.11"']);
});
