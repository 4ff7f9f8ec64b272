import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocuments } from '../../../core/documents/parse.ts';
import { deployText, releaseText } from './texts.ts';

const texts = [
  deployText(),
  deployText(
    'steps: [{name: a, plugin: p, outputs: [b]}]\nexports: {c: {from: a.b, format: targets}}\nverify: {plugin: p}',
  ),
  'apiVersion: renga/v1\nkind: EnvironmentConfig\napplication: a\nenvironment: b\ntargets: [c, {host: d}]',
  'apiVersion: renga/v1\nkind: Access\nname: a\nroles: {b: [deployment.read]}\nbindings: [{role: b, subjects: ["user:c"]}]',
  releaseText(['name: api', 'name: web\n    after: [api]']),
  JSON.stringify(
    { apiVersion: 'renga/v1', kind: 'Release', id: 'r', deploys: [{ name: 'a', file: 'a.yml' }] },
    null,
    1,
  ),
];

const marks =
  '\n|  |: |- |? |{|}|[|]|,|"|\'|>|&a |*a |!x |#|%|---\n|...\n|<<: |\t|\\|@|`|\r|\uFEFF|a|1.10|~|__proto__: |constructor: ';
const junk = fc
  .array(fc.oneof(fc.constantFrom('|', ...marks.split('|')), fc.string({ unit: 'binary', maxLength: 3 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

const damaged = fc
  .record({ text: fc.constantFrom(...texts), at: fc.nat(1_000), cut: fc.nat(40), junk })
  .map(({ text, at, cut, junk: middle }) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + middle + text.slice(from + cut);
  });

test('whatever a text has become, it is read or refused with a place, and never anything else', () => {
  fc.assert(
    fc.property(fc.oneof(damaged, junk), fc.constantFrom('a.yml', 'a.json'), (text, file) => {
      const { documents, problems } = parseDocuments(text, file);
      expect(documents.length + problems.length).toBeGreaterThan(0);
      for (const { code, message, position } of problems) {
        expect([code, message]).not.toContain('');
        expect(position).toMatchObject({ file, line: expect.any(Number), column: expect.any(Number) });
        expect(Math.min(position?.line ?? 0, position?.column ?? 0)).toBeGreaterThan(0);
      }
    }),
    { numRuns: 1_000 },
  );
});

const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join();

/** A second or two of the five that a test may take; comparing all with all would take minutes. */
test.each([
  [
    'exports of misspelt steps',
    deployText(
      `exports: {${many(10_000, (i) => `e${i}: {from: "x${i}.b"}`)}}\nsteps: [${many(8_000, (i) => `{name: s${i}}`)}]`,
    ),
  ],
  [
    'references to misspelt imports',
    deployText(`imports: {${many(10_000, (i) => `i${i}: {}`)}}`, {
      deploy: `deploy: {targetsFrom: [${many(10_000, (i) => `{import: x${i}}`)}]}`,
    }),
  ],
  [
    'bindings of misspelt roles',
    `apiVersion: renga/v1\nkind: Access\nname: a\nroles: {${many(10_000, (i) => `r${i}: []`)}}\nbindings: [${many(10_000, (i) => `{role: x${i}}`)}]`,
  ],
])('very many %s are refused in bearable time', (_, text) => {
  expect(parseDocuments(text, 'a.yml').problems.length).toBeGreaterThan(65);
});
