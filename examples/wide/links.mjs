/** Writes the page that links to every site there is, and says how many there are. */
import { appendFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { writePage } from './page.mjs';

const { RENGA_OPERATION, RENGA_OUTPUT, SITES } = process.env;

const sites = await Promise.all(
  (await readdir(SITES, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }) => {
      const page = await readFile(path.join(SITES, name, 'index.html'), 'utf8');
      return { name, welcome: /<h1>(.*)<\/h1>/.exec(page)?.[1] ?? name };
    }),
);
sites.sort((a, b) => (a.name < b.name ? -1 : 1));

if (RENGA_OPERATION === 'plan') {
  console.log(`would link to ${sites.length} sites`);
} else {
  const links = sites.map(({ name, welcome }) => `  <a href="${name}/">${welcome}</a>`).join('\n');
  await writePage(path.join(SITES, 'index.html'), 'en', 'Sites', links);
  await appendFile(RENGA_OUTPUT, `sites=${sites.length}\n`);
}
