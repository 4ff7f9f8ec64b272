/** What checking, planning and compiling a release costs as it grows, in several shapes. */

import { planRelease } from '../core/plan/plan.ts';
import { graphProblems } from '../core/plan/problems.ts';
import { LOCAL_FUNCTIONS } from '../local/engine.ts';
import { compile } from '../statemachines/compile.ts';
import { chain, layered, type Node, random, releaseOf, wide } from './shapes.ts';
import type { Table } from './table.ts';
import { medianOf, timed } from './timing.ts';

const SIZES = [10, 100, 1_000, 10_000];
const RUNS = 5;
const SHAPES: ReadonlyMap<string, (deploys: number) => Node[]> = new Map([
  ['chain', chain],
  ['wide', wide],
  ['layers of 20', (deploys) => layered(deploys, 20)],
  ['random (seed 1)', (deploys) => random(deploys, 1)],
]);

export async function planning(): Promise<Table> {
  const rows: (string | number)[][] = [];
  for (const [shape, nodesOf] of SHAPES) {
    for (const size of SIZES) {
      const release = releaseOf(nodesOf(size), { id: 'planned', onFailure: 'rollback' });
      const plan = planRelease(release);
      const { bytes } = compile(plan, release.onFailure, LOCAL_FUNCTIONS);
      const cost = async (task: () => unknown) => {
        task();
        return (await medianOf(RUNS, () => timed(task))).wall;
      };
      rows.push([
        shape,
        size,
        // A limit refuses more than 500 deploys; what is measured is the check itself.
        await cost(() => graphProblems(release)),
        await cost(() => planRelease(release)),
        await cost(() => compile(plan, release.onFailure, LOCAL_FUNCTIONS)),
        bytes,
      ]);
    }
  }
  return {
    title: 'Planning and compiling',
    about: [
      `Milliseconds to check the graph of a release that is parsed already, to plan it, and to compile its state machine; median of ${RUNS},`,
      'after one that is not counted. Bytes are those of the definition, with `onFailure: rollback`.',
    ],
    columns: ['shape', 'deploys', 'check ms', 'plan ms', 'compile ms', 'bytes'],
    rows,
  };
}
