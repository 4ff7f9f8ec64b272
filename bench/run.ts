/**
 * `npm run bench [-- <table> ...]`: prints every table, or those named. Nothing passes or fails here: a number says what this
 * machine did, and docs/measures.md keeps the ones worth comparing with.
 */
import { overhead } from './overhead.ts';
import { printed, type Table } from './table.ts';

const TABLES: ReadonlyMap<string, () => Promise<Table>> = new Map([['overhead', overhead]]);

const named = process.argv.slice(2);
const unknown = named.filter((name) => !TABLES.has(name));
if (unknown.length > 0) {
  process.stderr.write(`no such table: ${unknown.join(', ')}; there are ${[...TABLES.keys()].join(', ')}\n`);
  process.exit(2);
}
for (const [name, measure] of TABLES) {
  if (named.length === 0 || named.includes(name)) process.stdout.write(printed(await measure()));
}
