import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { composeReferences } from '../../core/convert/compose.ts';
import { helmfileReferences } from '../../core/convert/helmfile.ts';
import { Place } from '../../core/convert/place.ts';
import { TAZUNA, tazunaReferences } from '../../core/convert/tazuna.ts';
import type { Problem } from '../../core/errors.ts';
import { readSources, type SourceKind } from '../../files/read-sources.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'renga-sources-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const KINDS = {
  tazuna: { ...TAZUNA, references: tazunaReferences },
  helmfile: { references: helmfileReferences },
  compose: { references: composeReferences, whole: 'docker compose config' },
} satisfies Record<string, SourceKind>;

async function write(files: Record<string, string>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  return path.join(root, 'project/top.yaml');
}

/** `code path file:line`, with files as they are named from the project's directory. */
function told(problems: readonly Problem[] | undefined): string[] | undefined {
  return problems?.map(({ code, path: place, position }) => {
    const file = position === undefined ? '-' : path.relative(path.join(root, 'project'), position.file);
    return `${code} ${place} ${file}:${position?.line ?? '-'}`;
  });
}

test('files are found relative to the one that names them, also when two name different ones alike', async () => {
  const file = await write({
    'project/top.yaml': 'include: [a/x.yaml, b/x.yaml]\n',
    'project/a/x.yaml': 'include: [more.yaml]\n',
    'project/b/x.yaml': 'include: [more.yaml]\n',
    'project/a/more.yaml': 'name: a\n',
    'project/b/more.yaml': 'name: b\n',
  });
  const { sources } = await readSources(file, KINDS.compose);
  const includes = (place: Place) => place.field('include')?.items() ?? [];
  const named = includes(Place.root(sources?.top[0] ?? expect.fail())).map((place) => {
    const [inner] = sources?.named(place) ?? [];
    const [more] = includes(Place.root(inner ?? expect.fail()));
    return sources?.named(more ?? expect.fail())?.[0]?.value;
  });
  expect(named).toEqual([{ name: 'a' }, { name: 'b' }]);
});

test('every problem of every file is told at once, each where its file is named', async () => {
  const file = await write({
    'outside.yaml': 'spec: {manifests: []}\n',
    'project/top.yaml':
      'spec:\n  manifests:\n    - includes:\n        - path: nothing.yaml\n        - path: ../outside.yaml\n        - path: twice.yaml\n        - path: folder\n',
    'project/twice.yaml': 'spec: {}\nspec: {}\n',
    'project/folder/x': '',
  });
  expect(told((await readSources(file, KINDS.tazuna)).problems)).toEqual([
    'file-missing spec.manifests[0].includes[0].path top.yaml:4',
    'file-outside spec.manifests[0].includes[1].path top.yaml:5',
    'duplicate-key spec twice.yaml:2',
    'file-is-directory spec.manifests[0].includes[3].path top.yaml:7',
  ]);
});

test.each([
  ['by its path', '/etc/hostname'],
  ['through a link', 'link.yaml'],
])('nothing outside of the directory is read: %s', async (_name, name) => {
  const file = await write({ 'outside.yaml': 'name: secret\n', 'project/top.yaml': `include: [${name}]\n` });
  await symlink(path.join(root, 'outside.yaml'), path.join(root, 'project/link.yaml'));
  const { problems } = await readSources(file, KINDS.compose);
  expect(problems).toMatchObject([{ code: 'file-outside', hint: 'docker compose config' }]);
});

test.each([
  ['itself', { 'project/top.yaml': 'bases: [top.yaml]\n' }, 'top.yaml:1'],
  [
    'each other, over two kinds of including',
    { 'project/top.yaml': 'helmfiles: [{path: a.yaml}]\n', 'project/a.yaml': 'releases: []\nbases: [./top.yaml]\n' },
    'a.yaml:2',
  ],
])('files that include %s are refused', async (_name, files, place) => {
  const { problems } = await readSources(await write(files), KINDS.helmfile);
  expect(problems?.map(({ code }) => code)).toEqual(['include-cycle']);
  expect(told(problems)?.[0]).toContain(place);
});

test('a file that is only looked into may look back', async () => {
  const file = await write({
    'project/top.yaml': 'services: {a: {extends: {file: b.yaml, service: b}}, c: {image: x}}\n',
    'project/b.yaml': 'services: {b: {extends: {file: top.yaml, service: c}}}\n',
  });
  expect((await readSources(file, KINDS.compose)).problems).toBeUndefined();
});

test.each([
  ['a control character', 'services: {a: {image: "\u0001"}}\n', 'not-text'],
  ['brackets without end', '['.repeat(100), 'too-deep'],
  ['no YAML', 'services: {a\n', 'yaml-syntax'],
  ['a directive', '%YAML 1.1\n---\nservices: {}\n', 'directive'],
  [
    'an alias bomb',
    `x-0: &a0 [1, 1, 1, 1]\n${Array.from({ length: 30 }, (_, at) => `x-${at + 1}: &a${at + 1} [*a${at}, *a${at}, *a${at}, *a${at}]`).join('\n')}\n`,
    'too-large',
  ],
])('%s is refused as in our own files', async (_name, text, code) => {
  const { problems } = await readSources(await write({ 'project/top.yaml': text }), KINDS.compose);
  expect(problems?.map((problem) => problem.code)).toEqual([code]);
  expect(problems?.[0]?.position?.line).toBeGreaterThan(0);
});

test('JSON with tabs, as tools print it, is read', async () => {
  await write({ 'project/top.json': '{\n\t"services": {\n\t\t"a": {"image": "a:1"}\n\t}\n}\n' });
  const { sources } = await readSources(path.join(root, 'project/top.json'), KINDS.compose);
  expect(sources?.top[0].value).toEqual({ services: { a: { image: 'a:1' } } });
});
