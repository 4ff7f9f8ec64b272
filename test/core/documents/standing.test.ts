import { expect, test } from 'vitest';
import { parseDocuments } from '../../../core/documents/parse.ts';
import { bodyProblems, problemsIn, told } from './texts.ts';

const text = (kind: string, ...lines: string[]) => ['apiVersion: renga/v1', `kind: ${kind}`, ...lines, ''].join('\n');
const environment = (...lines: string[]) => text('Environment', 'name: prod', ...lines);
const config = (...lines: string[]) => text('EnvironmentConfig', 'application: shop', 'environment: prod', ...lines);
const access = (...lines: string[]) => text('Access', 'name: shop', ...lines);
const pipeline = (...lines: string[]) =>
  text('Pipeline', 'name: "codepipeline:shop"', 'application: shop', 'environment: prod', ...lines);

const ENVIRONMENT = environment(
  'concurrency: 2',
  'approval: {required: 1, expiresAfter: 24h, selfApproval: false}',
  'freezes:',
  '  - {from: 2026-12-20T00:00:00+01:00, to: 2027-01-07T00:00:00+01:00, reason: Christmas}',
  '  - {cron: 0 18 * * FRI, duration: 2d, timezone: Europe/Rome}',
  'promotion: {from: staging}',
  'policy: {plugins: [codebuild], sources: ["https://example.org/*"], types: [application]}',
);
const CONFIG = config(
  'tenant: retail',
  'plugin: ansible',
  'params: {FORKS: 5}',
  'overridable: [FORKS]',
  'imports: {infra: {current: {application: infra-web}}}',
  'targetsFrom: [{import: infra, export: vms}]',
  'paramsFrom: {db_host: {import: infra, export: db_host}}',
  'rollback: {migration: never}',
  'reconcile: off',
);
const ACCESS = access(
  'roles: {deployer: [deployment.read, deployment.submit], reader: [deployment.read]}',
  'bindings:',
  '  - {role: deployer, subjects: ["group:shop"], applications: ["shop-*"], environments: [prod]}',
  '  - {role: reader, subjects: ["user:*"]}',
);
const PIPELINE = pipeline('account: "123456789012"', 'overdueAfter: 2h');

test.each([ENVIRONMENT, CONFIG, ACCESS, PIPELINE])(
  'what the format has is right, in a file and in a request: %s',
  (whole) => {
    const { documents, problems } = parseDocuments(whole, 'a.yml');
    expect(problems).toEqual([]);
    expect(whole).toContain(`kind: ${documents[0]?.kind}\n`);
    expect(bodyProblems(documents[0]?.value)).toEqual([]);
  },
);

test('one file may hold all of them', () => {
  const { documents, problems } = parseDocuments([ENVIRONMENT, CONFIG, ACCESS, PIPELINE].join('---\n'), 'a.yml');
  expect(problems).toEqual([]);
  expect(documents.map(({ kind }) => kind)).toEqual(['Environment', 'EnvironmentConfig', 'Access', 'Pipeline']);
});

/** Added lines begin on line 4, in a configuration on line 5. */
const refused: [what: string, text: string, problems: string[]][] = [
  [
    'an environment that is promoted to from itself',
    environment('promotion: {from: prod}'),
    ['self-promotion promotion.from 4:19'],
  ],
  ['a slot of none', environment('concurrency: 0'), ['out-of-range concurrency 4:14']],
  [
    'a freeze without a reason',
    environment('freezes: [{from: 2026-12-20T00:00:00Z, to: 2026-12-21T00:00:00Z}]'),
    ['missing-field freezes[0].reason 4:11'],
  ],
  [
    'a freeze with an empty reason',
    environment('freezes: [{cron: 0 18 * * FRI, duration: 2d, timezone: UTC, reason: " "}]'),
    ['too-short freezes[0].reason 4:69'],
  ],
  [
    'a freeze that ends before it begins',
    environment('freezes: [{from: 2026-12-20T00:00:00Z, to: 2026-12-19T00:00:00Z, reason: a}]'),
    ['invalid-freeze freezes[0].to 4:44'],
  ],
  ['a misspelt field', environment('concurency: 1'), ['unknown-field concurency 4:1']],
  ['no name', text('Environment'), ['missing-field name 1:1']],
  [
    'a parameter from two sides',
    config('params: {A: b}', 'paramsFrom: {A: {import: i, export: c}}', 'imports: {i: {current: {application: n}}}'),
    ['parameter-twice paramsFrom.A 6:14'],
  ],
  [
    'targets from two sides',
    config('targets: [a]', 'targetsFrom: [{import: i, export: c}]', 'imports: {i: {current: {application: n}}}'),
    ['targets-twice targetsFrom 6:1'],
  ],
  [
    'an import that nothing uses',
    config('imports: {i: {current: {application: n}}}'),
    ['unused-import imports.i 5:11'],
  ],
  [
    'an import that is not declared',
    config('targetsFrom: [{import: infra, export: c}]'),
    ['unknown-import targetsFrom[0].import 5:24'],
  ],
  [
    'an import of one deploy',
    config('imports: {i: {deployment: n}}', 'paramsFrom: {A: {import: i, export: c}}'),
    ['missing-field imports.i.current 5:11', 'unknown-field imports.i.deployment 5:15'],
  ],
  [
    'an import of its own application',
    config('imports: {i: {current: {application: shop}}}', 'paramsFrom: {A: {import: i, export: c}}'),
    ['self-import imports.i.current 5:15'],
  ],
  [
    '11 imports',
    config(
      `imports: {${Array.from({ length: 11 }, (_, i) => `i${i}: {current: {application: n}}`)}}`,
      `paramsFrom: {${Array.from({ length: 11 }, (_, i) => `A${i}: {import: i${i}, export: b}`)}}`,
    ),
    ['too-many imports 5:1'],
  ],
  ['a secret', config('params: {A: {secret: b}}'), ['not-supported-yet params.A 5:10']],
  ['reconcile: detect', config('reconcile: detect'), ['not-supported-yet reconcile 5:1']],
  ['reconcile: correct', config('reconcile: correct'), ['not-supported-yet reconcile 5:1']],
  ['an unknown reconcile', config('reconcile: always'), ['invalid-value reconcile 5:12']],
  [
    'a role that is not there',
    access('roles: {deployer: [deployment.read]}', 'bindings: [{role: deployr, subjects: ["user:a"]}]'),
    ['unknown-role bindings[0].role 5:19'],
  ],
  ['an unknown permission', access('roles: {a: [deployment.reed]}', 'bindings: []'), ['invalid-value roles.a[0] 4:13']],
  [
    'a permission twice',
    access('roles: {a: [deployment.read, deployment.read]}', 'bindings: []'),
    ['duplicate-permission roles.a[1] 4:30'],
  ],
  [
    'a subject twice',
    access('roles: {a: [deployment.read]}', 'bindings: [{role: a, subjects: ["user:a", "user:a"]}]'),
    ['duplicate-subject bindings[0].subjects[1] 5:43'],
  ],
  [
    'a binding twice',
    access(
      'roles: {a: [deployment.read]}',
      'bindings: [{role: a, subjects: ["user:a"]}, {subjects: ["user:a"], role: a}]',
    ),
    ['duplicate-binding bindings[1] 5:45'],
  ],
  [
    'a subject of no kind',
    access('roles: {a: [deployment.read]}', 'bindings: [{role: a, subjects: [anna]}]'),
    ['invalid-name bindings[0].subjects[0] 5:33'],
  ],
  ['an account of letters', pipeline('account: abc'), ['invalid-name account 6:10']],
];

test.each(refused)('%s is refused', (_, written, problems) => {
  expect(told(problemsIn(written))).toEqual(problems);
});

test('a role that was meant is offered', () => {
  const written = access('roles: {deployer: [deployment.read]}', 'bindings: [{role: deployr, subjects: ["user:a"]}]');
  expect(problemsIn(written)[0]?.hint).toBe('did you mean "deployer"?');
});

test.each(['include', 'descriptor'] as const)(
  'a file that a release names as its %s has none of these kinds',
  (form) => {
    for (const whole of [ENVIRONMENT, CONFIG, ACCESS, PIPELINE]) {
      expect(told(parseDocuments(whole, 'a.yml', form).problems)).toEqual(['wrong-kind kind 2:7']);
    }
  },
);

test('a reconcile that is off, and another artifact of its own application, are accepted', () => {
  const imports = 'imports: {i: {current: {application: shop, artifact: vpc}}}';
  expect(problemsIn(config('reconcile: off', imports, 'paramsFrom: {A: {import: i, export: c}}'))).toEqual([]);
});
