/** Custom steps, waves, verification and dry runs, through the real machine. */
import { describe, expect, test } from 'vitest';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy } from './sketch.ts';

const FOUR = ['h1', 'h2', 'h3', 'h4'];
const STEPS = [
  { name: 'warm-up', when: 'before', plugin: 'simulated' },
  { name: 'smoke', plugin: 'simulated', params: { OUT_url: 'https://x' }, outputs: ['url'] },
];

async function ended(behaviour: Behaviour, id = 'd') {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy(id, behaviour));
  await scenario.until(() => scenario.isEnded(id));
  return scenario;
}

const jobs = (scenario: Scenario) =>
  scenario.world.started.map(({ idempotencyToken, operation }) => `${idempotencyToken.replace('d/', '')} ${operation}`);
const hosts = (scenario: Scenario) => scenario.world.started.map(({ targets }) => targets.map(({ host }) => host));

describe('custom steps', () => {
  test('run around the deploy step, one after another', async () => {
    const scenario = await ended({ document: { steps: STEPS } });
    expect((await scenario.deployed('d')).status.state).toBe('SUCCESS');
    expect(jobs(scenario)).toEqual(['step-warm-up deploy', 'deploy deploy', 'step-smoke deploy']);
    expect(scenario.world.started.map(({ step }) => step)).toEqual(['warm-up', undefined, 'smoke']);
  });

  test('give exports with the outputs that they declare', async () => {
    const scenario = await ended({
      document: { steps: STEPS },
      exports: { page: { from: 'smoke.url', pattern: 'https://.*' } },
    });
    expect(await scenario.store.deploys.exportsOf('d')).toEqual({ page: { format: 'string', value: 'https://x' } });
  });

  test('that fail fail the deploy, and nothing after them runs', async () => {
    const steps = [{ name: 'warm-up', when: 'before', plugin: 'simulated', params: { OUTCOME: 'error' } }];
    const scenario = await ended({ document: { steps } });
    expect((await scenario.deployed('d')).status).toMatchObject({ state: 'ERROR', failure: { code: 'step-failed' } });
    expect(jobs(scenario)).toEqual(['step-warm-up deploy']);
  });

  test('that fail before anything was deployed leave nothing to undo', async () => {
    const steps = [{ name: 'warm-up', when: 'before', plugin: 'simulated', params: { OUTCOME: 'error' } }];
    const scenario = await ended({ automatic: true, document: { steps } });
    expect((await scenario.deployed('d')).status).toMatchObject({ state: 'ERROR', failure: { code: 'step-failed' } });
    expect((await scenario.deployed('d')).status).not.toHaveProperty('rolledBack');
    expect(jobs(scenario)).toEqual(['step-warm-up deploy']);
  });

  test('have a timeout of their own', async () => {
    const steps = [{ name: 'smoke', plugin: 'simulated', timeout: '30s', params: { SECONDS: 'never' } }];
    const scenario = await ended({ document: { steps } });
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'ERROR',
      failure: { code: 'step-failed', message: 'step "smoke" did not end within 30 s and was stopped' },
    });
    expect(scenario.now()).toBeLessThan(40_000);
  });
});

describe('waves', () => {
  const waves = [{ size: 1 }, { size: '50%' }, { size: '100%' }];

  test('go over the targets in their order, each once', async () => {
    const scenario = await ended({ document: { deploy: { targets: FOUR, waves } } });
    expect((await scenario.deployed('d')).status.state).toBe('SUCCESS');
    expect(hosts(scenario)).toEqual([['h1'], ['h2'], ['h3', 'h4']]);
    expect(scenario.world.started.map(({ wave }) => wave)).toEqual([
      { number: 1, of: 3 },
      { number: 2, of: 3 },
      { number: 3, of: 3 },
    ]);
  });

  test('end at the first that fails; what is undone are the targets of those begun', async () => {
    const scenario = await ended({
      automatic: true,
      params: { OUTCOME_2: 'error' },
      document: { deploy: { targets: FOUR, waves } },
    });
    expect((await scenario.deployed('d')).status).toMatchObject({ state: 'ERROR', rolledBack: true });
    expect(jobs(scenario)).toEqual(['deploy deploy', 'deploy-2 deploy', 'rollback rollback']);
    expect(hosts(scenario)).toEqual([['h1'], ['h2'], ['h1', 'h2']]);
  });

  test('unite the targets that they export, and demand equal texts', async () => {
    const scenario = await ended({
      params: { OUT_vms_1: '["a"]', OUT_vms_2: '["b"]', OUT_vms_3: '["b","c"]', OUT_name: 'same' },
      exports: { vms: { from: 'deploy.vms', format: 'targets' }, name: { from: 'deploy.name', pattern: 'same' } },
      document: { deploy: { targets: FOUR, waves } },
    });
    expect(await scenario.store.deploys.exportsOf('d')).toEqual({
      vms: { format: 'targets', targets: [{ host: 'a' }, { host: 'b' }, { host: 'c' }] },
      name: { format: 'string', value: 'same' },
    });
    const differs = await ended({
      params: { OUT_name_1: 'one', OUT_name_2: 'two', OUT_name_3: 'one' },
      exports: { name: { from: 'deploy.name', pattern: '.*' } },
      document: { deploy: { targets: FOUR, waves } },
    });
    const { status } = await differs.deployed('d');
    expect(status).toMatchObject({ state: 'ERROR', failure: { code: 'exports-invalid' } });
    expect(JSON.stringify(status)).not.toMatch(/one|two/);
  });

  test('go no further than the one whose export is not valid, and nothing of it is kept (I8)', async () => {
    const scenario = await ended({
      params: { OUT_name_1: 'fine', OUT_name_2: 's3cr3t-Value' },
      exports: { name: { from: 'deploy.name', pattern: '[a-z]+' } },
      document: { deploy: { targets: FOUR, waves } },
    });
    expect(hosts(scenario)).toEqual([['h1'], ['h2']]);
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'ERROR',
      failure: { code: 'exports-invalid', message: expect.stringContaining('in wave 2') },
    });
    const items = await scenario.everything();
    expect(items).not.toContain('s3cr3t-Value');
    expect(items).not.toContain('OUTPUT#');
  });

  test('that are cancelled between two of them end at once, and no further one begins', async () => {
    const scenario = await Scenario.open();
    const verify = { plugin: 'simulated', interval: '60s', params: { PROBES: 'no' } };
    await scenario.deploy(deploy('d', { document: { verify } }));
    await scenario.to(5_000);
    await scenario.cancelDeploy('d');
    await scenario.to(6_000);
    expect((await scenario.deployed('d')).status.state).toBe('CANCELLED');
    await scenario.to(200_000);
    expect(jobs(scenario)).toEqual(['deploy deploy', 'verify-1-1 observe']);
    expect(await scenario.executionOf('d')).toBe('FAILED');
  });
});

describe('verification', () => {
  const verify = (more: object) => ({ plugin: 'simulated', interval: '10s', timeout: '60s', ...more });

  test('looks again and again until it has succeeded often enough in a row', async () => {
    const scenario = await ended({
      document: { verify: verify({ successes: 2, params: { PROBES: 'no,yes,no,yes,yes' } }) },
    });
    expect((await scenario.deployed('d')).status.state).toBe('SUCCESS');
    expect(jobs(scenario)).toHaveLength(6);
    expect(scenario.now()).toBeGreaterThanOrEqual(40_000);
    expect(scenario.now()).toBeLessThan(45_000);
  });

  test('fails the deploy when its time is over', async () => {
    const scenario = await ended({ automatic: true, document: { verify: verify({ params: { PROBES: 'no' } }) } });
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'ERROR',
      rolledBack: true,
      failure: { code: 'verify-failed', message: expect.stringContaining('within 60 s') },
    });
    expect(jobs(scenario).at(-1)).toBe('rollback rollback');
  });

  test('comes after each wave, before the next', async () => {
    const scenario = await ended({
      document: { verify: verify({}), deploy: { targets: FOUR, waves: [{ size: 2 }, { size: 2 }] } },
    });
    expect(jobs(scenario)).toEqual(['deploy deploy', 'verify-1-1 observe', 'deploy-2 deploy', 'verify-2-1 observe']);
    expect(hosts(scenario)[1]).toEqual(['h1', 'h2']);
  });

  test('a probe that hangs is stopped at the end of the time for all of them', async () => {
    const scenario = await ended({ document: { verify: verify({ params: { SECONDS: 'never' } }) } });
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'ERROR',
      failure: {
        code: 'verify-failed',
        message:
          'not verified within 60 s: 0 of 1 successes in a row after 1 probe; probe 1 was still under way then and was stopped',
      },
    });
  });

  test('of as many probes as are allowed stays inside the history that Step Functions keeps', {
    timeout: 120_000,
  }, async () => {
    const scenario = await ended({
      document: { verify: { plugin: 'simulated', interval: '1s', timeout: '1000s', params: { PROBES: 'no' } } },
    });
    const execution = `${scenario.ports.deployMachine.replace(':stateMachine:', ':execution:')}:d`;
    const events = await scenario.historyLength(execution);
    expect(events).toBeGreaterThan(10_000);
    expect(events).toBeLessThan(25_000);
  });
});

describe('a dry run', () => {
  test('only plans: no turn, no steps, no exports, nothing current', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('long', { application: 'a', seconds: 100 }));
    await scenario.deploy(
      deploy('d', {
        application: 'a',
        outputs: { x: '1' },
        exports: { x: { from: 'deploy.x', pattern: '1' } },
        document: { dryRun: true, steps: STEPS, verify: { plugin: 'simulated' } },
      }),
    );
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({ state: 'SUCCESS' });
    expect(scenario.now()).toBeLessThan(50_000);
    expect(jobs(scenario).filter((job) => !job.startsWith('long'))).toEqual(['deploy plan']);
    expect(await scenario.store.deploys.exportsOf('d')).toEqual({});
    expect(await scenario.store.inventory.current({ application: 'a', environment: 'prod' })).toEqual({});
  });

  test('can not be waited for', async () => {
    const scenario = await ended({ document: { dryRun: true } });
    await expect(scenario.deploy(deploy('e', { after: ['d'] }))).rejects.toMatchObject({
      details: { problems: [expect.objectContaining({ code: 'dry-run-dependency' })] },
    });
    expect(await scenario.store.deploys.read('e')).toBeUndefined();
  });
});

test('a deploy killed at any write of its waves, probes and steps repeats no job and skips none', async () => {
  const behaviour: Behaviour = {
    params: { OUT_vms_1: '["a"]', OUT_vms_2: '["b"]' },
    exports: { vms: { from: 'deploy.vms', format: 'targets' } },
    document: {
      steps: STEPS,
      verify: { plugin: 'simulated', interval: '5s', successes: 2 },
      deploy: { targets: FOUR, waves: [{ size: 2 }, { size: 2 }] },
    },
  };
  const undisturbed = await ended(behaviour);
  const expected = jobs(undisturbed);
  for (let call = 1; call < 400; call += 7) {
    const scenario = await Scenario.open();
    let died = false;
    scenario.prepare = (life) => {
      if (!died) life.dieAt(life.calls + call, () => (died = true));
    };
    scenario.prepare(scenario.life);
    await Promise.race([scenario.deploy(deploy('d', behaviour)).catch(() => {}), scenario.life.died]);
    while (!scenario.isUp) await scenario.start();
    if ((await scenario.store.deploys.read('d')) === undefined) await scenario.deploy(deploy('d', behaviour));
    await scenario.until(() => scenario.isEnded('d'));
    expect(jobs(scenario), `killed at call ${call}`).toEqual(expected);
    expect((await scenario.deployed('d')).status.state, `killed at call ${call}`).toBe('SUCCESS');
    expect((await scenario.store.deploys.exportsOf('d')).vms).toMatchObject({
      targets: [{ host: 'a' }, { host: 'b' }],
    });
    expect(await scenario.store.deploys.outputsOf('d')).toEqual(new Map());
    scenario.kill();
    if (!died) break;
  }
});
