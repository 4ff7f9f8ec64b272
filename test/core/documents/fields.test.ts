import { expect, test } from 'vitest';
import { parseDocuments } from '../../../core/documents/parse.ts';
import { bodyProblems, deployText, problemsIn, releaseText, told } from './texts.ts';

const many = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, i) => line(i));

/** Lines 1 to 6 are a right deploy; what is added begins on line 7. */
const refused: [what: string, added: string, problems: string[]][] = [
  ['an unknown field', 'afterr: [a]', ['unknown-field afterr 7:1']],
  ['several at once', 'afterr: [a]\ntenant: Big Corp', ['unknown-field afterr 7:1', 'invalid-name tenant 8:9']],
  ['a text for a list', 'after: a', ['wrong-type after 7:8']],
  ['a list for a mapping', 'imports: [a]', ['wrong-type imports 7:1']],
  ['an empty field', 'tenant:', ['wrong-type tenant 7:8']],
  ['a number for a name', 'tenant: 42', ['must-be-quoted tenant 7:9']],
  ['true for a name', 'tenant: true', ['must-be-quoted tenant 7:9']],
  ['a name with capitals', 'tenant: Retail', ['invalid-name tenant 7:9']],
  ['a name that is too long', `tenant: ${'a'.repeat(64)}`, ['too-long tenant 7:9']],
  ['an id that is too long', `id: ${'a'.repeat(81)}`, ['too-long id 7:5']],
  ['an id in after with a space', 'after: ["a b"]', ['invalid-name after[0] 7:9']],
  ['an id twice in after', 'after: [a, b, a]', ['duplicate-dependency after[2] 7:15']],
  ['itself in after', 'id: a\nafter: [a]', ['self-dependency after[0] 8:9']],
  ['21 in after', `after: [${many(21, (i) => `a${i}`)}]`, ['too-many after 7:1']],
  ['a duration without unit', 'afterTimeout: "90"', ['invalid-duration afterTimeout 7:15']],
  ['a number as duration', 'afterTimeout: 90', ['must-be-quoted afterTimeout 7:15']],
  ['two units', 'afterTimeout: 1h30m', ['invalid-duration afterTimeout 7:15']],
  ['a wait that is too short', 'afterTimeout: 59s', ['invalid-duration afterTimeout 7:15']],
  ['a wait that is too long', 'afterTimeout: 31d', ['invalid-duration afterTimeout 7:15']],
  [
    'an import of nothing',
    'imports: {a: {}}',
    ['missing-field imports.a.deployment 7:11', 'unused-import imports.a 7:11'],
  ],
  ['an import that nothing uses', 'imports: {a: {deployment: b}}', ['unused-import imports.a 7:11']],
  [
    '11 imports',
    `imports:\n${many(11, (i) => `  a${i}: {deployment: b}`).join('\n')}`,
    ['too-many imports 7:1', ...many(11, (i) => `unused-import imports.a${i} ${8 + i}:3`)],
  ],
  [
    '33 exports',
    `exports:\n${many(33, (i) => `  a${i}: {from: deploy.a, pattern: a}`).join('\n')}`,
    ['too-many exports 7:1'],
  ],
  ['an export without pattern', 'exports: {a: {from: deploy.a}}', ['pattern-missing exports.a.pattern 7:11']],
  ['an export of another step', 'exports: {a: {from: smoke.url, pattern: a}}', ['unknown-step exports.a.from 7:21']],
  ['an export of no key', 'exports: {a: {from: deploy, pattern: a}}', ['invalid-name exports.a.from 7:21']],
  [
    'an unknown format',
    'exports: {a: {from: deploy.a, format: json, pattern: a}}',
    ['invalid-value exports.a.format 7:39'],
  ],
  [
    'a pattern that is none',
    "exports: {a: {from: deploy.a, pattern: '('}}",
    ['invalid-pattern exports.a.pattern 7:40'],
  ],
  [
    'a pattern only with backtracking',
    "exports: {a: {from: deploy.a, pattern: '(a)\\1'}}",
    ['invalid-pattern exports.a.pattern 7:40'],
  ],
  [
    'a pattern that grows too large',
    "exports: {a: {from: deploy.a, pattern: '([a-z]{500}){6}'}}",
    ['invalid-pattern exports.a.pattern 7:40'],
  ],
  ['an export name with capitals', 'exports: {Url: {from: deploy.a, pattern: a}}', ['invalid-name exports.Url 7:11']],
  ['an unknown field deep inside', 'rollback: {automatik: true}', ['unknown-field rollback.automatik 7:12']],
  ['text for true or false', 'rollback: {automatic: yes}', ['wrong-type rollback.automatic 7:23']],
];

test.each(refused)('a deploy with %s is refused', (_, added, problems) => {
  expect(told(problemsIn(deployText(added)))).toEqual(problems);
});

/** Lines 1 to 5 are a right deploy without its `deploy`, which is line 6. */
const refusedSteps: [what: string, deploy: string, problems: string[]][] = [
  ['a secret', 'deploy: {plugin: p, params: {A: {secret: b}}}', ['not-supported-yet deploy.params.A 6:30']],
  ['an empty parameter', 'deploy: {plugin: p, params: {A: }}', ['wrong-type deploy.params.A 6:33']],
  ['a parameter that is a mapping', 'deploy: {plugin: p, params: {A: {b: c}}}', ['wrong-type deploy.params.A 6:30']],
  ['numbers in a list', 'deploy: {plugin: p, params: {A: [b, 1]}}', ['must-be-quoted deploy.params.A[1] 6:37']],
  ['a parameter with a dash', 'deploy: {plugin: p, params: {a-b: c}}', ['invalid-name deploy.params.a-b 6:35']],
  ['a timeout of nothing', 'deploy: {plugin: p, timeout: 0s}', ['invalid-duration deploy.timeout 6:30']],
  ['a misspelt timeout', 'deploy: {plugin: p, timout: 1h}', ['unknown-field deploy.timout 6:21']],
  [
    'an import that is not declared',
    'deploy: {plugin: p, paramsFrom: {A: {import: infra, export: b}}}',
    ['unknown-import deploy.paramsFrom.A.import 6:46'],
  ],
  [
    'a parameter from two sides',
    'deploy: {plugin: p, params: {A: b}, paramsFrom: {A: {import: i, export: b}}}\nimports: {i: {deployment: x}}',
    ['parameter-twice deploy.paramsFrom.A 6:50'],
  ],
];

test.each(refusedSteps)('a deploy step with %s is refused', (_, deploy, problems) => {
  expect(told(problemsIn(deployText('', { deploy })))).toEqual(problems);
});

const refusedKinds: [what: string, text: string, problems: string[]][] = [
  ['a misspelt kind', 'apiVersion: renga/v1\nkind: release', ['invalid-value kind 2:7']],
  ['a release without kind', 'apiVersion: renga/v1\nid: r\ndeploys: []', ['missing-field kind 1:1']],
  ['another version', deployText('', { apiVersion: 'apiVersion: renga/v2' }), ['invalid-value apiVersion 1:13']],
  ['no version', deployText('', { apiVersion: '' }), ['missing-field apiVersion 1:1']],
  ['a list', '- a', ['wrong-type  1:1']],
  ['a text', 'hello', ['wrong-type  1:1']],
];

test.each(refusedKinds)('%s is refused', (_, text, problems) => {
  expect(told(problemsIn(text))).toEqual(problems);
});

/** Line 4 is what is added, line 5 `deploys`, line 6 the first entry. */
const refusedReleases: [what: string, text: string, problems: string[]][] = [
  ['an unknown field', releaseText(['name: api'], 'onfailure: stop\n'), ['unknown-field onfailure 4:1']],
  ['an unknown mode', releaseText(['name: api'], 'mode: parallel\n'), ['invalid-value mode 4:7']],
  ['an unknown start', releaseText(['name: api'], 'start: layer\n'), ['invalid-value start 4:8']],
  ['an unknown onFailure', releaseText(['name: api'], 'onFailure: ignore\n'), ['invalid-value onFailure 4:12']],
  ['a long id', releaseText().replace('id: r1', `id: ${'a'.repeat(65)}`), ['too-long id 3:5']],
  ['no id', releaseText().replace('id: r1\n', ''), ['missing-field id 1:1']],
  ['a tag with capitals', releaseText(['name: api\n    tags: [Data]']), ['invalid-name deploys[0].tags[0] 6:12']],
  [
    'a schedule in a deploy',
    releaseText().replace('environment: prod', 'environment: prod\n      schedule: {at: x}'),
    ['not-in-release deploys[0].descriptor.schedule 11:7'],
  ],
  [
    'a dry run in a deploy',
    releaseText().replace('environment: prod', 'environment: prod\n      dryRun: true'),
    ['not-in-release deploys[0].descriptor.dryRun 11:7'],
  ],
  [
    'neither file nor descriptor',
    'apiVersion: renga/v1\nkind: Release\nid: r\ndeploys:\n  - name: a\n',
    ['missing-field deploys[0] 5:5'],
  ],
  ['file and descriptor', releaseText(['name: api\n    file: api.yml']), ['file-and-descriptor deploys[0] 5:5']],
];

test.each(refusedReleases)('a release with %s is refused', (_, text, problems) => {
  expect(told(problemsIn(text))).toEqual(problems);
});

test('more deploys than a release may have are refused', () => {
  expect(told(problemsIn(releaseText(many(501, (i) => `name: a${i}`))))).toEqual(['too-many deploys 4:1']);
});

test('every misspelt field is told the nearest name', () => {
  const hints = problemsIn(deployText('aplication: a\nshedule: {}\nafter_timeout: 1h\nzzz: 1')).map(({ hint }) => hint);
  expect(hints.slice(0, 3)).toEqual(
    ['application', 'schedule', 'afterTimeout'].map((name) => `did you mean "${name}"?`),
  );
  expect(hints[3]).toMatch(/^known here: apiVersion, kind, /);
});

test('a problem shows the value, the line it stands on and what to write', () => {
  expect(problemsIn(deployText('tenant: Big Corp'))).toEqual([
    {
      code: 'invalid-name',
      path: 'tenant',
      message: '"Big Corp": a name must match [a-z0-9][a-z0-9._-]*',
      hint: 'write big-corp',
      position: { file: 'release.yml', line: 7, column: 9, source: 'tenant: Big Corp' },
    },
  ]);
});

test('what says nothing is accepted: dryRun: false, a rollback that is off, empty lists', () => {
  const plain = parseDocuments(deployText(), 'a.yml').documents[0]?.value;
  const explicit = 'dryRun: false\nrollback: {automatic: false}\nafter: []\nimports: {}\nafterTimeout: 24h';
  expect(parseDocuments(deployText(explicit), 'a.yml').documents[0]?.value).toEqual(plain);
});

test('dryRun: false leaves no trace in a release either', () => {
  const text = releaseText();
  const explicit = text.replace('environment: prod', 'environment: prod\n      dryRun: false');
  const [plain, same] = [text, explicit].map((written) => parseDocuments(written, 'a.yml').documents[0]?.value);
  expect(JSON.stringify(same)).toBe(JSON.stringify(plain));
});

test('rules between fields are told together with wrong types and unknown fields', () => {
  const text = 'tenant: 42\nimports: {a: {deployment: b}, c: {deploymnt: d}}\nnope: 1\n';
  expect(told(problemsIn(deployText(text)))).toEqual([
    'must-be-quoted tenant 7:9',
    'unused-import imports.a 8:11',
    'missing-field imports.c.deployment 8:31',
    'unused-import imports.c 8:31',
    'unknown-field imports.c.deploymnt 8:35',
    'unknown-field nope 9:1',
  ]);
  const imports = { imports: { a: { deployment: 'b' } }, deploy: { plugin: 'p', paramsFrom: { A: { import: 'a' } } } };
  expect(bodyProblems({ ...imports, apiVersion: 'renga/v1' }).map(({ code, path }) => `${code} ${path}`)).toEqual([
    'missing-field application',
    'missing-field environment',
    'missing-field artifact',
    'import-not-in-after imports.a.deployment',
    'missing-field deploy.paramsFrom.A.export',
  ]);
});

test('a request names no files, and is told why', () => {
  const deploys = [{ name: 'api', file: 'api.yml' }];
  const problems = bodyProblems({ apiVersion: 'renga/v1', kind: 'Release', id: 'r', includes: ['a.yml'], deploys });
  expect(problems.map(({ code, path }) => [code, path])).toEqual([
    ['only-in-files', 'includes'],
    ['only-in-files', 'deploys[0].file'],
  ]);
  expect(problems[0]?.hint).toContain('`renga release submit` reads the files');
});

test('a release without deploys is refused over the API', () => {
  const problems = bodyProblems({ apiVersion: 'renga/v1', kind: 'Release', id: 'r', deploys: [] });
  expect(problems.map(({ code, path }) => [code, path])).toEqual([['too-few', 'deploys']]);
});
