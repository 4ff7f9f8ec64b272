import { describe, expect, it } from 'vitest';
import { converted, layersOf, noted, releaseOf, told } from './texts.ts';

const manifests = (...lines: string[]) => `spec:\n  manifests:\n${lines.map((line) => `    - {${line}}\n`).join('')}`;
const M = 'type: kustomize, path: .';

describe('order', () => {
  it('without any dependsOn stays one by one, as declared', () => {
    const result = converted('tazuna', manifests(`name: cni, ${M}`, `name: ingress, ${M}`, `name: app, ${M}`));
    expect(releaseOf(result).mode).toBe('sequential');
    expect(layersOf(result)).toEqual([['cni'], ['ingress'], ['app']]);
  });

  it('with one dependsOn becomes a graph in layers', () => {
    const result = converted(
      'tazuna',
      manifests(
        `name: cni, ${M}`,
        `name: cert-manager, ${M}, dependsOn: [cni]`,
        `name: ingress, ${M}, dependsOn: [cni]`,
        `name: app, ${M}, dependsOn: [cert-manager, ingress]`,
      ),
    );
    expect(layersOf(result)).toEqual([['cni'], ['cert-manager', 'ingress'], ['app']]);
    expect(releaseOf(result)).toMatchObject({ mode: 'dag', start: 'layers' });
  });

  it('includes stand where they are named, and may be named by dependsOn', () => {
    const text = manifests(`name: a, ${M}, dependsOn: [c]`, 'name: more, includes: [{path: x.yaml}]', `name: z, ${M}`);
    const result = converted('tazuna', text, {
      files: { 'x.yaml': manifests(`name: b, ${M}`, `name: c, ${M}, dependsOn: [z]`) },
    });
    expect(releaseOf(result).deploys.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'z']);
    expect(layersOf(result)).toEqual([['b', 'z'], ['c'], ['a']]);
  });
});

describe('refused, with its place', () => {
  it.each([
    [
      'an unknown dependency',
      [`name: api, ${M}, dependsOn: [bd]`, `name: db, ${M}`],
      ['unknown-dependency 3:57 "api" waits for "bd", which is no manifest here'],
    ],
    ['itself', [`name: api, ${M}, dependsOn: [api]`], ['self-dependency 3:57 "api" waits for itself']],
    [
      'a circle',
      [`name: a, ${M}, dependsOn: [b]`, `name: b, ${M}, dependsOn: [a]`],
      ['cycle 3:55 they wait for each other in a circle: a -> b -> a'],
    ],
    [
      'a name twice',
      [`name: a, ${M}`, `name: a, ${M}`],
      ['duplicate-name 4:14 the name "a" is taken by tazuna.yaml, line 3'],
    ],
    ['no name', [M], ['missing-field 3:7 the manifest has no name']],
    [
      'a dependsOn that is no list',
      [`name: a, ${M}, dependsOn: b`, `name: b, ${M}`],
      ['wrong-type 3:54 this must be a list, not "b"'],
    ],
    [
      'type: parallel',
      ['name: a, type: parallel, path: .'],
      ['not-convertible 3:7 "a" has type: parallel, which Tazuna has given up'],
    ],
    [
      'a template in a name',
      [`name: "a-{{ .Environment }}", ${M}`],
      ['template 3:14 "a-{{ .Environment }}" is a template, and the order depends on it'],
    ],
  ])('%s', (_name, lines, wanted) => {
    expect(told(converted('tazuna', manifests(...lines)))).toEqual(wanted);
  });

  it.each([
    ['nothing in it', 'spec: {manifests: []}', ['too-few 1:1 no manifest found in tazuna.yaml that would be deployed']],
    ['something else', 'services: {}', ['missing-field 1:1 this is no tazuna.yaml: the field "spec" is missing']],
    [
      'a doubled key',
      'spec: {}\nspec: {}',
      ['duplicate-key 2:1 the field "spec" stands here twice; the first is on line 1'],
    ],
    [
      'an action',
      'spec:\n{{ if eq .Environment "prod" }}\n  manifests: []\n{{ end }}',
      ['template 2:1 the file is a template here, and what it says is only known once it is rendered'],
    ],
  ])('%s', (_name, text, wanted) => {
    expect(told(converted('tazuna', text))).toEqual(wanted);
  });

  it('includes in an included file, as Tazuna refuses them', () => {
    const files = { 'x.yaml': manifests('includes: [{path: y.yaml}]') };
    const result = converted('tazuna', manifests('includes: [{path: x.yaml}]', `name: a, ${M}`), { files });
    expect(result.problems[0]).toMatchObject({ code: 'nested-include', position: { file: 'x.yaml', line: 3 } });
  });
});

describe('noted', () => {
  it('what has no counterpart, and what is called otherwise', () => {
    const text = `spec:
  context_matches: [^prod-]
  manifests:
    - name: Web
      type: helmfile
      path: "./{{ .Environment }}"
      tags: [Edge, data]
      dependsOn: [db, db]
      helmfile: {wait: true}
      tests: [{type: waitUntil}]
      colour: red
    - {name: db, ${M}}
  tests: [{type: waitUntil}]
`;
    const result = converted('tazuna', text);
    expect(noted(result).map((note) => note.split(':')[0])).toEqual([
      'not-copied - 1',
      'context_matches - 2',
      'tests - 13',
      'renamed web 4',
      'renamed web 4',
      'template web 6',
      'duplicate-dependency web 8',
      'tests web 10',
      'unknown-field web 11',
    ]);
    expect(releaseOf(result).deploys[0]).toMatchObject({
      name: 'web',
      after: ['db'],
      tags: ['edge', 'data'],
      descriptor: { artifact: { type: 'helmfile', version: 'unknown' }, deploy: { params: { MANIFEST: 'Web' } } },
    });
    expect(releaseOf(result).deploys[0]?.descriptor.artifact.source).toBeUndefined();
  });

  it('--artifact-version fills in what the source does not say', () => {
    const result = converted('tazuna', manifests(`name: a, ${M}`), { options: { version: '1.10' } });
    expect(releaseOf(result).deploys[0]?.descriptor.artifact.version).toBe('1.10');
    expect(result.notes.map(({ code }) => code)).toEqual(['no-command']);
  });
});
