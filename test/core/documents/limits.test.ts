/** Every limit of a document, at its edge and over it, and spellings that are none: refused with code, path and hint. */
import { describe, expect, test } from 'vitest';
import { bodyProblems } from './texts.ts';

const deploy = (more: object = {}) => ({
  apiVersion: 'renga/v1',
  id: 'd',
  application: 'shop',
  environment: 'prod',
  artifact: { type: 'application', name: 'shop', version: '1' },
  deploy: { plugin: 'command' },
  ...more,
});
const many = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at));
const byName = <Item>(count: number, prefix: string, item: (at: number) => Item) =>
  Object.fromEntries(many(count, (at) => [`${prefix}${at}`, item(at)]));
const step = (more: object) => deploy({ deploy: { plugin: 'command', ...more } });
const imports = (count: number) =>
  deploy({
    after: ['p'],
    imports: byName(count, 'i', () => ({ deployment: 'p' })),
    deploy: { plugin: 'command', paramsFrom: byName(count, 'P', (at) => ({ import: `i${at}`, export: 'e' })) },
  });
const exported = (more: object) => deploy({ exports: { e: { from: 'deploy.e', ...more } } });
const environment = (more: object) => ({ apiVersion: 'renga/v1', kind: 'Environment', name: 'prod', ...more });
const release = (more: object, count = 1) => ({
  apiVersion: 'renga/v1',
  kind: 'Release',
  id: 'r',
  deploys: many(count, (at) => ({ name: `d${at}`, descriptor: deploy({ id: undefined }) })),
  ...more,
});
const freeze = (at: number) => ({
  from: '2026-12-24T00:00:00Z',
  to: '2026-12-26T00:00:00Z',
  reason: `holidays ${at}`,
});

const EDGES: Record<string, { fits: object; over: object; problem: string }> = {
  'an id': { fits: deploy({ id: 'a'.repeat(80) }), over: deploy({ id: 'a'.repeat(81) }), problem: 'too-long id' },
  'a name': {
    fits: deploy({ application: 'a'.repeat(63) }),
    over: deploy({ application: 'a'.repeat(64) }),
    problem: 'too-long application',
  },
  "a release's id": {
    fits: release({ id: 'a'.repeat(64) }),
    over: release({ id: 'a'.repeat(65) }),
    problem: 'too-long id',
  },
  'the id of another deploy': {
    fits: deploy({ after: ['A'.repeat(256)] }),
    over: deploy({ after: ['A'.repeat(257)] }),
    problem: 'invalid-name after[0]',
  },
  'the deploys of a release': { fits: release({}, 500), over: release({}, 501), problem: 'too-many deploys' },
  after: {
    fits: deploy({ after: many(20, (at) => `d${at}`) }),
    over: deploy({ after: many(21, (at) => `d${at}`) }),
    problem: 'too-many after',
  },
  'after, expectations counted': {
    fits: deploy({ after: [{ expect: { pipeline: 'ci', version: '1' } }, ...many(19, (at) => `d${at}`)] }),
    over: deploy({ after: [{ expect: { pipeline: 'ci', version: '1' } }, ...many(20, (at) => `d${at}`)] }),
    problem: 'too-many after',
  },
  imports: { fits: imports(10), over: imports(11), problem: 'too-many imports' },
  exports: {
    fits: deploy({ exports: byName(32, 'e', () => ({ from: 'deploy.e', pattern: 'a' })) }),
    over: deploy({ exports: byName(33, 'e', () => ({ from: 'deploy.e', pattern: 'a' })) }),
    problem: 'too-many exports',
  },
  targets: {
    fits: step({ targets: many(1_000, (at) => `h${at}`) }),
    over: step({ targets: many(1_001, (at) => `h${at}`) }),
    problem: 'too-many deploy.targets',
  },
  waves: {
    fits: step({ targets: ['a'], waves: many(20, () => ({ size: 1 })) }),
    over: step({ targets: ['a'], waves: many(21, () => ({ size: 1 })) }),
    problem: 'too-many deploy.waves',
  },
  'the outputs of a step': {
    fits: deploy({ steps: [{ name: 's', plugin: 'p', outputs: many(64, (at) => `o${at}`) }] }),
    over: deploy({ steps: [{ name: 's', plugin: 'p', outputs: many(65, (at) => `o${at}`) }] }),
    problem: 'too-many steps[0].outputs',
  },
  'a wait, at most': {
    fits: deploy({ afterTimeout: '2592000s' }),
    over: deploy({ afterTimeout: '2592001s' }),
    problem: 'invalid-duration afterTimeout',
  },
  'a wait, at least': {
    fits: deploy({ afterTimeout: '60s' }),
    over: deploy({ afterTimeout: '59s' }),
    problem: 'invalid-duration afterTimeout',
  },
  'an approval, at most': {
    fits: environment({ approval: { expiresAfter: '720h' } }),
    over: environment({ approval: { expiresAfter: '721h' } }),
    problem: 'invalid-duration approval.expiresAfter',
  },
  approvers: {
    fits: environment({ approval: { required: 20 } }),
    over: environment({ approval: { required: 21 } }),
    problem: 'out-of-range approval.required',
  },
  slots: {
    fits: environment({ concurrency: 1 }),
    over: environment({ concurrency: 0 }),
    problem: 'out-of-range concurrency',
  },
  freezes: {
    fits: environment({ freezes: many(100, freeze) }),
    over: environment({ freezes: many(101, freeze) }),
    problem: 'too-many freezes',
  },
  'a pattern': {
    fits: exported({ pattern: 'a'.repeat(1_024) }),
    over: exported({ pattern: 'a'.repeat(1_025) }),
    problem: 'too-long exports.e.pattern',
  },
  'a reason': {
    fits: deploy({ freezeOverride: '語'.repeat(500) }),
    over: deploy({ freezeOverride: 'x'.repeat(501) }),
    problem: 'too-long freezeOverride',
  },
};

describe('a limit', () => {
  test.each(Object.entries(EDGES))(
    'of %s holds at its edge and refuses what is over it',
    (_, { fits, over, problem }) => {
      expect(bodyProblems(fits)).toEqual([]);
      const problems = bodyProblems(over);
      expect(problems.map(({ code, path }) => `${code} ${path}`)).toContain(problem);
      for (const each of problems) expect(each.hint, JSON.stringify(each)).toEqual(expect.any(String));
    },
  );
});

const schedule = (more: object) => deploy({ schedule: more });
const WRONG: Record<string, { document: object; problem: string; hint?: string }> = {
  ...Object.fromEntries(
    ['1.5h', '1 h', '1H', 'PT1H', '90', '1h30m', '-1h', '+1h', '01h', '0m', '1w', '١h', '1h\n', '1e3s', ''].map(
      (text) => [
        `the duration ${JSON.stringify(text)}`,
        { document: deploy({ afterTimeout: text }), problem: 'invalid-duration afterTimeout', hint: 'such as 90m' },
      ],
    ),
  ),
  'a duration that is a number': {
    document: deploy({ afterTimeout: 90 }),
    problem: 'must-be-quoted afterTimeout',
    hint: '"90"',
  },
  ...Object.fromEntries(
    ['CEST', '+02:00', 'Europe/Roma', 'Mars/Olympus', 'europe/rome', 'Europe/Rome\n', '', 'Z'].map((timezone) => [
      `the zone ${JSON.stringify(timezone)}`,
      { document: schedule({ cron: '0 3 * * *', timezone }), problem: 'invalid-timezone schedule.timezone' },
    ]),
  ),
  ...Object.fromEntries(
    ['2026-02-29T00:00:00Z', '2026-12-01T24:00:00Z', '2027-01-01T00:00:00+14:01', '2027-01-01 00:00:00Z'].map((at) => [
      `the instant ${at}`,
      { document: schedule({ at }), problem: 'invalid-instant schedule.at' },
    ]),
  ),
  ...Object.fromEntries(
    ['(', 'a)|(?:b', 'a{2,1}', '(?=a)', '\\1', 'x)(?:', '$)|(^', '(?#a)', '\\'].map((pattern) => [
      `the pattern ${pattern}`,
      { document: exported({ pattern }), problem: 'invalid-pattern exports.e.pattern', hint: 'RE2' },
    ]),
  ),
  'an expectation without a version': {
    document: deploy({ after: ['expect:ci'] }),
    problem: 'invalid-expectation after[0]',
    hint: '{expect: {pipeline',
  },
  'a reason that says nothing': {
    document: deploy({ freezeOverride: '  ' }),
    problem: 'invalid-name freezeOverride',
  },
};

test.each(Object.entries(WRONG))(
  '%s is refused with its place and what to do',
  (_, { document, problem, hint = '' }) => {
    const problems = bodyProblems(document);
    expect(problems.map(({ code, path }) => `${code} ${path}`)).toEqual([problem]);
    expect(problems[0]?.hint).toContain(hint);
    expect(problems[0]?.hint?.length).toBeGreaterThan(0);
    expect(problems[0]?.message).not.toContain('\n');
  },
);

test('an expectation may be written as the id that it stands under', () => {
  expect(bodyProblems(deploy({ after: ['expect:ci@1.0'] }))).toEqual([]);
});

test.each(['0%', '101%', '25', '-1', '25 %'])(
  'what a hint says to write would be taken: not for a wave of %s',
  (size) => {
    const problems = bodyProblems(step({ targets: ['a'], waves: [{ size }] }));
    const [written] = problems.flatMap(({ hint }) => /^write (\S+)$/.exec(hint ?? '')?.[1] ?? []);
    if (written !== undefined) expect(bodyProblems(step({ targets: ['a'], waves: [{ size: written }] }))).toEqual([]);
    expect(problems).toHaveLength(1);
  },
);

test('a message shows no more of a value than a line', () => {
  const [problem] = bodyProblems(deploy({ afterTimeout: 'x'.repeat(100_000) }));
  expect(problem?.message.length).toBeLessThan(300);
});
