/** Writes down what it was told to say, after what it heard. */
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';

const { RENGA_OPERATION, RENGA_ARTIFACT_NAME, RENGA_OUTPUT, HEARD, SAY } = process.env;

if (RENGA_OPERATION === 'plan') {
  console.log(`would say: ${SAY}`);
} else {
  const file = `deployed/${RENGA_ARTIFACT_NAME}.txt`;
  mkdirSync('deployed', { recursive: true });
  writeFileSync(`${file}.draft`, HEARD === undefined ? `${SAY}\n` : `${HEARD}\n${SAY}\n`);
  renameSync(`${file}.draft`, file);
  appendFileSync(RENGA_OUTPUT, `text=${SAY}\n`);
}
