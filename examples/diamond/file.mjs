import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

if (process.env.RENGA_OPERATION === 'plan') {
  console.log(`would run ${process.env.RENGA_ARTIFACT_NAME}`);
  process.exit(0);
}

/** Writes a file so that it is the old one or the new one at every instant. */
export function write(name, text) {
  mkdirSync('deployed', { recursive: true });
  writeFileSync(`deployed/${name}.draft`, text);
  renameSync(`deployed/${name}.draft`, `deployed/${name}`);
  console.log(`wrote deployed/${name}`);
}

export function read(name) {
  return readFileSync(`deployed/${name}`, 'utf8');
}

export function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}

export function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

export function output(name, value) {
  appendFileSync(process.env.RENGA_OUTPUT, `${name}=${value}\n`);
}
