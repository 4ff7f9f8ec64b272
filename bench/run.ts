/**
 * `npm run bench [-- <table> ...]`: prints every table, or those named. Nothing passes or fails here: a number says what this
 * machine did, and docs/measures.md keeps the ones worth comparing with.
 */
import { bundles } from './bundles.ts';
import { cost } from './cost.ts';
import { largest } from './largest.ts';
import { makespan } from './makespan.ts';
import { overhead } from './overhead.ts';
import { planning } from './planning.ts';
import { printed, type Table } from './table.ts';
import { waiting } from './waiting.ts';
import { wakeup } from './wakeup.ts';

const TABLES: ReadonlyMap<string, () => Promise<Table>> = new Map([
  ['planning', planning],
  ['largest', largest],
  ['cost', cost],
  ['makespan', makespan],
  ['overhead', overhead],
  ['wakeup', wakeup],
  ['waiting', waiting],
  ['bundles', bundles],
]);

const named = process.argv.slice(2);
const unknown = named.filter((name) => !TABLES.has(name));
if (unknown.length > 0) {
  process.stderr.write(`no such table: ${unknown.join(', ')}; there are ${[...TABLES.keys()].join(', ')}\n`);
  process.exit(2);
}
for (const [name, measure] of TABLES) {
  if (named.length === 0 || named.includes(name)) process.stdout.write(printed(await measure()));
}
