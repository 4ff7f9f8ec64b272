/** How long releases of random shape take, over the chain of deploys that no parallelism can shorten. */
import type { Start } from '../core/documents/release.ts';
import { planRelease } from '../core/plan/plan.ts';
import { criticalPath } from '../core/plan/schedule.ts';
import { type Clock, systemClock, VirtualClock } from '../local/clock.ts';
import { type Embedded, embedded, run } from './embedded.ts';
import { type Node, random, releaseOf } from './shapes.ts';
import type { Table } from './table.ts';
import { median } from './timing.ts';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const DEPLOYS = 40;
const REAL_DEPLOYS = 15;
/** Real durations are this part of the virtual ones: the critical path then takes a few seconds. */
const REAL_SCALE = 1 / 200;

export async function makespan(): Promise<Table> {
  const rows: (string | number)[][] = [];
  for (const start of ['layers', 'eager'] as const) {
    const ratios: number[] = [];
    for (const seed of SEEDS) {
      const clock = new VirtualClock(Date.UTC(2026, 0, 1));
      const { took, path } = await measured(clock, random(DEPLOYS, seed), start);
      ratios.push(took / path.ms);
    }
    rows.push([`virtual, ${DEPLOYS} deploys, ${start}`, SEEDS.length, median(ratios), Math.max(...ratios), '', '']);
  }
  for (const start of ['layers', 'eager'] as const) {
    const nodes = random(REAL_DEPLOYS, 3).map((node) => ({ ...node, seconds: (node.seconds ?? 0) * REAL_SCALE }));
    const { took, path } = await measured(systemClock, nodes, start);
    const ratio = took / path.ms;
    rows.push([`real, ${REAL_DEPLOYS} deploys, ${start}`, 1, ratio, ratio, path.ms, (took - path.ms) / path.hops]);
  }
  return {
    title: 'Makespan over critical path',
    about: [
      'From submission to the success of the release, over its critical path (the longest chain of durations). Random graphs, up to three',
      'dependencies a deploy, durations from 1 to 600 s. On the virtual clock renga itself takes no time, so what is left is what the way to',
      `start costs; on the real one (durations × ${REAL_SCALE}, state in memory) the rest is overhead, told per deploy of the critical path.`,
    ],
    columns: ['what', 'graphs', 'median ratio', 'worst ratio', 'critical path ms', 'overhead ms a hop'],
    rows,
  };
}

interface Measured {
  readonly took: number;
  readonly path: { readonly ms: number; readonly hops: number };
}

async function measured(clock: Clock, nodes: readonly Node[], start: Start): Promise<Measured> {
  const one = await embedded('memory', clock);
  const release = releaseOf(nodes, { id: 'timed', start });
  await run(one, release);
  const took = await tookOf(one, release.id);
  await one.end();
  const durations = new Map(nodes.map(({ name, seconds }) => [name, (seconds ?? 0) * 1000]));
  const { length, path } = criticalPath(planRelease(release), durations);
  return { took, path: { ms: length, hops: path.length } };
}

async function tookOf({ engine }: Embedded, id: string): Promise<number> {
  const row = await engine.ports.store.releases.read(id);
  if (row === undefined) throw new Error(`${id} is gone`);
  return row.release.status.since - row.release.identity.createdAt;
}
