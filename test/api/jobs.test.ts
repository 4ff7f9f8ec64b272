/** The jobs of a deploy as people see them, and the log of each. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deploy, openService, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const targets = ['h1', 'h2'];
const MANY = {
  id: 'd',
  steps: [{ name: 'warm-up', when: 'before', plugin: 'simulated' }],
  verify: { plugin: 'simulated', interval: '5s', params: { PROBES: 2 } },
  deploy: { plugin: 'simulated', params: { OUTCOME_2: 'error' }, targets, waves: [{ size: 1 }, { size: 1 }] },
  rollback: { automatic: true },
};
const short = (jobs: readonly { key: string; outcome?: string | undefined }[]) =>
  jobs.map(({ key, outcome = 'runs' }) => `${key} ${outcome}`);

it('are listed in their order, the probes of a wave as one, and each has its log', async () => {
  await service.post('/v1/deploys', deploy('shop', '1', MANY));
  await service.pass(7);
  const pausing = await service.deploy('d');
  expect(short(pausing.jobs)).toEqual(['step-warm-up success', 'deploy success', 'verify-1-2 failed']);
  expect(pausing.jobs[2]).toMatchObject({ kind: 'verify', wave: 1, probe: 2, startedAt: pausing.jobs[1]?.endedAt });
  expect(pausing.step).toMatchObject({ name: 'Pause before the next probe' });
  await service.pass(60);
  const { jobs, state } = await service.deploy('d');
  expect(state).toBe('ERROR');
  expect(short(jobs)).toEqual([
    'step-warm-up success',
    'deploy success',
    'verify-1-3 success',
    'deploy-2 failed',
    'rollback success',
  ]);
  expect(jobs[0]).toMatchObject({ kind: 'step', step: 'warm-up', plugin: 'simulated' });
  expect(jobs[3]).toMatchObject({ kind: 'deploy', wave: 2, message: expect.stringContaining('told to fail') });

  const log = async (query: string) => (await service.get(`/v1/deploys/d/log${query}`)).body;
  expect(await log('')).toMatchObject({ job: 'rollback', text: 'log of d/rollback\n', ended: true });
  expect(await log('?job=deploy-2')).toMatchObject({ job: 'deploy-2', text: 'log of d/deploy-2\n' });
  expect(await log('?job=verify-1')).toMatchObject({ job: 'verify-1-3', text: 'log of d/verify-1-3\n' });
  const missing = await service.get('/v1/deploys/d/log?job=deploy-3');
  expect(missing.status).toBe(404);
  expect(missing.body).toMatchObject({
    detail: expect.stringContaining('no job deploy-3'),
  });
});

it('show what runs, and what was cut off by its time', async () => {
  const steps = [{ name: 'smoke', plugin: 'simulated', timeout: '10s', params: { SECONDS: 'never' } }];
  await service.post('/v1/deploys', deploy('shop', '1', { id: 'd', steps }));
  await service.pass(5);
  const running = await service.deploy('d');
  expect(short(running.jobs)).toEqual(['deploy success', 'step-smoke runs']);
  expect(running.step).toMatchObject({ name: 'Run a custom step' });
  await service.pass(10);
  const { jobs, error } = await service.deploy('d');
  expect(short(jobs)).toEqual(['deploy success', 'step-smoke failed']);
  expect(error?.code).toBe('step-failed');
});

it('of a plain deploy are one', async () => {
  await service.post('/v1/deploys', deploy('shop', '1', { id: 'd' }, { SECONDS: 10 }));
  await service.pass(5);
  expect(short((await service.deploy('d')).jobs)).toEqual(['deploy runs']);
  await service.pass(10);
  expect(short((await service.deploy('d')).jobs)).toEqual(['deploy success']);
});

it('show the wave that runs, and why names the step, the wave and the probe', async () => {
  const { deploy: step, ...rest } = MANY;
  const params = { SECONDS: 20 };
  await service.post('/v1/deploys', deploy('shop', '1', { ...rest, deploy: { ...step, params }, id: 'd' }));
  const waves = async () => (await service.deploy('d')).waves.map(({ state, targets }) => `${state} ${targets}`);
  const why = async () => (await service.why('d')).reasons.map(({ text }) => text).join(' ');
  await service.pass(1);
  expect(await waves()).toEqual(['running 1', 'waiting 1']);
  expect((await service.deploy('d')).targets).toEqual([{ host: 'h1' }, { host: 'h2' }]);
  await service.pass(21);
  expect(await waves()).toEqual(['verifying 1', 'waiting 1']);
  expect(await why()).toMatch(/\(probe \d\)/);
  let seen = '';
  for (let second = 0; second < 30 && !seen.includes('(wave 2)'); second++) {
    await service.pass(1);
    seen = await why();
  }
  expect(seen).toContain('step "Deploy" (wave 2) with the plugin simulated');
  expect(await waves()).toEqual(['success 1', 'running 1']);
  await service.pass(120);
  expect(await waves()).toEqual(['success 1', 'success 1']);
});

it('of a deploy that fails in its second wave say so', async () => {
  await service.post('/v1/deploys', deploy('shop', '1', MANY));
  await service.pass(120);
  expect((await service.deploy('d')).waves.map(({ state }) => state)).toEqual(['success', 'failed']);
});

it('are named by why when a custom step runs', async () => {
  const steps = [{ name: 'warm-up', when: 'before', plugin: 'simulated', params: { SECONDS: 30 } }];
  await service.post('/v1/deploys', deploy('shop', '1', { ...MANY, steps }));
  await service.pass(2);
  expect((await service.why('d')).reasons[0]?.text).toContain('step "Run a custom step" (warm-up)');
  expect((await service.deploy('d')).waves.map(({ state }) => state)).toEqual(['waiting', 'waiting']);
});
