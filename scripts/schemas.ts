/** Writes the JSON Schemas of documents, for editors, and of events to schemas/; run by `npm run schemas` when one changes. */
import { mkdir, writeFile } from 'node:fs/promises';
import { eventSchemas } from '../bus/event-schemas.ts';
import { editorSchemas } from '../core/documents/editor-schemas.ts';

const folder = new URL('../schemas/', import.meta.url);
await mkdir(folder, { recursive: true });
for (const [name, schema] of Object.entries({ ...editorSchemas(), ...eventSchemas() })) {
  await writeFile(new URL(name, folder), `${JSON.stringify(schema, undefined, 2)}\n`);
}
