import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseJsonBody } from '../../core/documents/parse.ts';
import type { Problem } from '../../core/errors.ts';
import { readDeploy } from '../../files/read-deploy.ts';
import { readRelease } from '../../files/read-release.ts';
import { deployText } from '../core/documents/texts.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'renga-files-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(files: Record<string, string | Uint8Array>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  return path.join(root, 'project/release.yml');
}

/** A release's text, whose first line after the head is line 4. */
const release = (body: string, id = 'id: r1') => `apiVersion: renga/v1\nkind: Release\n${id}\n${body}`;
const db = { 'project/release/db.yml': deployText() };

/** `code path file:line`, with files as they are named from the project's directory. */
function told(problems: readonly Problem[] | undefined): string[] | undefined {
  return problems?.map(({ code, path: place, position }) => {
    const file = position === undefined ? '-' : path.relative(path.join(root, 'project'), position.file);
    return `${code} ${place} ${file}:${position?.line ?? '-'}`;
  });
}

test('deploys in files and in place become one release, which the API takes as it is', async () => {
  const inline = deployText().trimEnd().split('\n').join('\n      ');
  const file = await write({
    ...db,
    'project/release.yml': release(
      `deploys:\n  - {name: db, file: release/db.yml, tags: [data]}\n  - name: api\n    after: [db]\n    descriptor:\n      ${inline}\n`,
    ),
  });
  const read = await readRelease(file);
  expect(read.problems).toBeUndefined();
  expect(read.release?.deploys.map(({ name, after, tags }) => [name, after, tags])).toEqual([
    ['db', [], ['data']],
    ['api', ['db'], []],
  ]);
  const body = parseJsonBody(JSON.stringify(read.release));
  expect('document' in body ? body.document?.value : body.problems).toEqual(read.release);
});

test("includes come before the file's own deploys, in order, each relative to its own file", async () => {
  const file = await write({
    ...db,
    'project/release.yml': release(
      'includes: [base/a.yml, base/b.yml]\ndeploys: [{name: web, file: release/db.yml}]\n',
    ),
    'project/base/a.yml': release('includes: [deep/c.yml]\ndeploys: [{name: a, file: a-deploy.yml}]\n', ''),
    'project/base/a-deploy.yml': deployText(),
    'project/base/b.yml': release('mode: auto\ndeploys: [{name: b, file: ../release/db.yml}]\n'),
    'project/base/deep/c.yml': release('deploys: [{name: c, file: ../a-deploy.yml}]\n', ''),
  });
  const read = await readRelease(file);
  expect(told(read.problems)).toBeUndefined();
  expect(read.release?.deploys.map(({ name }) => name)).toEqual(['c', 'a', 'b', 'web']);
});

test('a path of the whole release is found in the file where it stands', async () => {
  const file = await write({
    ...db,
    'project/release.yml': release(
      'includes: [base.yml]\ndeploys:\n  - {name: web, file: release/db.yml, after: [a]}\n',
    ),
    'project/base.yml': release('deploys:\n  - {name: a, file: release/db.yml}\n', ''),
  });
  const { origin } = await readRelease(file).then((read) => ('origin' in read ? read : { origin: undefined }));
  const at = (place: string) => {
    const position = origin?.locate(place);
    return position && `${path.relative(root, position.file)}:${position.line}:${position.column}`;
  };
  expect(at('deploys[0].name')).toBe('project/base.yml:5:12');
  expect(at('deploys[1].after[0]')).toBe('project/release.yml:6:47');
  expect(at('deploys[1].descriptor.artifact.version')).toBe('project/release/db.yml:5:52');
  expect(at('deploys[1].descriptor')).toBe('project/release.yml:6:5');
  expect(at('mode')).toBe('project/release.yml:1:1');
  expect(origin?.files.map((name) => path.relative(root, name))).toEqual([
    'project/release.yml',
    'project/base.yml',
    'project/release/db.yml',
  ]);
});

const broken: [what: string, files: Record<string, string | Uint8Array>, problem: string][] = [
  ['is missing', {}, 'file-missing deploys[0].file release.yml:5'],
  ['is a directory', { 'project/x.yml/a': '' }, 'file-is-directory deploys[0].file release.yml:5'],
  ['is empty', { 'project/x.yml': '' }, 'no-document  x.yml:1'],
  ['has only comments', { 'project/x.yml': '# later\n' }, 'no-document  x.yml:1'],
  ['is binary', { 'project/x.yml': new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0]) }, 'not-text  x.yml:1'],
  ['is not UTF-8', { 'project/x.yml': new Uint8Array([0x61, 0xe9]) }, 'not-text deploys[0].file release.yml:5'],
  ['is over 1 MiB', { 'project/x.yml': '#'.repeat(1_048_577) }, 'too-large deploys[0].file release.yml:5'],
  ['is no YAML', { 'project/x.yml': 'a: [' }, 'yaml-syntax  x.yml:1'],
  ['has a wrong field', { 'project/x.yml': deployText('nope: 1\n') }, 'unknown-field nope x.yml:7'],
  [
    'has a schedule',
    { 'project/x.yml': deployText('schedule: {cron: "0 3 * * 1"}\n') },
    'not-in-release schedule x.yml:7',
  ],
  ['has two deploys', { 'project/x.yml': `${deployText()}---\n${deployText()}` }, 'several-documents  x.yml:8'],
  ['has a release', { 'project/x.yml': release('deploys: []\n') }, 'wrong-kind kind x.yml:2'],
];

test.each(broken)(
  "a deploy's file that %s is refused, and the place that names it is told",
  async (_, files, problem) => {
    const file = await write({ ...files, 'project/release.yml': release('deploys:\n  - {name: a, file: x.yml}\n') });
    const { problems } = await readRelease(file);
    expect(told(problems)).toEqual([problem]);
    expect(`${problems?.[0]?.message} ${problems?.[0]?.position?.file}`).toContain('x.yml');
  },
);

test('a file that may not be read is refused', async () => {
  const file = await write({ ...db, 'project/release.yml': release('deploys: [{name: a, file: release/db.yml}]\n') });
  await chmod(path.join(root, 'project/release/db.yml'), 0o000);
  const read = await readRelease(file);
  // The superuser reads everything.
  if (process.getuid?.() === 0) expect(read.release?.id).toBe('r1');
  else expect(told(read.problems)).toEqual(['file-unreadable deploys[0].file release.yml:4']);
});

const outside: [what: string, name: string][] = [
  ['up', '../secret.yml'],
  ['up and around', 'release/../../secret.yml'],
  ['from the root', '/etc/hostname'],
  ['through a link to a file', 'link.yml'],
  ['through a link to a directory', 'linked/secret.yml'],
  ['to nothing that exists', '../no-such-file.yml'],
];

test.each(outside)('a file that leads outside, %s, is refused', async (_, name) => {
  const file = await write({
    'secret.yml': deployText(),
    'project/release.yml': release(`deploys: [{name: a, file: ${name}}]\n`),
  });
  await mkdir(path.join(root, 'project/release'));
  await symlink('../secret.yml', path.join(root, 'project/link.yml'));
  await symlink('..', path.join(root, 'project/linked'));
  expect(told((await readRelease(file)).problems)).toEqual(['file-outside deploys[0].file release.yml:4']);
  await write({ 'project/release.yml': release(`includes: [${name}]\n`) });
  expect(told((await readRelease(file)).problems)).toEqual(['file-outside includes[0] release.yml:4']);
});

test('a link that stays inside is followed, and so is one that the whole directory lies behind', async () => {
  await write({ ...db, 'project/release.yml': release('deploys: [{name: a, file: link.yml}]\n') });
  await symlink('release/db.yml', path.join(root, 'project/link.yml'));
  await symlink('project', path.join(root, 'alias'));
  const read = await readRelease(path.join(root, 'alias/release.yml'));
  expect(read.release?.deploys.map(({ name }) => name)).toEqual(['a']);
});

test('links that go round are refused', async () => {
  const file = await write({ 'project/release.yml': release('deploys: [{name: a, file: link.yml}]\n') });
  await symlink('link.yml', path.join(root, 'project/link.yml'));
  expect(told((await readRelease(file)).problems)).toEqual(['file-unreadable deploys[0].file release.yml:4']);
});

test.each([
  [
    'itself',
    { 'project/release.yml': release('includes: [release.yml]\n') },
    'include-cycle includes[0] release.yml:4',
    'release.yml → .*release.yml$',
  ],
  [
    'one another',
    {
      'project/release.yml': release('includes: [a.yml]\n'),
      'project/a.yml': release('includes: [b.yml]\n', ''),
      'project/b.yml': release('includes: [a.yml]\n', ''),
    },
    'include-cycle includes[0] b.yml:4',
    'a.yml → .*b.yml → .*a.yml$',
  ],
  [
    'a file twice',
    {
      ...db,
      'project/release.yml': release('includes: [a.yml, b.yml]\n'),
      'project/a.yml': release('includes: [b.yml]\n', ''),
      'project/b.yml': release('deploys: [{name: b, file: release/db.yml}]\n', ''),
    },
    'included-twice includes[1] release.yml:4',
    'b.yml" is included already',
  ],
])('files that include %s are refused', async (_, files, problem, message) => {
  const file = await write(files);
  const { problems } = await readRelease(file);
  expect(told(problems)).toContain(problem);
  expect(problems?.[0]?.message).toMatch(new RegExp(message));
});

test('a name in two files is refused, with both places', async () => {
  const file = await write({
    ...db,
    'project/release.yml': release('includes: [a.yml]\ndeploys:\n  - {name: db, file: release/db.yml}\n'),
    'project/a.yml': release('deploys: [{name: db, file: release/db.yml}]\n', ''),
  });
  const { problems } = await readRelease(file);
  expect(told(problems)).toEqual(['duplicate-name deploys[0].name release.yml:6']);
  expect(problems?.[0]?.message).toMatch(/the name "db" is taken by .*a.yml, line 4/);
});

test('an included file may repeat what the release says, and not say something else', async () => {
  const file = await write({
    ...db,
    'project/release.yml': release('onFailure: rollback\nincludes: [a.yml]\n'),
    'project/a.yml': release('onFailure: stop\nmode: auto\ndeploys: [{name: db, file: release/db.yml}]\n', 'id: other'),
  });
  expect(told((await readRelease(file)).problems)).toEqual([
    'include-differs id a.yml:3',
    'include-differs onFailure a.yml:4',
  ]);
});

test('problems of all files are reported at once', async () => {
  const file = await write({
    'project/release.yml': release(
      'includes: [a.yml, gone.yml]\ndeploys:\n  - {name: x, file: x.yml}\n  - {name: y, file: y.yml}\n',
    ),
    'project/a.yml': release('modus: dag\n', ''),
    'project/x.yml': deployText('tenant: Big\n'),
    'project/y.yml': deployText('').replace('"1.10"', '1.10'),
  });
  expect(told((await readRelease(file)).problems)).toEqual([
    'unknown-field modus a.yml:4',
    'file-missing includes[1] release.yml:4',
    'invalid-name tenant x.yml:7',
    'must-be-quoted artifact.version y.yml:5',
  ]);
});

test('a release that is wrong itself still has the problems of its files told', async () => {
  const file = await write({
    'project/release.yml': release('modus: dag\nincludes: [a.yml]\ndeploys:\n  - {name: X, file: x.yml}\n'),
    'project/a.yml': release('modus: dag\nincludes: [release.yml]\ndeploys: [{name: a, file: gone.yml}]\n', ''),
    'project/x.yml': deployText('tenant: Big\n'),
  });
  expect(told((await readRelease(file)).problems)).toEqual([
    'unknown-field modus release.yml:4',
    'invalid-name deploys[0].name release.yml:7',
    'unknown-field modus a.yml:4',
    'include-cycle includes[0] a.yml:5',
    'file-missing deploys[0].file a.yml:6',
    'invalid-name tenant x.yml:7',
  ]);
});

test("B57: an import that the entry doesn't wait for is shown in the deploy's own file", async () => {
  const imports = 'imports: {infra: {deployment: infra}}\n';
  const used = { deploy: 'deploy: {plugin: p, paramsFrom: {DB: {import: infra, export: db}}}' };
  const deploys = (after: string) =>
    release(`deploys:\n  - {name: infra, file: release/db.yml}\n  - {name: api, file: api.yml${after}}\n`);
  const file = await write({ ...db, 'project/api.yml': deployText(imports, used), 'project/release.yml': deploys('') });
  expect(told((await readRelease(file)).problems)).toEqual([
    'import-not-in-after deploys[1].descriptor.imports.infra.deployment api.yml:7',
  ]);
  await write({ 'project/release.yml': deploys(', after: [infra]') });
  expect((await readRelease(file)).problems).toBeUndefined();
});

test('B85: a file with two releases is refused, and so is one without any', async () => {
  const one = release('deploys: [{name: a, file: release/db.yml}]\n');
  const file = await write({ ...db, 'project/release.yml': `${one}---\n${one}` });
  expect(told((await readRelease(file)).problems)).toEqual(['several-documents  release.yml:6']);
  await write({ 'project/release.yml': '# none\n' });
  const none = await readRelease(file);
  expect(none.problems?.[0]?.message).toMatch(/^no release found in .*release.yml/);
  await write({ 'project/release.yml': deployText() });
  expect((await readRelease(file)).problems?.[0]?.message).toMatch(/^no release found in .*: it has a Deploy$/);
});

test('a release that has no deploys, its includes counted, is refused', async () => {
  const file = await write({ 'project/release.yml': release('deploys: []\n') });
  expect(told((await readRelease(file)).problems)).toEqual(['too-few deploys release.yml:4']);
});

test('a release that is not there is refused without a place', async () => {
  expect(told((await readRelease(path.join(root, 'none.yml'))).problems)).toEqual(['file-missing  -:-']);
});

test('a release may be written as JSON', async () => {
  await write({ ...db });
  const file = path.join(root, 'project/release.json');
  const deploys = [{ name: 'db', file: 'release/db.yml' }];
  await writeFile(file, JSON.stringify({ apiVersion: 'renga/v1', kind: 'Release', id: 'r', deploys }));
  expect((await readRelease(file)).release?.deploys).toHaveLength(1);
});

test('a deploy that stands alone is read, and its imports must be in its own after', async () => {
  const file = path.join(root, 'deploy.yml');
  await writeFile(file, deployText());
  expect((await readDeploy(file)).deploy).toMatchObject({ application: 'shop', artifact: { version: '1.10' } });
  const used = { deploy: 'deploy: {plugin: p, paramsFrom: {DB: {import: infra, export: db}}}' };
  await writeFile(file, deployText('imports: {infra: {deployment: infra-42}}\n', used));
  expect((await readDeploy(file)).problems).toMatchObject([
    { code: 'import-not-in-after', path: 'imports.infra.deployment', position: { line: 7, column: 31 } },
  ]);
});
