import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Writes a page so that it is the old one or the new one at every instant. */
export async function writePage(file, language, title, body) {
  const page = `<!doctype html>
<html lang="${language}">
  <meta charset="utf-8">
  <title>${title}</title>
${body}
</html>
`;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.draft`, page);
  await rename(`${file}.draft`, file);
  console.log(`wrote ${file}`);
}
