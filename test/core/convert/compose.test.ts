// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Compose
import { describe, expect, it } from 'vitest';
import { imageVersion } from '../../../core/convert/compose-image.ts';
import { converted, layersOf, noted, releaseOf, told } from './texts.ts';

const services = (...lines: string[]) => `services:\n${lines.map((line) => `  ${line}\n`).join('')}`;
const after = (result: Parameters<typeof releaseOf>[0]) =>
  Object.fromEntries(releaseOf(result).deploys.map(({ name, after: names }) => [name, names]));

describe('depends_on', () => {
  it('short and long form, and what Compose adds to it by itself', () => {
    const result = converted(
      'compose',
      services(
        'db: {image: "a:1"}',
        'cache: {image: "a:1"}',
        'api: {image: "a:1", depends_on: [db]}',
        'web: {image: "a:1", depends_on: {api: {condition: service_started}}, network_mode: "service:cache"}',
        'job: {image: "a:1", links: ["db:database"], volumes_from: ["api:ro", "container:x"]}',
      ),
    );
    expect(after(result)).toEqual({ db: [], cache: [], api: ['db'], web: ['api', 'cache'], job: ['api', 'db'] });
    expect(layersOf(result)).toEqual([['db', 'cache'], ['api'], ['web', 'job']]);
    expect(releaseOf(result)).toMatchObject({ mode: 'dag', start: 'eager' });
  });

  it('without any, everything starts together', () => {
    expect(layersOf(converted('compose', services('a: {image: "a:1"}', 'b: {image: "a:1"}')))).toEqual([['a', 'b']]);
  });

  it('conditions are notes, and the proposed command keeps them', () => {
    const result = converted(
      'compose',
      services(
        'db: {image: "a:1"}',
        'migrate: {image: "a:1"}',
        'api:',
        '  image: "a:1"',
        '  depends_on:',
        '    db: {condition: service_healthy, restart: true}',
        '    migrate: {condition: service_completed_successfully}',
        '    mail: {condition: service_started, required: false}',
      ),
    );
    expect(after(result).api).toEqual(['db', 'migrate']);
    expect(noted(result).map((note) => note.slice(0, 60))).toEqual([
      'healthy api 7: waits for db to be healthy: renga goes on whe',
      'restart api 7: restart with db: renga restarts nothing becau',
      'completed api 8: waits for migrate to end with success: reng',
      'dependency-left-out api 9: waits for mail, required: false: ',
    ]);
    expect(noted(result)[0]).toContain('give db a verify');
    expect(result.remarks.get('db')?.command).toEqual([
      'docker',
      'compose',
      '-f',
      'compose.yaml',
      'up',
      '-d',
      '--wait',
      '--no-deps',
      'db',
    ]);
    expect(result.remarks.get('migrate')?.command).toContain('run');
  });

  it('required: false on a service that is there stays a dependency, with a note', () => {
    const result = converted(
      'compose',
      services('db: {image: "a:1"}', 'api: {image: "a:1", depends_on: {db: {required: false}}}'),
    );
    expect(after(result).api).toEqual(['db']);
    expect(noted(result)[0]).toMatch(/^not-required api 3: /);
  });
});

describe('refused, with its place', () => {
  it.each([
    [
      'an unknown service',
      ['web: {image: a, depends_on: [bd]}', 'db: {image: a}'],
      ['unknown-dependency 2:32 "web" waits for "bd", which is no service here'],
    ],
    ['itself', ['web: {image: a, links: [web]}'], ['self-dependency 2:27 "web" waits for itself']],
    [
      'a circle',
      ['a: {image: a, depends_on: [b]}', 'b: {image: a, pid: "service:a"}'],
      ['cycle 2:30 they wait for each other in a circle: a -> b -> a'],
    ],
    [
      'a condition that is none',
      ['a: {image: a, depends_on: {b: {condition: healthy}}}', 'b: {image: a}'],
      ['invalid-value 2:45 "healthy" is none of: service_started, service_healthy, service_completed_successfully'],
    ],
    [
      'a variable in depends_on',
      ['a: {image: a, depends_on: ["${B}"]}'],
      ['interpolated 2:30 "${B}" takes a variable, and the order depends on it'],
    ],
    [
      'a service twice',
      ['a: {image: a}', 'a: {image: b}'],
      ['duplicate-key 3:3 the field "a" stands here twice; the first is on line 2'],
    ],
    [
      'a tag',
      ['a: {image: a, ports: !reset []}'],
      ['yaml-tag 2:31 the tag "!reset" is refused: a value is what it looks like'],
    ],
    ['text for a service', ['a: b'], ['wrong-type 2:6 a service must be a mapping, not "b"']],
    ['a number for depends_on', ['a: {image: a, depends_on: 5}'], ['wrong-type 2:29 this must be a list, not 5']],
    [
      'extends in a circle',
      ['a: {extends: b}', 'b: {extends: {service: a}}'],
      [
        'extends-cycle 3:26 the services extend each other in a circle',
        'extends-cycle 2:16 the services extend each other in a circle',
      ],
    ],
    ['extends of nothing', ['a: {extends: b}'], ['unknown-service 2:16 "b" is no service of compose.yaml']],
  ])('%s', (_name, lines, wanted) => {
    expect(told(converted('compose', services(...lines)))).toEqual(wanted);
  });

  it.each(['', '# nothing\n', 'services: {}\n', 'name: shop\n'])('no services: %j', (text) => {
    expect(told(converted('compose', text))).toEqual([expect.stringMatching(/^(too-few|no-document) 1:1 /)]);
  });

  it.each([
    ['include: ["https://example.org/c.yaml"]', 'not-convertible'],
    ['include: [{path: [a.yaml, b.yaml]}]', 'not-convertible'],
    ['include: [{env_file: x}]', 'missing-field'],
  ])('%s', (line, code) => {
    expect(converted('compose', `${line}\n${services('a: {image: a}')}`).problems.map((one) => one.code)).toEqual([
      code,
    ]);
  });
});

describe('extends, include and merge keys', () => {
  it('a service has what it extends, its own word last', () => {
    const files = { 'base.yaml': services('base: {image: "b:1", depends_on: [db], profiles: [x]}') };
    const text = services(
      'db: {image: "a:1"}',
      'one: {extends: {file: base.yaml, service: base}}',
      'two: {extends: one, image: "b:2", depends_on: {one: {condition: service_started}}}',
    );
    const { deploys } = releaseOf(converted('compose', text, { files }));
    expect(
      deploys.map(({ name, after: waits, tags, descriptor }) => [name, waits, tags, descriptor.artifact.version]),
    ).toEqual([
      ['db', [], [], '1'],
      ['one', ['db'], ['x'], '1'],
      ['two', ['db', 'one'], ['x'], '2'],
    ]);
  });

  it('services of includes join, and a name twice is refused', () => {
    const files = { 'jobs.yaml': services('migrate: {image: "a:1"}') };
    const include = 'include: [{path: jobs.yaml}]\n';
    expect(
      after(converted('compose', include + services('api: {image: "a:1", depends_on: [migrate]}'), { files })),
    ).toEqual({
      migrate: [],
      api: ['migrate'],
    });
    expect(told(converted('compose', include + services('migrate: {image: "a:1"}'), { files }))).toEqual([
      'duplicate-name 3:3 the name "migrate" is taken by jobs.yaml, line 2',
    ]);
  });

  it('merge keys are merged, the service itself first', () => {
    const text = `x-a: &a {depends_on: [db], image: "x:1"}\nx-b: &b {image: "y:1", profiles: [p]}\n${services(
      'db: {image: "a:1"}',
      'api: {<<: [*a, *b]}',
      'web: {<<: *a, image: "z:1"}',
    )}`;
    const { deploys } = releaseOf(converted('compose', text));
    expect(deploys.map(({ after: waits, tags, descriptor }) => [waits, tags, descriptor.artifact.source])).toEqual([
      [[], [], 'a:1'],
      [['db'], ['p'], 'x:1'],
      [['db'], [], 'z:1'],
    ]);
  });

  it('two merge keys in one mapping are merged when they give different fields, and refused when not', () => {
    const text = (more: string) =>
      `x-a: &a {depends_on: [db]}\nx-b: &b {image: "y:1"${more}}\n${services('db: {image: "a:1"}', 'api: {<<: *a, <<: *b}')}`;
    expect(releaseOf(converted('compose', text(''))).deploys[1]).toMatchObject({
      after: ['db'],
      descriptor: { artifact: { source: 'y:1' } },
    });
    expect(told(converted('compose', text(', depends_on: []')))[0]).toMatch(/^merge-key 5:9 /);
  });

  it('merge keys that double with each step are refused, and quickly', () => {
    const wide = Array.from({ length: 40 }, (_, at) => `k${at}: 1`).join(', ');
    const steps = Array.from({ length: 30 }, (_, at) => {
      const fields = Array.from({ length: 60 }, (__, index) => `f${index}: {<<: *a${at}}`).join(', ');
      return `x-${at + 1}: &a${at + 1} {${fields}}`;
    });
    const text = `x-0: &a0 {${wide}}\n${steps.join('\n')}\n${services('a: {image: a}')}`;
    expect(converted('compose', text).problems.map(({ code }) => code)).toContain('too-large');
  });

  it.each(['<<: *nothing', '<<: [*a, 5]', '<<: text'])('%s is refused', (merge) => {
    const text = `x-a: &a {image: b}\n${services(`a: {image: a, ${merge}}`)}`;
    expect(told(converted('compose', text))[0]).toMatch(/^merge-key 3:17 /);
  });
});

describe('values', () => {
  it.each([
    ['postgres:16.10', '16.10'],
    ['postgres', undefined],
    ['postgres:latest', undefined],
    ['localhost:5000/api', undefined],
    ['localhost:5000/api:1.10', '1.10'],
    ['api@sha256:abc', 'sha256:abc'],
    ['api:2@sha256:abc', '2'],
  ])('the version of %s is %s', (image, version) => {
    expect(imageVersion(image)).toBe(version);
  });

  it.each(['api:${TAG:-1}', 'api:$TAG', '${REGISTRY}/api:1'])('%s is not kept', (image) => {
    const result = converted('compose', services(`api: {image: "${image}"}`));
    expect(releaseOf(result).deploys[0]?.descriptor.artifact).toEqual({
      type: 'image',
      name: 'api',
      version: 'unknown',
    });
    expect(noted(result)[0]).toContain(`interpolated api 2: ${image}`);
    expect(noted(result)[0]).toContain('docker compose config');
  });

  it('profiles become tags, with a note that a release deploys them all the same', () => {
    const result = converted('compose', services('debug: {build: {context: ./d}, profiles: [Debug, "$$x"]}'));
    expect(releaseOf(result).deploys[0]).toMatchObject({
      tags: ['debug', 'x'],
      descriptor: { artifact: { source: './d' } },
    });
    expect(noted(result)[0]).toContain('pick with --tags');
  });

  it('values that only matter to Compose may be written as Compose likes them', () => {
    const text = services('a: {image: "a:1", ports: [22:22], cpus: 0.50, mode: 0440, environment: {A: 2026-10-12}}');
    expect(noted(converted('compose', text))).toEqual([
      'not-copied - 1: ports, cpus, mode, environment: how containers run has no counterpart; it still holds when the command of a deploy calls docker compose with compose.yaml',
    ]);
  });

  it('more services than a release may have are refused', () => {
    const text = services(...Array.from({ length: 501 }, (_, at) => `s${at}: {image: "a:1"}`));
    expect(told(converted('compose', text))).toEqual(['too-many 1:1 501 services; a release has at most 500 deploys']);
  });
});
