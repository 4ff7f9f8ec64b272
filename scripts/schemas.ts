/** Writes the JSON Schemas for editors to schemas/; run by `npm run schemas` whenever a document's schema changes. */
import { mkdir, writeFile } from 'node:fs/promises';
import { editorSchemas } from '../core/documents/editor-schemas.ts';

const folder = new URL('../schemas/', import.meta.url);
await mkdir(folder, { recursive: true });
for (const [name, schema] of Object.entries(editorSchemas())) {
  await writeFile(new URL(name, folder), `${JSON.stringify(schema, undefined, 2)}\n`);
}
