/** An embedded engine to measure: with its storage in memory or on disk, driven by the machine's clock or a virtual one. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { owner } from '../core/access/actor.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import { type Clock, systemClock, VirtualClock } from '../local/clock.ts';
import { type EmbeddedDynamoDb, openDynamoDb } from '../local/dynamodb/dynamodb.ts';
import { type Engine, type EngineOptions, startEngine } from '../local/engine.ts';
import { SimulatedWorld, simulatedPlugin } from '../local/simulated-plugin.ts';
import { diskJournal, memoryJournal } from '../local/stepfunctions/index.ts';
import { submitRelease } from '../orchestration/submit-release.ts';

export type Where = 'memory' | 'disk';

export interface Embedded {
  readonly engine: Engine;
  readonly dynamodb: EmbeddedDynamoDb;
  readonly clock: Clock;
  end(): Promise<void>;
}

export async function embedded(
  where: Where,
  clock: Clock = systemClock,
  around?: EngineOptions['around'],
): Promise<Embedded> {
  const folder = where === 'disk' ? await mkdtemp(join(tmpdir(), 'renga-bench-')) : undefined;
  const dynamodb = await openDynamoDb(folder === undefined ? {} : { path: join(folder, 'table') });
  const journal = folder === undefined ? memoryJournal() : await diskJournal(join(folder, 'journal'));
  const world = new SimulatedWorld();
  const engine = await startEngine({
    storage: { dynamodb, journal },
    clock,
    plugins: (host) => [simulatedPlugin(world, clock, host)],
    ...(around !== undefined && { around }),
  });
  return {
    engine,
    dynamodb,
    clock,
    async end() {
      await engine.close();
      await dynamodb.close();
      if (folder !== undefined) await rm(folder, { recursive: true });
    },
  };
}

/** Submits a release and waits until it has succeeded and everyone was told; throws when it ends otherwise. */
export async function run({ engine, clock }: Embedded, release: ReleaseDocument): Promise<void> {
  await submitRelease(engine.ports, release, owner('bench'));
  for (;;) {
    await engine.activity.idle();
    const row = await engine.ports.store.releases.read(release.id);
    const status = row?.release.status;
    if (status?.state === 'SUCCESS') return;
    if (status?.state !== 'PENDING')
      throw new Error(`${release.id} ended ${status?.state}: ${status?.failure?.message}`);
    if (clock instanceof VirtualClock) clock.step();
    else await setTimeout(1);
  }
}
