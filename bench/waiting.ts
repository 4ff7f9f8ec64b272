/** Many who wait at once, many who submit at once, many who race for one slot: what it costs, and that it is right. */
import { owner } from '../core/access/actor.ts';
import { DeployDocument } from '../core/documents/deploy.ts';
import { EnvironmentDocument } from '../core/documents/environment.ts';
import { VirtualClock } from '../local/clock.ts';
import { applySetting } from '../orchestration/apply-setting.ts';
import { concludeExternal, startExternal } from '../orchestration/external.ts';
import { submitDeploy } from '../orchestration/submit-deploy.ts';
import { submitRelease } from '../orchestration/submit-release.ts';
import { keys } from '../store/schema.ts';
import { type Embedded, embedded } from './embedded.ts';
import { chain, releaseOf } from './shapes.ts';
import type { Table } from './table.ts';

const WAITERS = 1_000;
const DEPENDENCIES = 50;
const EACH = 20;
const SUBMISSIONS = 200;
const RACES = 500;

const BENCH = owner('bench');
const CI = { actor: BENCH, owner: 'bench' };

export async function waiting(): Promise<Table> {
  return {
    title: 'Waiting, submitting and racing at once',
    about: [
      `${WAITERS} single deploys, each waiting for ${EACH} of ${DEPENDENCIES} deploys of another pipeline, which then all succeed: request units of`,
      'the table and its calls for each wake-up, from the first conclusion until the last deploy has started, and the wall time of that.',
      `${SUBMISSIONS} submissions of one release in the same moment. ${RACES} times two deploys for the one slot of an environment.`,
      'Everything in memory on a virtual clock. `wrong`: woken twice or not at all, more than one release, two in one slot.',
    ],
    columns: ['what', 'count', 'wrong', 'wall ms', 'table calls', 'read units', 'write units'],
    rows: [await woken(), await submitted(), await raced()],
  };
}

function document(id: string, more: Record<string, unknown> = {}): DeployDocument {
  return DeployDocument.parse({
    apiVersion: 'renga/v1',
    id,
    application: id,
    environment: 'prod',
    artifact: { type: 'application', name: id, version: '1' },
    deploy: { plugin: 'simulated', params: { SECONDS: 1 } },
    ...more,
  });
}

async function measured(
  one: Embedded,
  what: string,
  count: number,
  act: () => Promise<void>,
  wrong: () => Promise<number>,
): Promise<(string | number)[]> {
  one.dynamodb.counters.reset();
  const began = performance.now();
  await one.engine.activity.run(act);
  await one.engine.activity.idle();
  const wall = performance.now() - began;
  const { calls, readUnits, writeUnits } = one.dynamodb.counters.total();
  const each = (total: number) => Math.round((total / count) * 100) / 100;
  const row = [what, count, await wrong(), Math.round(wall), each(calls), each(readUnits), each(writeUnits)];
  await one.end();
  return row;
}

async function woken(): Promise<(string | number)[]> {
  const one = await embedded('memory', new VirtualClock(Date.UTC(2026, 0, 1)));
  const { ports, activity } = one.engine;
  const dependencies = Array.from({ length: DEPENDENCIES }, (_, index) => `ci:${index}`);
  await activity.run(async () => {
    for (const id of dependencies) {
      await startExternal(ports, { id, pipeline: 'ci', application: 'ci', environment: 'prod' }, CI);
    }
  });
  const waiters = Array.from({ length: WAITERS }, (_, index) => `w${index}`);
  for (const [index, id] of waiters.entries()) {
    const after = Array.from({ length: EACH }, (_, at) => dependencies[(index * 7 + at) % DEPENDENCIES]);
    await activity.run(() => submitDeploy(ports, document(id, { after }), BENCH, () => id));
  }
  await activity.idle();
  const conclude = async () => {
    await Promise.all(dependencies.map((id) => concludeExternal(ports, { id, state: 'SUCCESS' }, CI)));
  };
  return measured(one, `woken by ${DEPENDENCIES} conclusions`, WAITERS, conclude, async () => {
    let wrong = 0;
    for (const id of waiters) {
      const actions = (await ports.store.audit.of(keys.deploy(id))).map(({ action }) => action);
      const finished = actions.filter((action) => action === 'after.finish').length;
      if (finished !== 1 || !actions.includes('deploy.started')) wrong++;
    }
    return wrong;
  });
}

async function submitted(): Promise<(string | number)[]> {
  const one = await embedded('memory', new VirtualClock(Date.UTC(2026, 0, 1)));
  const { ports } = one.engine;
  const release = releaseOf(chain(1), { id: 'same', start: 'layers' });
  const outcomes: boolean[] = [];
  const submit = async () => {
    const all = await Promise.all(Array.from({ length: SUBMISSIONS }, () => submitRelease(ports, release, BENCH)));
    outcomes.push(...all.map(({ accepted }) => accepted));
  };
  return measured(one, 'submissions of one id', SUBMISSIONS, submit, async () => {
    const executions = one.engine.stepFunctions.counters.executions;
    return outcomes.filter((accepted) => accepted).length - 1 + Math.max(0, executions - 2);
  });
}

async function raced(): Promise<(string | number)[]> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const one = await embedded('memory', clock);
  const { ports, activity } = one.engine;
  const prod = EnvironmentDocument.parse({ apiVersion: 'renga/v1', kind: 'Environment', name: 'prod', concurrency: 1 });
  await activity.run(() => applySetting(ports, prod, BENCH));
  let both = 0;
  const race = async () => {
    for (let index = 0; index < RACES; index++) {
      const ids = [`a${index}`, `b${index}`];
      await Promise.all(ids.map((id) => submitDeploy(ports, document(id), BENCH, () => id)));
      for (;;) {
        await activity.idle();
        const rows = await ports.store.deploys.readMany(ids);
        const states = ids.map((id) => rows.get(id)?.deploy.status.state);
        if (states.every((state) => state === 'RUNNING')) both++;
        if (states.every((state) => state === 'SUCCESS')) break;
        clock.step();
      }
    }
  };
  return measuredApart(one, race, () => both);
}

/** The race drives the clock itself, so nothing may count it as under way. */
async function measuredApart(
  one: Embedded,
  act: () => Promise<void>,
  wrong: () => number,
): Promise<(string | number)[]> {
  one.dynamodb.counters.reset();
  const began = performance.now();
  await act();
  const wall = performance.now() - began;
  const { calls, readUnits, writeUnits } = one.dynamodb.counters.total();
  const each = (total: number) => Math.round((total / (2 * RACES)) * 100) / 100;
  await one.end();
  return ['races for one slot', RACES, wrong(), Math.round(wall), each(calls), each(readUnits), each(writeUnits)];
}
