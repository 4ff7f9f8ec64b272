/** Sends what was ordered, version 2. `--check`: can it work with its configuration, and what does it listen to? */
import { readFileSync } from 'node:fs';

const NEEDS_SCHEMA = 2;

const { database } = JSON.parse(readFileSync(new URL('config.json', import.meta.url), 'utf8'));
if (database.schema < NEEDS_SCHEMA) {
  console.error(`worker 2.0.0 needs schema ${NEEDS_SCHEMA}, and ${database.host} has ${database.schema}`);
  process.exit(1);
}
console.log(JSON.stringify({ queue: 'orders-v2' }));
