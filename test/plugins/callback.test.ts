/** Jobs that another pipeline carries out, through the engine. */
import { describe, expect, test } from 'vitest';
import { answerCallback, heartbeat } from '../../orchestration/answer-callback.ts';
import { Scenario } from '../scenarios/harness.ts';
import { deploy } from '../scenarios/sketch.ts';

const asking = (id: string, params: object = {}, more: object = {}) =>
  deploy(id, { ...more, document: { deploy: { plugin: 'callback' } }, params: { PIPELINE: 'ci', ...params } });

function tokens(scenario: Scenario): string[] {
  return scenario.published('Callback Requested').map(({ event }) => (event.detail as { token: string }).token);
}
const answer = (scenario: Scenario, token: string, status: 'success' | 'error' = 'success', outputs = {}) =>
  scenario.act(() => answerCallback(scenario.ports, token, { status, outputs }));
const state = async (scenario: Scenario, id = 'd') => (await scenario.deployed(id)).status.state;

async function asked(document = asking('d')): Promise<{ scenario: Scenario; token: string }> {
  const scenario = await Scenario.open();
  await scenario.deploy(document);
  await scenario.to(1_000);
  const [token = ''] = tokens(scenario);
  return { scenario, token };
}

describe('the plugin callback', () => {
  test('asks by an event, and takes the answer with its outputs', async () => {
    const { scenario, token } = await asked(
      asking('d', { SIZE: '3' }, { exports: { url: { from: 'deploy.url', pattern: 'https://.*' } } }),
    );
    const [{ event } = {}] = scenario.published('Callback Requested');
    expect(event?.detail).toMatchObject({
      pipeline: 'ci',
      operation: 'deploy',
      deploy: { id: 'd', application: 'd', environment: 'prod' },
      params: { SIZE: '3' },
    });
    await scenario.to(60_000);
    expect(await state(scenario)).toBe('RUNNING');
    await answer(scenario, token, 'success', { url: 'https://x', secret: 's3cr3t' });
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario)).toBe('SUCCESS');
    expect(await scenario.store.deploys.exportsOf('d')).toMatchObject({ url: { value: 'https://x' } });
    expect(await scenario.everything()).not.toContain('s3cr3t');
  });

  test('takes an answer by an event as well', async () => {
    const { scenario, token } = await asked();
    await scenario.event({ token, status: 'error', message: 'no' }, 'Callback Answered', { source: 'ci' });
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({ state: 'ERROR', failure: { message: 'no' } });
  });

  test('keeps no token, and gives each job another', async () => {
    const { scenario, token } = await asked();
    await scenario.deploy(asking('e'));
    await scenario.to(2_000);
    const [, other = ''] = tokens(scenario);
    expect(other).not.toBe(token);
    expect(await scenario.everything()).not.toContain(token.split('.')[1]);
  });

  test.each([
    ['a forged one', (token: string) => `${token.slice(0, -3)}AAA`],
    ['another job’s with this one’s secret', (token: string) => `${'0'.repeat(32)}.${token.split('.')[1]}`],
    ['one that is no token', () => 'token'],
    ['an empty one', () => ''],
  ])('takes no answer with %s', async (_, forge) => {
    const { scenario, token } = await asked();
    await expect(answer(scenario, forge(token))).rejects.toMatchObject({ code: 'unknown-token' });
    await scenario.to(60_000);
    expect(await state(scenario)).toBe('RUNNING');
  });

  test('takes one answer', async () => {
    const { scenario, token } = await asked();
    await answer(scenario, token);
    await expect(answer(scenario, token, 'error')).rejects.toMatchObject({ code: 'conflict' });
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario)).toBe('SUCCESS');
  });

  test('fails when nothing is heard for as long as it was told', async () => {
    const { scenario, token } = await asked(asking('d', { HEARTBEAT: '60' }));
    for (let minute = 1; minute < 5; minute++) {
      await scenario.to(minute * 50_000);
      await scenario.act(() => heartbeat(scenario.ports, token));
    }
    expect(await state(scenario)).toBe('RUNNING');
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'ERROR',
      failure: { message: expect.stringContaining('heartbeat-missed') },
    });
    await expect(scenario.act(() => heartbeat(scenario.ports, token))).rejects.toMatchObject({ code: 'conflict' });
  });

  test('tells what was current before, and asks for a rollback like for a deploy', async () => {
    const { scenario, token } = await asked(asking('one', {}, { application: 'd' }));
    await answer(scenario, token);
    await scenario.until(() => scenario.isEnded('one'));
    await scenario.deploy(asking('two', {}, { application: 'd', automatic: true }));
    await scenario.to(scenario.now() + 1_000);
    const [, second = ''] = tokens(scenario);
    await answer(scenario, second, 'error');
    await scenario.to(scenario.now() + 1_000);
    const requests = scenario.published('Callback Requested').map(({ event }) => event.detail);
    expect(requests[0]).not.toHaveProperty('previous');
    expect(requests.slice(1)).toMatchObject([
      { operation: 'deploy', previous: { deploy: 'one', revision: 1 } },
      { operation: 'rollback', previous: { deploy: 'one', revision: 1 } },
    ]);
    expect(new Set(requests.map((request) => (request as { job: string }).job)).size).toBe(3);
    await answer(scenario, tokens(scenario)[2] ?? '');
    await scenario.until(() => scenario.isEnded('two'));
    expect((await scenario.deployed('two')).status).toMatchObject({ state: 'ERROR', rolledBack: true });
  });

  test('tells the other pipeline when its job is cancelled', async () => {
    const { scenario, token } = await asked();
    await scenario.cancelDeploy('d');
    await scenario.to(2_000);
    expect(await state(scenario)).toBe('CANCELLED');
    expect(scenario.published('Callback Cancelled')).toHaveLength(1);
    await expect(answer(scenario, token)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('asks again under a new token when it was cut off before it had asked', async () => {
    for (let call = 1; call < 60; call++) {
      const scenario = await Scenario.open();
      let died = false;
      scenario.prepare = (life) => {
        if (!died) life.dieAt(call, () => (died = true));
      };
      scenario.prepare(scenario.life);
      await Promise.race([scenario.deploy(asking('d')).catch(() => {}), scenario.life.died]);
      if (!scenario.isUp) await scenario.start();
      if ((await scenario.store.deploys.read('d')) === undefined) await scenario.deploy(asking('d'));
      const seen = new Set<string>();
      await scenario.until(() => {
        for (const token of scenario.isUp ? tokens(scenario) : []) seen.add(token);
        return seen.size > 0;
      });
      await scenario.to(scenario.now() + 30_000);
      for (const token of scenario.isUp ? tokens(scenario) : []) seen.add(token);
      const answers = await Promise.allSettled([...seen].map((token) => answer(scenario, token)));
      expect(
        answers.filter(({ status }) => status === 'fulfilled'),
        `killed at call ${call}`,
      ).toHaveLength(1);
      await scenario.until(() => scenario.isEnded('d'));
      expect(await state(scenario)).toBe('SUCCESS');
      scenario.kill();
      if (!died) break;
    }
  });

  test('takes neither an answer nor a heartbeat once it was not heard of in time', async () => {
    const { scenario, token } = await asked(asking('d', { HEARTBEAT: '60' }));
    // The sweep has not looked since: it is over all the same.
    let answered: Promise<unknown> | undefined;
    scenario.at(62_000, async () => {
      answered = scenario.act(() => heartbeat(scenario.ports, token)).catch((error) => error);
    });
    await scenario.to(62_000);
    expect(await answered).toMatchObject({ code: 'conflict' });
    await expect(answer(scenario, token)).rejects.toMatchObject({ code: 'conflict' });
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'ERROR',
      failure: { message: expect.stringContaining('heartbeat-missed') },
    });
  });

  test('is answered once by an event that is delivered again and again', async () => {
    const { scenario, token } = await asked();
    await scenario.event({ token, status: 'success' }, 'Callback Answered', { source: 'ci', times: 1 });
    await scenario.until(() => scenario.isEnded('d'));
    const twice = { token: 'nothing', status: 'success' };
    await scenario.event(twice, 'Callback Answered', { source: 'ci', times: 2 });
    await scenario.event(twice, 'Callback Answered', { source: 'ci', times: 2 });
    await scenario.to(scenario.now() + 1_000);
    expect((await scenario.inbox()).map(({ outcome, reason }) => `${outcome} ${reason ?? ''}`.trim()).sort()).toEqual([
      'accepted',
      'refused unknown-token: no job waits for this token',
    ]);
    expect(await scenario.everything()).not.toContain(token.split('.')[1]);
  });

  test('keeps no outputs of an answer that nobody waits for any more', async () => {
    const { scenario, token } = await asked();
    await scenario.stopDeployExecution('d');
    await scenario.until(() => scenario.isEnded('d'));
    await answer(scenario, token, 'success', { secret: 's3cr3t' }).catch(() => {});
    expect(await scenario.everything()).not.toContain('s3cr3t');
  });

  test('does not ask for more than an event can say', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`P${n}`, 'x'.repeat(10_000)]));
    const scenario = await Scenario.open();
    await scenario.deploy(asking('d', many));
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario)).toBe('ERROR');
    expect(scenario.published('Callback Requested')).toEqual([]);
    expect(JSON.stringify((await scenario.deployed('d')).status)).toContain('an event takes 256000');
  });

  test.each([
    ['nobody to ask', { PIPELINE: '' }],
    ['a heartbeat that is no number', { HEARTBEAT: 'often' }],
    ['a heartbeat of nothing', { HEARTBEAT: '0' }],
  ])('is refused with %s', async (_, params) => {
    const scenario = await Scenario.open();
    await expect(scenario.deploy(asking('d', params))).rejects.toMatchObject({
      details: { problems: [expect.objectContaining({ code: 'plugin-params' })] },
    });
  });
});
