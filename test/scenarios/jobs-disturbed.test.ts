/** Deploys of many jobs that are killed, cancelled, or called twice and late: no job is doubled, skipped or left running. */
import { describe, expect, test } from 'vitest';
import { readResult } from '../../orchestration/read-result.ts';
import { runJob } from '../../orchestration/run-job.ts';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy } from './sketch.ts';

const MANY: Behaviour = {
  params: { OUT_vms_1: '["a"]', OUT_vms_2: '["b"]' },
  exports: {
    vms: { from: 'deploy.vms', format: 'targets' },
    url: { from: 'smoke.url', pattern: 'https://x' },
  },
  document: {
    steps: [
      { name: 'warm-up', when: 'before', plugin: 'simulated' },
      { name: 'smoke', plugin: 'simulated', params: { OUT_url: 'https://x' }, outputs: ['url'] },
    ],
    verify: { plugin: 'simulated', interval: '5s', successes: 2, params: { PROBES: 'no,yes' } },
    deploy: { targets: ['h1', 'h2', 'h3'], waves: [{ size: 1 }, { size: 2 }] },
  },
};
const JOBS = [
  'step-warm-up',
  'deploy',
  ...['verify-1-1', 'verify-1-2', 'verify-1-3'],
  'deploy-2',
  ...['verify-2-1', 'verify-2-2', 'verify-2-3'],
  'step-smoke',
];

const jobs = ({ world }: Scenario) => world.started.map(({ idempotencyToken }) => idempotencyToken.replace('d/', ''));

/** Calls of the storage that a deploy makes from its submission on, undisturbed. */
async function callsOf(behaviour: Behaviour): Promise<{ first: number; last: number }> {
  const scenario = await Scenario.open();
  const first = scenario.life.calls + 1;
  await scenario.deploy(deploy('d', behaviour));
  await scenario.until(() => scenario.isEnded('d'));
  return { first, last: scenario.life.calls };
}

/** Every seventh call is in every run of the tests; RENGA_EVERY=1 takes all. */
function calls({ first, last }: { first: number; last: number }): number[] {
  const every = Number(process.env.RENGA_EVERY ?? 7);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at).filter((call) => (call - first) % every === 0);
}

test.each(['die before', 'die after'] as const)(
  'killed at a call (%s), it goes on with the same jobs',
  async (how) => {
    for (const fatal of calls(await callsOf(MANY))) {
      const scenario = await Scenario.open();
      scenario.life.atCall = (call) => (call === fatal ? how : 'go on');
      await Promise.race([scenario.deploy(deploy('d', MANY)).catch(() => {}), scenario.life.died]);
      while (!scenario.isUp) await scenario.start();
      if ((await scenario.store.deploys.read('d')) === undefined) await scenario.deploy(deploy('d', MANY));
      await scenario.until(() => scenario.isEnded('d'));
      const where = `${how} call ${fatal}\n${scenario.story()}`;
      expect(jobs(scenario), where).toEqual(JOBS);
      expect((await scenario.deployed('d')).status.state, where).toBe('SUCCESS');
      expect(await scenario.store.deploys.exportsOf('d'), where).toEqual({
        vms: { format: 'targets', targets: [{ host: 'a' }, { host: 'b' }] },
        url: { format: 'string', value: 'https://x' },
      });
      expect(
        (await scenario.store.deploys.read('d'))?.jobs?.map(({ key }) => key),
        where,
      ).toEqual(['step-warm-up', 'deploy', 'verify-1-3', 'deploy-2', 'verify-2-3']);
      await scenario.until(async () => (await scenario.unfinished()).length === 0);
      expect((await scenario.store.deploys.outputsOf('d')).size, where).toBe(0);
      scenario.kill();
    }
  },
  600_000,
);

test('cancelled at any call, it ends, nothing of it runs on, and nothing begins after its end', async () => {
  const slow = { ...MANY, seconds: 3 };
  const states: string[] = [];
  for (const moment of calls(await callsOf(slow))) {
    const scenario = await Scenario.open();
    let cancelled: Promise<unknown> | undefined;
    scenario.life.atCall = (call) => {
      if (call === moment) {
        scenario.life.atCall = () => 'go on';
        // Refused where it is not there yet, or has succeeded.
        cancelled = Promise.resolve().then(() => scenario.cancelDeploy('d').catch(() => {}));
      }
      return 'go on';
    };
    await scenario.deploy(deploy('d', slow));
    await scenario.until(() => scenario.isEnded('d'));
    await cancelled;
    await scenario.to(scenario.now() + 400_000);
    const where = `cancelled at call ${moment}\n${scenario.story()}`;
    const end = scenario.history.findIndex(
      (entry) => entry.kind === 'head' && entry.id === 'd' && ['SUCCESS', 'CANCELLED', 'ERROR'].includes(entry.state),
    );
    const { state } = (await scenario.deployed('d')).status;
    expect(['SUCCESS', 'CANCELLED'], where).toContain(state);
    const after = scenario.history.slice(end + 1);
    expect(
      after.filter(({ kind }) => kind === 'job-started'),
      where,
    ).toEqual([]);
    for (const [token, { result }] of scenario.world.jobs) expect(result, `${token} runs on; ${where}`).toBeDefined();
    expect(JOBS.slice(0, jobs(scenario).length), where).toEqual(jobs(scenario));
    expect((await scenario.store.deploys.outputsOf('d')).size, where).toBe(0);
    expect(await scenario.executionOf('d'), where).toBe(state === 'SUCCESS' ? 'SUCCEEDED' : 'FAILED');
    states.push(state);
    scenario.kill();
  }
  expect(states.filter((state) => state === 'CANCELLED').length).toBeGreaterThan(states.length / 2);
}, 600_000);

describe('a function that is called again, or late', () => {
  const paused = async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('d', MANY));
    await scenario.until(() => jobs(scenario).at(-1) === 'verify-1-2');
    await scenario.to(scenario.now() + 2_000);
    return scenario;
  };

  test('answers what follows now, with the pause that is left, and changes nothing', async () => {
    const scenario = await paused();
    const before = await scenario.store.deploys.read('d');
    for (const job of ['verify-1-2', 'verify-1-1', 'deploy', undefined]) {
      const answer = await scenario.act(() => readResult(scenario.ports, 'd', job));
      expect(answer).toEqual({ next: 'pause', seconds: 3, job: 'verify-1-3', timeoutSeconds: expect.any(Number) });
    }
    expect(await scenario.store.deploys.read('d')).toEqual(before);
  });

  test('starts nothing, and takes nobody’s token', async () => {
    const scenario = await paused();
    const row = await scenario.store.deploys.read('d');
    for (const job of ['deploy', 'step-warm-up', 'verify-1-2']) {
      await scenario.act(() =>
        runJob(scenario.ports, { id: 'd', operation: 'deploy', job, taskToken: 'of a task that is long over' }),
      );
    }
    expect(await scenario.store.deploys.read('d')).toEqual(row);
    await scenario.until(() => scenario.isEnded('d'));
    expect(jobs(scenario)).toEqual(JOBS);
  });

  test('is told in vain of the end of a job that was read', async () => {
    const scenario = await paused();
    // A new engine hears again of every job that has ever ended.
    await scenario.restart();
    await scenario.until(() => scenario.isEnded('d'));
    expect(jobs(scenario)).toEqual(JOBS);
  });
});

describe('between two jobs', () => {
  test('a cancellation is two decisions in one write', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('d', MANY));
    await scenario.until(() => jobs(scenario).at(-1) === 'verify-1-1');
    await scenario.to(scenario.now() + 2_000);
    const before = scenario.history.filter(({ kind }) => kind === 'head').length;
    await scenario.cancelDeploy('d');
    const heads = scenario.history.filter(({ kind }) => kind === 'head').slice(before);
    expect(heads).toMatchObject([{ state: 'CANCELLED' }]);
    const audit = await scenario.audit('d');
    expect(audit.slice(-2).map(({ action }) => action)).toEqual(['deploy.cancel-requested', 'deploy.cancelled']);
    // The place is free at once, while the machine still sleeps.
    await scenario.deploy(deploy('e', { application: 'd' }));
    await scenario.until(() => scenario.isEnded('e'));
    expect(scenario.now()).toBeLessThan(4_000);
  });

  test('one that is being started when its deploy is cancelled is stopped by whoever started it', async () => {
    const scenario = await Scenario.open();
    const verify = { plugin: 'simulated', interval: '60s', params: { PROBES: 'no', SECONDS: '1' } };
    await scenario.deploy(deploy('d', { document: { verify } }));
    await scenario.to(5_000);
    const plugin = scenario.ports.plugins.get('simulated');
    if (plugin === undefined) throw new Error('there is no plugin');
    const start: typeof plugin.start = async (request) => {
      const started = await plugin.start(request);
      await scenario.cancelDeploy('d');
      return started;
    };
    const ports = { ...scenario.ports, plugins: new Map([['simulated', { ...plugin, start }]]) };
    await scenario.act(() => runJob(ports, { id: 'd', operation: 'deploy', job: 'verify-1-2', taskToken: 'mine' }));
    expect(scenario.now()).toBe(5_000);
    expect(scenario.world.jobs.get('d/verify-1-2')?.result).toMatchObject({ message: 'it was stopped' });
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status.state).toBe('CANCELLED');
    expect(jobs(scenario)).toEqual(['deploy', 'verify-1-1', 'verify-1-2']);
  });
});
