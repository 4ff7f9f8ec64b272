/** Writes the page of one site, in its language. */
import path from 'node:path';
import { writePage } from './page.mjs';

const { RENGA_OPERATION, RENGA_VERSION, RENGA_ARTIFACT_NAME, TARGET, LANGUAGE, WELCOME } = process.env;

if (RENGA_OPERATION === 'plan') console.log(`would write the page of ${RENGA_ARTIFACT_NAME}`);
else await writePage(path.join(TARGET, 'index.html'), LANGUAGE, `${WELCOME} ${RENGA_VERSION}`, `  <h1>${WELCOME}</h1>`);
