/** Each limit of a deploy and of a release at its edge: what is just inside is accepted, what is just outside is not. */
import { expect, test } from 'vitest';
import { deployText, problemsIn, releaseText } from './texts.ts';

const codes = (text: string) => [...new Set(problemsIn(text).map(({ code }) => code))];
const many = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, i) => line(i));
const uses = (count: number) => ({
  deploy: `deploy: {plugin: p, paramsFrom: {${many(count, (i) => `P${i}: {import: i${i}, export: e}`)}}}`,
});
const imports = (count: number) =>
  deployText(`imports: {${many(count, (i) => `i${i}: {current: {application: n}}`)}}`, uses(count));
const exports = (count: number) =>
  deployText(`exports: {${many(count, (i) => `e${i}: {from: deploy.a, pattern: a}`)}}`);
const release = (id: string) => releaseText().replace('id: r1', `id: ${id}`);

test.each<[what: string, inside: string, outside: string, code: string]>([
  ['10 imports', imports(10), imports(11), 'too-many'],
  ['32 exports', exports(32), exports(33), 'too-many'],
  [
    '20 in after',
    deployText(`after: [${many(20, (i) => `a${i}`)}]`),
    deployText(`after: [${many(21, (i) => `a${i}`)}]`),
    'too-many',
  ],
  ['64 outputs of a step', steps(64), steps(65), 'too-many'],
  [
    'a name of 63 characters',
    deployText(`tenant: ${'a'.repeat(63)}`),
    deployText(`tenant: ${'a'.repeat(64)}`),
    'too-long',
  ],
  [
    "a deploy's id of 80 characters",
    deployText(`id: ${'a'.repeat(80)}`),
    deployText(`id: ${'a'.repeat(81)}`),
    'too-long',
  ],
  ["a release's id of 64 characters", release('a'.repeat(64)), release('a'.repeat(65)), 'too-long'],
  [
    'an id in after of 256 characters',
    deployText(`after: [${'A'.repeat(256)}]`),
    deployText(`after: [${'A'.repeat(257)}]`),
    'invalid-name',
  ],
  ['a name that begins with a digit', deployText('tenant: 1a._-'), deployText('tenant: -a'), 'invalid-name'],
  ['every sign of an id in after', deployText('after: ["Az09@._:/-"]'), deployText('after: ["a+b"]'), 'invalid-name'],
  ['a wait of a minute', deployText('afterTimeout: 1m'), deployText('afterTimeout: 59s'), 'invalid-duration'],
  ['a wait of thirty days', deployText('afterTimeout: 30d'), deployText('afterTimeout: 721h'), 'invalid-duration'],
  [
    '500 deploys',
    releaseText(many(500, (i) => `name: a${i}`)),
    releaseText(many(501, (i) => `name: a${i}`)),
    'too-many',
  ],
])('%s', (_, inside, outside, code) => {
  expect(codes(inside)).toEqual([]);
  expect(codes(outside)).toEqual([code]);
});

function steps(count: number): string {
  return deployText(`steps: [{name: smoke, plugin: p, outputs: [${many(count, (i) => `o${i}`)}]}]`);
}

test.each(['90m', '2h', '30d', '86400s'])('%s is a duration', (duration) => {
  expect(codes(deployText(`afterTimeout: ${duration}`))).toEqual([]);
});

test.each(['90', '1h30m', '2 h', '2H', '1.5h', '-2h', '02h', '2hours', 'PT2H', '0m', '٢h'])(
  '%s is none',
  (duration) => {
    expect(codes(deployText(`afterTimeout: "${duration}"`))).toEqual(['invalid-duration']);
  },
);
