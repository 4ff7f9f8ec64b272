import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { eventSchemas } from '../../../bus/event-schemas.ts';
import { editorSchemas } from '../../../core/documents/editor-schemas.ts';
import { parseDocuments } from '../../../core/documents/parse.ts';
import { deployText, releaseText } from './texts.ts';

const repository = new URL('../../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, repository), 'utf8');

/** The YAML blocks of the reference, which are whole documents. */
const examples = [...read('docs/documents.md').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);

const schema = (name: string) => z.fromJSONSchema(JSON.parse(read(`schemas/${name}`)));
const accepts = (name: string, text: string) =>
  parseAllDocuments(text).every(
    (document) => schema(name).safeParse('toJS' in document ? document.toJS() : undefined).success,
  );

test('the schemas in schemas/ are those of the code (npm run schemas writes them)', () => {
  const expected = { ...editorSchemas(), ...eventSchemas() };
  expect(readdirSync(new URL('schemas/', repository)).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, content] of Object.entries(expected)) expect(JSON.parse(read(`schemas/${name}`))).toEqual(content);
});

test('every example of the reference is accepted by the editor schema and by the checks', () => {
  expect(examples).toHaveLength(3);
  for (const text of examples) {
    expect(parseDocuments(text, 'example.yml').problems).toEqual([]);
    expect(accepts('renga.schema.json', text)).toBe(true);
  }
});

const FILES = 'apiVersion: renga/v1\nkind: Release\nincludes: [a.yml]\ndeploys: [{name: a, file: b.yml}]\n';

test.each([
  ['a deploy', 'deploy.schema.json', deployText(), true],
  ['a deploy', 'release.schema.json', deployText(), false],
  ['a release', 'release.schema.json', releaseText(), true],
  ['a release of files', 'renga.schema.json', `${FILES}id: r\n`, true],
  ['an included file without id', 'include.schema.json', FILES, true],
  ['an included file without id', 'release.schema.json', FILES, false],
  ['an unknown field', 'renga.schema.json', deployText('nope: 1'), false],
  ['an unknown field deep inside', 'renga.schema.json', deployText('rollback: {nope: 1}'), false],
  ['a wrong duration', 'renga.schema.json', deployText('afterTimeout: 1h30m'), false],
  ['a wrong name', 'renga.schema.json', deployText('tenant: Retail'), false],
  ['a number for a version', 'renga.schema.json', deployText().replace('"1.10"', '1.10'), false],
  ['a time without an offset', 'renga.schema.json', deployText('schedule: {at: x}'), false],
  ['an environment', 'renga.schema.json', 'apiVersion: renga/v1\nkind: Environment\nname: prod\n', true],
  ['an environment', 'environment.schema.json', 'apiVersion: renga/v1\nkind: Environment\nname: prod\n', true],
  ['an environment', 'deploy.schema.json', 'apiVersion: renga/v1\nkind: Environment\nname: prod\n', false],
])('%s in %s', (_, name, text, accepted) => {
  expect(accepts(name, text)).toBe(accepted);
});

test('every field has a description', () => {
  const bare: string[] = [];
  const visit = (node: unknown, path: string) => {
    if (typeof node !== 'object' || node === null) return;
    const fields =
      'properties' in node && typeof node.properties === 'object' ? Object.entries(node.properties ?? {}) : [];
    for (const [name, value] of fields) if (!('description' in value)) bare.push(`${path}.${name}`);
    for (const [name, value] of Object.entries(node)) visit(value, `${path}.${name}`);
  };
  for (const [name, schema] of Object.entries(editorSchemas())) visit(schema, name);
  expect(bare).toEqual([]);
});
