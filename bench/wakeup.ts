/** How soon a deploy starts once the last deploy that it waits for has succeeded. */
import type { Start } from '../core/documents/release.ts';
import { embedded, run, type Where } from './embedded.ts';
import { chain, releaseOf } from './shapes.ts';
import type { Table } from './table.ts';
import { median, quantile } from './timing.ts';

const HOPS = 50;

export async function wakeup(): Promise<Table> {
  const rows: (string | number)[][] = [];
  for (const where of ['memory', 'disk'] as const) {
    for (const start of ['eager', 'layers'] as const) {
      const waits = await latencies(where, start);
      rows.push([`${where}, ${start}`, waits.length, median(waits), quantile(waits, 0.95), Math.max(...waits)]);
    }
  }
  return {
    title: 'Wake-up latency',
    about: [
      'Milliseconds from the success of a deploy, as its record tells it, to the start of the one that waits for it alone, in a chain of',
      `${HOPS + 1} deploys that do nothing, after a first chain that is not counted. The clock of the records counts whole milliseconds.`,
      "eager: by the event of the success, or sooner; layers: by the release's machine, which enters the next layer.",
    ],
    columns: ['what', 'wake-ups', 'median ms', '95 % ms', 'worst ms'],
    rows,
  };
}

async function latencies(where: Where, start: Start): Promise<number[]> {
  const one = await embedded(where);
  const nodes = chain(HOPS + 1);
  await run(one, releaseOf(nodes, { id: 'warm', start }));
  await run(one, releaseOf(nodes, { id: 'woken', start }));
  const rows = await one.engine.ports.store.deploys.readMany(nodes.map(({ name }) => `woken.${name}`));
  const statuses = nodes.flatMap(({ name }) => rows.get(`woken.${name}`)?.deploy.status ?? []);
  await one.end();
  return statuses.slice(1).map((status, at) => {
    const before = statuses[at];
    if (status.state !== 'SUCCESS' || status.startedAt === undefined || before?.state !== 'SUCCESS') {
      throw new Error('a deploy of the chain has not succeeded');
    }
    return status.startedAt - before.endedAt;
  });
}
