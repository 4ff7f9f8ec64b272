import { describe, expect, it } from 'vitest';
import { converted, layersOf, noted, releaseOf, told } from './texts.ts';

const releases = (...lines: string[]) => `releases:\n${lines.map((line) => `  - {${line}}\n`).join('')}`;
const after = (result: Parameters<typeof releaseOf>[0]) =>
  Object.fromEntries(releaseOf(result).deploys.map(({ name, after: names }) => [name, names]));

describe('needs', () => {
  it('name, namespace/name and context/namespace/name; what is left out is that of the release that needs', () => {
    const result = converted(
      'helmfile',
      releases(
        'name: db, namespace: data, chart: c',
        'name: db, namespace: shop, chart: c',
        'name: seal, namespace: data, kubeContext: far, chart: c',
        'name: eks, namespace: data, kubeContext: "arn:aws:eks:x:cluster/one", chart: c',
        'name: api, namespace: shop, chart: c, needs: [db, data/db, far/data/seal, "arn:aws:eks:x:cluster/one/data/eks"]',
        'name: near, namespace: data, kubeContext: far, chart: c, needs: [seal]',
      ),
    );
    expect(after(result)).toEqual({
      'data-db': [],
      'shop-db': [],
      seal: [],
      eks: [],
      api: ['shop-db', 'data-db', 'seal', 'eks'],
      near: ['seal'],
    });
  });

  it('another namespace is not meant when none is said', () => {
    const text = releases('name: db, namespace: data, chart: c', 'name: api, namespace: shop, chart: c, needs: [db]');
    expect(told(converted('helmfile', text))).toEqual([
      'unknown-dependency 3:52 "shop/api" waits for "shop/db", which is no release here',
    ]);
  });

  it('without any, everything is one layer: helmfile runs them together', () => {
    const result = converted('helmfile', releases('name: a, chart: c', 'name: b, chart: c'));
    expect(layersOf(result)).toEqual([['a', 'b']]);
  });

  it('what is not installed is left out with a note, and hands on what it needs itself', () => {
    const result = converted(
      'helmfile',
      releases('name: c, chart: x', 'name: b, chart: x, installed: no, needs: [c]', 'name: a, chart: x, needs: [b]'),
    );
    expect(after(result)).toEqual({ c: [], a: ['c'] });
    expect(noted(result)).toEqual([
      'not-installed - 3: release b, installed: false: helmfile uninstalls it, and renga has no deploy that removes something; it is left out; uninstall it with helm',
      'dependency-left-out a 4: waits for b: b is not installed (installed: false); it waits for what b waits for',
    ]);
  });

  it('does not reach into another helmfile', () => {
    const files = { 'sub.yaml': releases('name: sub, chart: c') };
    const text = `helmfiles: [sub.yaml]\n${releases('name: a, chart: c, needs: [sub]')}`;
    expect(told(converted('helmfile', text, { files }))[0]).toMatch(/^unknown-dependency 3:/);
  });
});

describe('environments and conditions', () => {
  const text = `environments:
  default: {values: [{vault: {enabled: true}}]}
  prod: {values: [{vault: {enabled: false}}]}
  staging: {values: [{vault: {enabled: true}}, more.yaml]}
releases:
  - {name: vault, chart: c, condition: vault.enabled}
  - {name: api, chart: c, needs: [vault]}
`;
  const names = (environment?: string) =>
    releaseOf(converted('helmfile', text, { options: { environment } })).deploys.map(({ name }) => name);

  it('a condition is looked up in the environment that was asked for', () => {
    expect(names('prod')).toEqual(['api']);
    expect(names('default')).toEqual(['vault', 'api']);
  });

  it('what may be in a file is not known, so the deploy stays, with a note', () => {
    expect(names('staging')).toEqual(['vault', 'api']);
    expect(noted(converted('helmfile', text, { options: { environment: 'staging' } })).join('\n')).toContain(
      'condition vault 6: condition: vault.enabled: what it looks up is in a file of values',
    );
  });

  it('what helmfile build prints has the values that decide', () => {
    const built = `filepath: h.yaml\nreleases:\n  - {name: a, chart: c, condition: a.enabled}\n  - {name: b, chart: c}\nrenderedvalues: {a: {enabled: false}}\n`;
    expect(releaseOf(converted('helmfile', built)).deploys.map(({ name }) => name)).toEqual(['b']);
  });

  it('a condition that nothing answers is false, as for helmfile', () => {
    expect(told(converted('helmfile', releases('name: a, chart: c, condition: a.enabled')))).toEqual([
      'too-few 1:1 no release found in helmfile.yaml that would be deployed',
    ]);
  });

  it('an environment must be one of its own, and is asked for when there are several', () => {
    expect(told(converted('helmfile', text, { options: { environment: 'dev' } }))).toEqual([
      'unknown-environment 2:3 the helmfile has no environment "dev"',
    ]);
    expect(told(converted('helmfile', text, { options: { environment: undefined } }))).toEqual([
      'missing-environment 2:3 the helmfile has the environments prod, staging',
    ]);
  });

  it('the only environment need not be named', () => {
    const one = `environments: {prod: {}}\n${releases('name: a, chart: c')}`;
    const result = converted('helmfile', one, { options: { environment: undefined } });
    expect(releaseOf(result).deploys[0]?.descriptor.environment).toBe('prod');
  });
});

describe('bases, templates and labels', () => {
  it('releases of bases come first, labels of all become tags', () => {
    const files = { 'base.yaml': `commonLabels: {team: shop}\n${releases('name: base, chart: c')}` };
    const text = `bases: [base.yaml]\n${releases('name: own, chart: c, labels: {tier: front, team: web}')}`;
    const result = releaseOf(converted('helmfile', text, { files }));
    expect(result.deploys.map(({ name, tags }) => [name, tags])).toEqual([
      ['base', ['team-shop']],
      ['own', ['team-web', 'tier-front']],
    ]);
  });

  it('merge keys and inherit give what the release does not say itself', () => {
    const text = `templates:
  back: {namespace: data, version: 1.2.3, labels: {tier: back}, needs: [data/db]}
x-base: &base
  namespace: data
  chart: c
releases:
  - {<<: *base, name: db, namespace: data, version: 1.0.0}
  - {name: api, chart: c, inherit: [{template: back, except: [labels]}]}
`;
    const { deploys } = releaseOf(converted('helmfile', text));
    expect(deploys[0]).toMatchObject({ descriptor: { artifact: { version: '1.0.0', source: 'c' } } });
    expect(deploys[1]).toMatchObject({ after: ['db'], tags: [], descriptor: { artifact: { version: '1.2.3' } } });
  });
});

describe('never kept as a wrong value', () => {
  it.each([
    ['version: 1.10.0', '1.10.0', undefined],
    ['version: v1.2.3-rc.1+5', 'v1.2.3-rc.1+5', undefined],
    ['version: ~1.2', 'unknown', 'version-range'],
    ['version: 1.10', 'unknown', 'version-range'],
    ['version: ">= 1.0.0"', 'unknown', 'version-range'],
    ['version: "{{ .Values.v }}"', 'unknown', 'template'],
  ])('%s', (field, version, note) => {
    const result = converted('helmfile', releases(`name: a, chart: c, ${field}`));
    expect(releaseOf(result).deploys[0]?.descriptor.artifact.version).toBe(version);
    expect(result.notes.map(({ code }) => code).filter((code) => !code.startsWith('no-'))).toEqual(note ? [note] : []);
  });

  it.each([
    ['a name', 'name: "{{ .x }}", chart: c', 'template 2:12 "{{ .x }}" is a template, and the order depends on it'],
    [
      'a namespace',
      'name: a, namespace: "{{ .x }}", chart: c',
      'template 2:26 "{{ .x }}" is a template, and the order depends on it',
    ],
    [
      'a need',
      'name: a, chart: c, needs: ["{{ .x }}"]',
      'template 2:33 "{{ .x }}" is a template, and the order depends on it',
    ],
    [
      'an unquoted action',
      'name: a, chart: {{ .x }}',
      'template 2:22 the file is a template here, and what it says is only known once it is rendered',
    ],
  ])('a template in %s', (_name, line, wanted) => {
    expect(told(converted('helmfile', releases(line)))).toEqual([wanted]);
  });

  it.each([
    ['a remote helmfile', 'helmfiles: ["git::https://example.org/x.git@h.yaml"]'],
    ['a pattern', 'helmfiles: [apps/*.yaml]'],
  ])('%s is refused: its releases would be missing', (_name, line) => {
    const result = converted('helmfile', `${line}\n${releases('name: a, chart: c')}`);
    expect(result.problems.map(({ code }) => code)).toEqual(['not-convertible']);
  });

  it('selectors of a nested helmfile are refused', () => {
    const text = `helmfiles: [{path: s.yaml, selectors: [name=a]}]\n${releases('name: a, chart: c')}`;
    const result = converted('helmfile', text, { files: { 's.yaml': releases('name: s, chart: c') } });
    expect(result.problems.map(({ code }) => code)).toEqual(['not-convertible']);
  });
});

describe('what is run once', () => {
  it('hooks are noted', () => {
    const text = `hooks: [{events: [prepare]}]\n${releases('name: a, chart: c, hooks: [{events: [presync]}], values: [v.yaml]')}`;
    expect(noted(converted('helmfile', text)).map((note) => note.split(':')[0])).toEqual([
      'hooks - 1',
      'not-copied - 3',
      'hooks a 3',
    ]);
  });
});
