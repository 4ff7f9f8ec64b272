/** The largest release that Step Functions takes and carries to its end, by computation. */
import type { OnFailure, Start } from '../core/documents/release.ts';
import { planRelease } from '../core/plan/plan.ts';
import { AWS_LIMITS, compile } from '../statemachines/compile.ts';
import { FUNCTION_NAMES, type FunctionArns } from '../statemachines/functions.ts';
import { layered, type Node, releaseOf } from './shapes.ts';
import type { Table } from './table.ts';

/** ARNs as long as those in an account: a region of ten characters, a prefix, and the alias that definitions call. */
const ARNS = Object.fromEntries(
  FUNCTION_NAMES.map((name) => [name, `arn:aws:lambda:eu-south-1:000000000000:function:renga-${name}:live`]),
) as FunctionArns;
const NAME_LENGTHS = [13, 30, 63];
const WIDTH = 20;

export async function largest(): Promise<Table> {
  const rows: (string | number)[][] = [];
  for (const onFailure of ['stop', 'continue', 'rollback'] as const) {
    for (const start of ['layers', 'eager'] as const) {
      for (const length of NAME_LENGTHS) rows.push([onFailure, start, length, ...boundary(onFailure, start, length)]);
    }
  }
  return {
    title: 'The largest release inside the limits of Step Functions',
    about: [
      `Deploys that one state machine holds: a definition of at most ${AWS_LIMITS.definitionBytes.toLocaleString('en-US')} bytes, and at most ${AWS_LIMITS.historyEvents.toLocaleString('en-US')} history events in the`,
      `worst case, by computation; layers of ${WIDTH}, names of one length. Bytes and events are those of that largest release.`,
    ],
    columns: ['onFailure', 'start', 'name length', 'deploys', 'bytes', 'events', 'what ends it'],
    rows,
  };
}

function boundary(onFailure: OnFailure, start: Start, length: number): (string | number)[] {
  const sizeOf = (deploys: number) => {
    const release = releaseOf(named(layered(deploys, WIDTH), length), { id: 'largest', onFailure, start });
    const { bytes, historyEvents } = compile(planRelease(release), onFailure, ARNS);
    return { bytes, events: historyEvents.most };
  };
  const fits = ({ bytes, events }: ReturnType<typeof sizeOf>) =>
    bytes <= AWS_LIMITS.definitionBytes && events <= AWS_LIMITS.historyEvents;
  let [holds, breaks] = [1, 2];
  while (fits(sizeOf(breaks))) [holds, breaks] = [breaks, breaks * 2];
  while (breaks - holds > 1) {
    const middle = (holds + breaks) >> 1;
    if (fits(sizeOf(middle))) holds = middle;
    else breaks = middle;
  }
  const most = sizeOf(holds);
  const ends = sizeOf(breaks).bytes > AWS_LIMITS.definitionBytes ? 'definition' : 'history';
  return [holds, most.bytes, most.events, ends];
}

function named(nodes: readonly Node[], length: number): Node[] {
  const longer = (name: string) => name.padEnd(length, 'x');
  return nodes.map((node) => ({ ...node, name: longer(node.name), after: node.after.map(longer) }));
}
