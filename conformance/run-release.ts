/** Runs a release of deploys that do nothing on an embedded engine of its own, in memory and on a clock that it drives. */
import { owner } from '../core/access/actor.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import { VirtualClock } from '../local/clock.ts';
import { openDynamoDb } from '../local/dynamodb/dynamodb.ts';
import { startEngine } from '../local/engine.ts';
import { SimulatedWorld, simulatedPlugin } from '../local/simulated-plugin.ts';
import { memoryJournal } from '../local/stepfunctions/index.ts';
import { submitRelease } from '../orchestration/submit-release.ts';

const START = Date.UTC(2026, 0, 1);
/** Virtual time after which a release of no-ops is stuck: whatever a sweep mends, it has mended by then. */
const PATIENCE_MS = 60 * 60_000;

/** Answers the release's final state, `SUCCESS` when all is well; throws when it comes to none. */
export async function runRelease(release: ReleaseDocument): Promise<string> {
  const clock = new VirtualClock(START);
  const world = new SimulatedWorld();
  const engine = await startEngine({
    storage: { dynamodb: await openDynamoDb(), journal: memoryJournal() },
    clock,
    plugins: (host) => [simulatedPlugin(world, clock, host)],
  });
  try {
    await submitRelease(engine.ports, withoutWork(release), owner('conformance'));
    for (;;) {
      await engine.activity.idle();
      const state = (await engine.ports.store.releases.read(release.id))?.release.status.state;
      if (state !== undefined && state !== 'PENDING') return state;
      if (clock.now() - START > PATIENCE_MS || !clock.step()) {
        throw new Error(`the release ${release.id} of ${release.deploys.length} deploys never ended`);
      }
    }
  } finally {
    engine.kill();
  }
}

/** Whatever plugin a deploy names, it is carried out by the one that does nothing. */
function withoutWork(release: ReleaseDocument): ReleaseDocument {
  const deploys = release.deploys.map((entry) => ({
    ...entry,
    descriptor: {
      ...entry.descriptor,
      deploy: { ...entry.descriptor.deploy, plugin: 'simulated', params: {} },
    },
  }));
  return { ...release, deploys };
}
