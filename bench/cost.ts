/** What AWS would bill for a deploy as its release grows: counted by the embedded engine, on a virtual clock. */
import type { Start } from '../core/documents/release.ts';
import { VirtualClock } from '../local/clock.ts';
import { embedded, run } from './embedded.ts';
import { chain, layered, releaseOf } from './shapes.ts';
import type { Table } from './table.ts';

const SIZES = [10, 50, 100, 250, 500];
const WIDTH = 10;

export async function cost(): Promise<Table> {
  const rows: (string | number)[][] = [];
  for (const size of SIZES) rows.push(await counted(`layers of ${WIDTH}`, layered(size, WIDTH), 'layers'));
  for (const size of SIZES.slice(0, -1))
    rows.push(await counted(`layers of ${WIDTH}, eager`, layered(size, WIDTH), 'eager'));
  rows.push(await counted('chain', chain(100), 'layers'));
  return {
    title: 'Cost of a deploy as its release grows',
    about: [
      'Everything counted from the submission of a release until everyone was told of its success, divided by its deploys, which do nothing',
      'and succeed: state transitions of both machines; functions invoked, by machines and by events; calls of DynamoDB and its request',
      'units on demand (a write counts once for its item and once for every index entry that changes); events put on the bus.',
    ],
    columns: ['shape', 'deploys', 'transitions', 'invocations', 'table calls', 'read units', 'write units', 'events'],
    rows,
  };
}

async function counted(shape: string, nodes: ReturnType<typeof chain>, start: Start): Promise<(string | number)[]> {
  const one = await embedded('memory', new VirtualClock(Date.UTC(2026, 0, 1)));
  const { engine, dynamodb } = one;
  await engine.activity.idle();
  const invoked = () => [...engine.invocations.values()].reduce((sum, calls) => sum + calls, 0);
  const before = { ...engine.stepFunctions.counters, invoked: invoked(), put: engine.events.counters.put };
  dynamodb.counters.reset();
  await run(one, releaseOf(nodes, { id: 'counted', start }));
  const { calls, readUnits, writeUnits } = dynamodb.counters.total();
  const totals = [
    engine.stepFunctions.counters.transitions - before.transitions,
    invoked() - before.invoked,
    calls,
    readUnits,
    writeUnits,
    engine.events.counters.put - before.put,
  ];
  await one.end();
  return [shape, nodes.length, ...totals.map((total) => Math.round((total / nodes.length) * 100) / 100)];
}
