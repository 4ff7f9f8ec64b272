import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentHash, differences } from '../../../core/documents/content.ts';
import { parseDocuments, parseJsonBody } from '../../../core/documents/parse.ts';
import { yamlText } from '../../../core/documents/yaml-text.ts';

const differing: [what: string, before: unknown, after: unknown, lines: string[]][] = [
  ['nothing', { a: 1, b: [1] }, { b: [1], a: 1 }, []],
  ['a field that is undefined', { a: 1, b: undefined }, { a: 1 }, []],
  ['a value', { a: { b: 'x' } }, { a: { b: 'y' } }, ['a.b: "x" → "y"']],
  ['a type', { a: 1 }, { a: '1' }, ['a: 1 → "1"']],
  ['a new field', {}, { a: { b: 1 } }, ['a: nothing → a mapping']],
  ['a field that went', { 'a.b': 1 }, {}, ['["a.b"]: 1 → nothing']],
  ['a list', { a: [1, 2] }, { a: [1, 3, 4] }, ['a[1]: 2 → 3', 'a[2]: nothing → 4']],
  ['a deploy added', { d: [{ name: 'a' }] }, { d: [{ name: 'b' }, { name: 'a' }] }, ['d[b]: nothing → a mapping']],
  ['the order', { d: [{ name: 'a' }, { name: 'b' }] }, { d: [{ name: 'b' }, { name: 'a' }] }, ['d: in another order']],
  ['the kind of thing', { a: [] }, { a: {} }, ['a: a list of 0 items → a mapping']],
];

test.each(differing)('documents that differ in %s say so', (_, before, after, lines) => {
  expect(differences(before, after)).toEqual(lines);
  expect(contentHash(before) === contentHash(after)).toBe(lines.length === 0);
});

test('at most 20 differences are listed, and the rest are counted', () => {
  const wide = (value: number) => Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, value]));
  const lines = differences(wide(1), wide(2));
  expect(lines).toHaveLength(20);
  expect(lines.at(-1)).toBe('and 11 more');
});

const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,12}$/);
const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((value) => !value.includes('\0'));
const tricky = fc.constantFrom(
  'no',
  'on',
  '1.10',
  '0123',
  '12e3',
  '<<',
  '~',
  'null',
  '',
  ' a',
  '# b',
  '2026-10-12',
  '!x',
  '&a',
  '*a',
  'a: b',
);
const param = fc.oneof(text, tricky, fc.integer(), fc.boolean(), fc.array(fc.oneof(text, tricky), { maxLength: 3 }));
const duration = fc
  .tuple(fc.integer({ min: 1, max: 24 }), fc.constantFrom('m', 'h', 'd'))
  .map(([n, unit]) => `${n}${unit}`);

const descriptor = fc.record(
  {
    apiVersion: fc.constant('renga/v1'),
    kind: fc.constant('Deploy'),
    application: name,
    environment: name,
    tenant: name,
    artifact: fc.record({ type: name, name, version: fc.oneof(tricky, text).filter((version) => version !== '') }),
    after: fc.uniqueArray(name, { maxLength: 4 }),
    afterTimeout: duration,
    exports: fc.dictionary(
      name,
      fc.record({ from: fc.constant('deploy.url'), pattern: fc.constant('[a-z]+|\\d{1,3}') }),
      { maxKeys: 3 },
    ),
    deploy: fc.record({
      plugin: name,
      params: fc.dictionary(fc.stringMatching(/^[A-Z_a-z][A-Za-z0-9_]{0,8}$/), param, { maxKeys: 4 }),
      timeout: duration,
    }),
    rollback: fc.record({ automatic: fc.boolean() }),
  },
  { requiredKeys: ['apiVersion', 'application', 'environment', 'artifact', 'deploy'] },
);

const release = fc.record(
  {
    apiVersion: fc.constant('renga/v1'),
    kind: fc.constant('Release'),
    id: name,
    mode: fc.constantFrom('auto', 'dag', 'sequential'),
    start: fc.constantFrom('layers', 'eager'),
    onFailure: fc.constantFrom('stop', 'continue', 'rollback'),
    deploys: fc.array(
      fc.record({ name, after: fc.array(name, { maxLength: 2 }), tags: fc.array(name, { maxLength: 2 }), descriptor }),
      { minLength: 1, maxLength: 4 },
    ),
  },
  { requiredKeys: ['apiVersion', 'kind', 'id', 'deploys'] },
);

test('every accepted release says the same after a round through YAML and JSON', () => {
  fc.assert(
    fc.property(release, (written) => {
      const body = parseJsonBody(JSON.stringify(written));
      if (body.problems !== undefined) throw new Error(JSON.stringify(body.problems));
      const { documents, problems } = parseDocuments(yamlText(body.document.value as object), 'release.yml');
      expect(problems).toEqual([]);
      // Only a file can have includes; this one has none.
      expect(contentHash(documents[0]?.value)).toBe(contentHash({ ...body.document.value, includes: [] }));
    }),
    { numRuns: 150 },
  );
});
