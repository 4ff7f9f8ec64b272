/** What a deploy that does nothing costs on the embedded engine: in a chain (a hop after another) and in one wide layer. */

import { embedded, run, type Where } from './embedded.ts';
import { chain, releaseOf, wide } from './shapes.ts';
import type { Table } from './table.ts';
import { medianOf, type Timing, timed } from './timing.ts';

const CHAIN = 30;
const WIDE = 100;
const RUNS = 5;

/** Milliseconds a step that does nothing, recorded with fsync on two cores; measured elsewhere, not here. */
const PEERS = [
  { who: 'Restate', chain: '1.1', wide: '0.25' },
  { who: 'DBOS on PostgreSQL', chain: '1.2 to 1.7', wide: '0.7' },
  { who: 'plain Node', chain: '0.2', wide: '0.06' },
] as const;

export async function overhead(): Promise<Table> {
  const rows: (string | number)[][] = [];
  for (const where of ['memory', 'disk'] as const) {
    const { chained, hopped, spread } = await perDeploy(where);
    rows.push([`embedded, ${where}: chain, layers`, 'ms a deploy', chained.wall, chained.cpu]);
    rows.push([`embedded, ${where}: chain, eager`, 'ms a deploy', hopped.wall, hopped.cpu]);
    rows.push([`embedded, ${where}: wide layer`, 'ms a deploy', spread.wall, spread.cpu]);
  }
  for (const { who, chain: chained, wide: spread } of PEERS) {
    rows.push([`${who}: chain`, 'ms a step', chained, '']);
    rows.push([`${who}: wide`, 'ms a step', spread, '']);
  }
  return {
    title: 'Overhead of a deploy that does nothing',
    about: [
      `From the submission of a release until it has succeeded and everyone was told, divided by its deploys: a chain of ${CHAIN},`,
      `and one layer of ${WIDE}. Median of ${RUNS} runs after a first one that is not counted. CPU is all threads of the process.`,
      'On disk, the journal of the state machines is forced to the disk (`fdatasync`) before anything leaves; the table is written without.',
      "The peers' figures are theirs for one step, measured elsewhere on two cores (durable execution with fsync); a deploy is about ten such steps.",
    ],
    columns: ['what', 'unit', 'wall', 'CPU'],
    rows,
  };
}

async function perDeploy(where: Where): Promise<{ chained: Timing; hopped: Timing; spread: Timing }> {
  const one = await embedded(where);
  const measure = async (name: string, nodes: ReturnType<typeof chain>, start: 'layers' | 'eager') => {
    const release = (at: number) => releaseOf(nodes, { id: `${name}-${at}`, start });
    await run(one, release(RUNS));
    const { wall, cpu } = await medianOf(RUNS, (at) => timed(() => run(one, release(at))));
    return { wall: wall / nodes.length, cpu: cpu / nodes.length };
  };
  const result = {
    chained: await measure('chain', chain(CHAIN), 'layers'),
    hopped: await measure('hops', chain(CHAIN), 'eager'),
    spread: await measure('wide', wide(WIDE), 'layers'),
  };
  await one.end();
  return result;
}
