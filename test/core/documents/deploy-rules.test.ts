import { expect, test } from 'vitest';
import { importProblems, isOwnCurrent, standaloneImportProblems } from '../../../core/documents/imports.ts';
import { parseDocuments } from '../../../core/documents/parse.ts';
import { bodyProblems, deployText, problemsIn, releaseText, told } from './texts.ts';

/** Everything of the format that a deploy may have, in one document. */
const WHOLE = `apiVersion: renga/v1
id: shop-api-2.4.0-prod
application: shop-api
environment: prod
tenant: retail
artifact: {type: application, name: shop-api, version: "2.4.0"}
after: [infra-42, {expect: {pipeline: "codepipeline:shop-db", version: "7"}}]
afterTimeout: 2h
schedule: {at: 2026-10-12T22:00:00+02:00}
freezeOverride: incident 4711
imports:
  infra: {deployment: infra-42}
  db: {deployment: "expect:codepipeline:shop-db@7"}
  network: {current: {application: network, environment: shared, artifact: vpc, tenant: net}}
exports:
  vms: {from: deploy.vms, format: targets}
  url: {from: smoke.url, pattern: 'https://.*', public: true}
deploy:
  plugin: codebuild
  params: {PROJECT: shop-api}
  paramsFrom: {SUBNET: {import: network, export: subnet}}
  targetsFrom: [{import: infra, export: vms}]
  waves: [{size: 1}, {size: 25%}, {size: 100%}]
  timeout: 30m
steps:
  - {name: smoke, when: after, plugin: lambda, paramsFrom: {DB: {import: db, export: host}}, outputs: [url]}
verify: {plugin: lambda, params: {FUNCTION: shop-ready}, interval: 10s, timeout: 10m, successes: 3}
rollback: {automatic: true}
`;

test('a deploy with everything that the format has is right, in a file and in a request', () => {
  expect(problemsIn(WHOLE)).toEqual([]);
  const [document] = parseDocuments(WHOLE, 'a.yml').documents;
  expect(bodyProblems(document?.value)).toEqual([]);
});

test('without targets waves may stand, and without a plugin the deploy step: the environment may say both', () => {
  expect(problemsIn(deployText('', { deploy: 'deploy: {waves: [{size: 1}]}' }))).toEqual([]);
  expect(problemsIn(deployText('', { deploy: '' }))).toEqual([]);
});

const many = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, i) => line(i));
const STEP = 'name: smoke, plugin: p';
const uses = (name: string) => ({ deploy: `deploy: {paramsFrom: {A: {import: ${name}, export: b}}}` });

/** Lines 1 to 6 are a right deploy; what is added begins on line 7. */
const refused: [what: string, added: string, problems: string[], replaced?: Record<string, string>][] = [
  // When it runs.
  ['a dry run that waits', 'dryRun: true\nafter: [a]', ['dry-run-with-after dryRun 7:9']],
  [
    'a dry run at a time',
    'dryRun: true\nschedule: {at: 2026-10-12T22:00:00+02:00}',
    ['dry-run-with-schedule dryRun 7:9'],
  ],
  [
    'cron that waits',
    'schedule: {cron: 0 3 * * 1, timezone: Europe/Rome}\nafter: [a]',
    ['cron-with-after schedule.cron 7:18'],
  ],
  ['cron that is none', 'schedule: {cron: x, timezone: UTC}', ['invalid-cron schedule.cron 7:18']],
  ['cron without a zone', 'schedule: {cron: 0 3 * * 1}', ['missing-field schedule.timezone 7:1']],
  ['a schedule of nothing', 'schedule: tomorrow', ['wrong-type schedule 7:11']],
  ['an empty reason', 'freezeOverride: ""', ['too-short freezeOverride 7:17']],
  // What it waits for.
  [
    'one expectation twice',
    'after: [{expect: {pipeline: p, version: v}}, {expect: {version: v, pipeline: p}}]',
    ['duplicate-dependency after[1] 7:46'],
  ],
  [
    '21 in after, expectations counted',
    `after: [${many(20, (i) => `a${i}`)}, {expect: {pipeline: p, version: v}}]`,
    ['too-many after 7:1'],
  ],
  [
    'a misspelt expectation',
    'after: [{expekt: {}}]',
    ['missing-field after[0].expect 7:9', 'unknown-field after[0].expekt 7:10'],
  ],
  // Imports.
  [
    'two forms of an import in one',
    'after: [x]\nimports: {a: {deployment: x, current: {application: y}}}',
    ['unknown-field imports.a.current 8:30'],
    uses('a'),
  ],
  [
    'a current import without application',
    'imports: {a: {current: {}}}',
    ['missing-field imports.a.current.application 7:15'],
    uses('a'),
  ],
  [
    'an import of its own application',
    'imports: {a: {current: {application: shop}}}',
    ['self-import imports.a.current 7:15'],
    uses('a'),
  ],
  [
    'an import of itself, all said',
    'tenant: t\nimports: {a: {current: {application: shop, environment: prod, artifact: shop, tenant: t}}}',
    ['self-import imports.a.current 8:15'],
    uses('a'),
  ],
  [
    'an import that only a misspelt reference would use',
    `imports: {network: {current: {application: n}}}\nsteps: [{${STEP}, paramsFrom: {A: {import: netwrk, export: b}}}]`,
    ['unused-import imports.network 7:11', 'unknown-import steps[0].paramsFrom.A.import 8:59'],
  ],
  [
    'an import that verify does not find',
    'verify: {plugin: p, paramsFrom: {A: {import: b, export: c}}}',
    ['unknown-import verify.paramsFrom.A.import 7:46'],
  ],
  [
    'a parameter of verify from two sides',
    'verify: {plugin: p, params: {A: b}, paramsFrom: {A: {import: i, export: c}}}\nimports: {i: {current: {application: n}}}',
    ['parameter-twice verify.paramsFrom.A 7:50'],
  ],
  [
    'a parameter of a step from two sides',
    `steps: [{${STEP}, params: {A: b}, paramsFrom: {A: {import: i, export: c}}}]\nimports: {i: {current: {application: n}}}`,
    ['parameter-twice steps[0].paramsFrom.A 7:63'],
  ],
  ['a secret in a step', `steps: [{${STEP}, params: {A: {secret: b}}}]`, ['not-supported-yet steps[0].params.A 7:43']],
  // Exports.
  [
    'a string without a pattern, said outright',
    'exports: {a: {from: deploy.a, format: string}}',
    ['pattern-missing exports.a.pattern 7:11'],
  ],
  [
    'a pattern of targets that is none',
    "exports: {a: {from: deploy.a, format: targets, pattern: '('}}",
    ['invalid-pattern exports.a.pattern 7:57'],
  ],
  [
    'an export of a misspelt step',
    `steps: [{${STEP}, outputs: [url]}]\nexports: {a: {from: smoek.url, pattern: a}}`,
    ['unknown-step exports.a.from 8:21'],
  ],
  [
    'an export of verify',
    'verify: {plugin: p}\nexports: {a: {from: verify.url, pattern: a}}',
    ['unknown-step exports.a.from 8:21'],
  ],
  [
    'an export of an output that its step does not declare',
    `steps: [{${STEP}, outputs: [url]}]\nexports: {a: {from: smoke.ulr, pattern: a}}`,
    ['undeclared-output exports.a.from 8:21'],
  ],
  // Steps.
  ['two steps of one name', `steps: [{${STEP}}, {${STEP}}]`, ['duplicate-step steps[1].name 7:42']],
  ...['deploy', 'verify', 'rollback', 'config'].map((name): [string, string, string[]] => [
    `a step named ${name}`,
    `steps: [{name: ${name}, plugin: p}]`,
    ['reserved-name steps[0].name 7:16'],
  ]),
  ['a step with a dot', 'steps: [{name: a.b, plugin: p}]', ['invalid-name steps[0].name 7:16']],
  ['an output twice', `steps: [{${STEP}, outputs: [a, a]}]`, ['duplicate-output steps[0].outputs[1] 7:47']],
  ['11 steps', `steps: [${many(11, (i) => `{name: s${i}, plugin: p}`)}]`, ['too-many steps 7:1']],
  ['65 outputs', `steps: [{${STEP}, outputs: [${many(65, (i) => `o${i}`)}]}]`, ['too-many steps[0].outputs 7:34']],
  // Probes: at most 1,000 over all waves.
  ['1,001 probes', 'verify: {plugin: p, interval: 1s, timeout: 1001s}', ['too-many-probes verify 7:1']],
  [
    '60 probes in each of 17 waves',
    'verify: {plugin: p}',
    ['too-many-probes verify 7:1'],
    { deploy: `deploy: {waves: [${many(17, () => '{size: 1}')}]}` },
  ],
  [
    'more successes than probes',
    'verify: {plugin: p, interval: 10s, timeout: 25s, successes: 4}',
    ['never-succeeds verify.successes 7:61'],
  ],
  ['no success', 'verify: {plugin: p, successes: 0}', ['out-of-range verify.successes 7:32']],
  ['half a success', 'verify: {plugin: p, successes: 1.5}', ['wrong-type verify.successes 7:32']],
];

test.each(refused)('a deploy with %s is refused', (_, added, problems, replaced) => {
  expect(told(problemsIn(deployText(added, replaced)))).toEqual(problems);
});

/** Line 6 is the deploy step. */
const refusedSteps: [what: string, deploy: string, problems: string[]][] = [
  ['21 waves', `deploy: {waves: [${many(21, () => '{size: 1}')}]}`, ['too-many deploy.waves 6:10']],
  ['no waves', 'deploy: {waves: []}', ['too-few deploy.waves 6:10']],
  ['a wave of none', 'deploy: {waves: [{size: 0}]}', ['out-of-range deploy.waves[0].size 6:25']],
  ['a wave of 101%', 'deploy: {waves: [{size: 101%}]}', ['invalid-name deploy.waves[0].size 6:25']],
  ['a wave of nothing', 'deploy: {waves: [{}]}', ['missing-field deploy.waves[0].size 6:18']],
  ['no targets', 'deploy: {targets: []}', ['too-few deploy.targets 6:10']],
  ['a target that is no host', 'deploy: {targets: [a b]}', ['invalid-name deploy.targets[0] 6:20']],
  ['a target without a host', 'deploy: {targets: [{port: 22}]}', ['missing-field deploy.targets[0].host 6:20']],
  ['a target twice', 'deploy: {targets: [a, b, {host: a}]}', ['duplicate-target deploy.targets[2] 6:26']],
  ['1,001 targets', `deploy: {targets: [${many(1001, (i) => `h${i}`)}]}`, ['too-many deploy.targets 6:10']],
  [
    'targets from an import that is not declared',
    'deploy: {targetsFrom: [{import: a, export: b}]}',
    ['unknown-import deploy.targetsFrom[0].import 6:33'],
  ],
];

test.each(refusedSteps)('a deploy step with %s is refused', (_, deploy, problems) => {
  expect(told(problemsIn(deployText('', { deploy })))).toEqual(problems);
});

test('targets have one source', () => {
  const deploy = 'deploy: {targets: [a], targetsFrom: [{import: i, export: b}, {export: b, import: i}]}';
  expect(told(problemsIn(deployText('imports: {i: {current: {application: n}}}', { deploy })))).toEqual([
    'targets-twice deploy.targetsFrom 6:24',
    'duplicate-target deploy.targetsFrom[1] 6:62',
  ]);
});

test('1,000 probes are accepted', () => {
  expect(problemsIn(deployText('verify: {plugin: p, interval: 1s, timeout: 1000s, successes: 100}'))).toEqual([]);
});

test('what is meant is offered: steps, outputs, imports', () => {
  const hints = (added: string) => problemsIn(deployText(added)).map(({ hint }) => hint);
  const steps = `steps: [{${STEP}, outputs: [url]}]\n`;
  expect(hints(`${steps}exports: {a: {from: smoek.url, pattern: a}}`)).toEqual(['did you mean "smoke"?']);
  expect(hints(`${steps}exports: {a: {from: smoke.ulr, pattern: a}}`)).toEqual(['did you mean "url"?']);
  expect(hints('steps: [{name: smoke, plugin: p}]\nexports: {a: {from: smoke.url, pattern: a}}')).toEqual([
    'add "url" to its outputs',
  ]);
  expect(hints('exports: {a: {from: deploy.a}}')[0]).toContain('format: targets for a list of hosts');
});

test('every number over its limit is told', () => {
  const message = (added: string) =>
    problemsIn(deployText(added)).find(({ code }) => code.startsWith('too-many'))?.message;
  expect(message(`after: [${many(21, (i) => `a${i}`)}]`)).toBe('21 after; the limit is 20');
  expect(message(`imports: {${many(11, (i) => `a${i}: {current: {application: n}}`)}}`)).toBe(
    '11 imports; the limit is 10',
  );
  expect(message('verify: {plugin: p, interval: 1s, timeout: 1h}')).toBe(
    'every 1s for 1h is 3600 probes, 3600 in all; the limit is 1000',
  );
});

test('an import of what is current needs no after, alone and in a release', () => {
  const deploy = { imports: { n: { current: { application: 'n' } } } };
  expect(standaloneImportProblems(deploy)).toEqual([]);
  expect(importProblems({ name: 'a', descriptor: deploy }, 'deploys[0]')).toEqual([]);
});

test('an expectation may be imported from by the id that stands for it', () => {
  const after = [{ expect: { pipeline: 'p', version: 'v' } }];
  expect(standaloneImportProblems({ after, imports: { n: { deployment: 'expect:p@v' } } })).toEqual([]);
  expect(standaloneImportProblems({ after, imports: { n: { deployment: 'expect:p@w' } } })).toMatchObject([
    { code: 'import-not-in-after', hint: 'did you mean "expect:p@v"? Else add it to after' },
  ]);
});

test('what can not wait is not told to wait for what it imports from', () => {
  const imports = { n: { deployment: 'infra' } };
  const hint = (extra: object) => standaloneImportProblems({ imports, ...extra })[0]?.hint;
  expect(hint({ schedule: { cron: '0 3 * * 1', timezone: 'UTC' } })).toMatch(/^import what is `current`/);
  expect(hint({ dryRun: true })).toMatch(/^import what is `current`/);
});

test.each([
  ['the application alone', { application: 'shop' }, true],
  ['its artifact', { application: 'shop', artifact: 'api' }, true],
  ['another artifact of it', { application: 'shop', artifact: 'db' }, false],
  ['another environment', { application: 'shop', environment: 'test' }, false],
  ['another tenant', { application: 'shop', tenant: 'other' }, false],
  ['another application', { application: 'network' }, false],
])('its own current release: %s', (_, current, own) => {
  const deploy = { application: 'shop', environment: 'prod', artifact: 'api', tenant: 'retail' };
  expect(isOwnCurrent(current, deploy)).toBe(own);
});

test('in a release, what it refuses is told once, whatever else is wrong with it', () => {
  const text = releaseText().replace(
    'environment: prod',
    'environment: prod\n      dryRun: true\n      after: [x]\n      schedule: {cron: x}',
  );
  expect(told(problemsIn(text)).map((line) => line.split(' ').slice(0, 2))).toEqual([
    ['not-in-release', 'deploys[0].descriptor.dryRun'],
    ['not-in-release', 'deploys[0].descriptor.schedule'],
  ]);
});
