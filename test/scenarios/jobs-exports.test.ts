/** What the jobs of a deploy export: gathered from run to run, and nothing else of it ever written (I8). */
import { describe, expect, test } from 'vitest';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy } from './sketch.ts';

const WAVES = { deploy: { targets: ['h1', 'h2', 'h3'], waves: [{ size: 1 }, { size: 1 }, { size: 1 }] } };
const smoke = (params: object, outputs: string[] = ['url']) => ({
  name: 'smoke',
  plugin: 'simulated',
  params,
  outputs,
});

/** Runs a deploy, and keeps as text whatever was to be written on the way: to the table, histories, and events. */
async function written(behaviour: Behaviour) {
  const scenario = await Scenario.open();
  const texts: string[] = [];
  scenario.life.writes = (what) => texts.push(JSON.stringify(what));
  await scenario.deploy(deploy('d', behaviour));
  await scenario.until(() => scenario.isEnded('d'));
  await scenario.until(async () => (await scenario.unfinished()).length === 0);
  const events = JSON.stringify(scenario.engine.events.events());
  return {
    scenario,
    all: [...texts, events, JSON.stringify(scenario.reported)].join('\n'),
    ...(await scenario.deployed('d')),
  };
}

describe('what was not declared, or is not valid', () => {
  test('is never written: of waves, steps and probes', async () => {
    const { scenario, all, status } = await written({
      params: { OUT_name: 'fine', OUT_token: 'secret-1', OUT_other_2: 'secret-2' },
      exports: { name: { from: 'deploy.name', pattern: 'fine' }, page: { from: 'smoke.url', pattern: 'https://x' } },
      document: {
        ...WAVES,
        steps: [smoke({ OUT_url: 'https://x', OUT_password: 'secret-3' })],
        verify: { plugin: 'simulated', params: { OUT_seen: 'secret-4' } },
      },
    });
    expect(status.state).toBe('SUCCESS');
    expect(Object.keys(await scenario.store.deploys.exportsOf('d'))).toEqual(['name', 'page']);
    expect(all).toContain('https://x');
    expect(all).not.toContain('secret-');
  });

  test.each<[string, Behaviour, string[]]>([
    [
      'in the second of three waves',
      { params: { OUT_name: 'fine', OUT_name_2: 'secret-1' }, document: WAVES },
      ['deploy', 'deploy-2'],
    ],
    [
      'in a step before',
      {
        params: { OUT_name: 'fine' },
        exports: { page: { from: 'smoke.url', pattern: 'https://.*' } },
        document: { steps: [{ ...smoke({ OUT_url: 'secret-2' }), when: 'before' }] },
      },
      ['step-smoke'],
    ],
    [
      'in a step after',
      {
        exports: { page: { from: 'smoke.url', pattern: 'https://.*' } },
        document: { steps: [smoke({ OUT_url: 'secret-3' })] },
      },
      ['deploy', 'step-smoke'],
    ],
    [
      'because waves differ in it',
      { params: { OUT_name_1: 'fine', OUT_name_2: 'other', OUT_name_3: 'fine' }, document: WAVES },
      ['deploy', 'deploy-2'],
    ],
    ['because one wave does not give it', { params: { OUT_name_1: 'fine' }, document: WAVES }, ['deploy', 'deploy-2']],
  ])('ends the deploy where it came: %s', async (_, behaviour, jobs) => {
    const exports = { name: { from: 'deploy.name', pattern: 'fine|other' }, ...behaviour.exports };
    const { scenario, all, status } = await written({ ...behaviour, exports: behaviour.exports ?? exports });
    expect(status).toMatchObject({ state: 'ERROR', failure: { code: 'exports-invalid' } });
    expect(scenario.world.started.map(({ idempotencyToken }) => idempotencyToken)).toEqual(
      jobs.map((job) => `d/${job}`),
    );
    expect(all).not.toMatch(/secret-|"other"/);
    expect(await scenario.store.deploys.exportsOf('d')).toEqual({});
    expect((await scenario.store.deploys.outputsOf('d')).size).toBe(0);
  });

  test('is an output that a custom step does not list, even if an export names it', async () => {
    const { all, status } = await written({
      exports: { page: { from: 'smoke.url', pattern: '.*' } },
      document: { steps: [smoke({ OUT_url: 'secret-5' }, [])] },
    });
    expect(status).toMatchObject({ state: 'ERROR', failure: { code: 'exports-invalid' } });
    expect(all).not.toContain('secret-5');
  });
});

describe('the exports of a rollback', () => {
  const exports = {
    name: { from: 'deploy.name', pattern: '[a-z]+' },
    page: { from: 'smoke.url', pattern: 'https://.*' },
  };
  const first: Behaviour = {
    application: 'a',
    params: { OUT_name: 'old' },
    exports,
    document: { steps: [smoke({ OUT_url: 'https://old' })] },
  };
  const rolledBack = async (before: Behaviour, edit: (outputs: Map<string, unknown>) => void = () => {}) => {
    const scenario = await Scenario.open();
    for (const [id, behaviour] of [
      ['one', before],
      ['two', { ...before, params: { OUT_name: 'new' } }],
    ] as const) {
      await scenario.deploy(deploy(id, { ...behaviour, version: id }));
      await scenario.until(() => scenario.isEnded(id));
    }
    // A plugin need not give again, as it goes back, what it gave then.
    const given = scenario.world.jobs;
    const set = given.set.bind(given);
    given.set = (token, job) => {
      const params = new Map<string, unknown>(Object.entries(job.request.params));
      edit(params);
      return set(token, { ...job, request: { ...job.request, params: Object.fromEntries(params) as never } });
    };
    await scenario.rollBack('two');
    await scenario.until(() => scenario.isEnded('two-back'));
    return { scenario, status: (await scenario.deployed('two-back')).status };
  };

  test('are those that its jobs give', async () => {
    const { scenario, status } = await rolledBack(first, (params) => {
      if (params.has('OUT_name')) params.set('OUT_name', 'again');
    });
    expect(status.state).toBe('SUCCESS');
    expect(await scenario.store.deploys.exportsOf('two-back')).toEqual({
      name: { format: 'string', value: 'again' },
      page: { format: 'string', value: 'https://old' },
    });
    const operations = scenario.world.started
      .slice(-2)
      .map(({ operation, step }) => `${operation} ${step ?? 'deploy'}`);
    expect(operations).toEqual(['rollback deploy', 'rollback smoke']);
  });

  test('which its jobs do not give at all stay what they were when that version came', async () => {
    const { scenario } = await rolledBack(first, (params) => params.clear());
    expect(await scenario.store.deploys.exportsOf('two-back')).toEqual(await scenario.store.deploys.exportsOf('one'));
  });

  test('which its jobs give and are not valid fail it', async () => {
    const { scenario, status } = await rolledBack(first, (params) => {
      if (params.has('OUT_name')) params.set('OUT_name', 'NOT VALID');
    });
    expect(status).toMatchObject({ state: 'ERROR', failure: { code: 'exports-invalid' } });
    expect(await scenario.everything()).not.toContain('NOT VALID');
  });

  test('that only some waves give are not put together with old ones', async () => {
    const { status } = await rolledBack(
      { application: 'a', params: { OUT_name: 'old' }, exports: { name: exports.name }, document: WAVES },
      (params) => {
        params.delete('OUT_name');
        params.set('OUT_name_1', 'again');
      },
    );
    expect(status).toMatchObject({ state: 'ERROR', failure: { code: 'exports-invalid' } });
  });
});

describe('a plugin', () => {
  const outputs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x']));

  test.each([
    [64, 'SUCCESS', undefined],
    [65, 'ERROR', { code: 'plugin-failed', message: 'it gave 65 outputs; the limit is 64' }],
  ])('that gives %i outputs: %s', async (count, state, failure) => {
    const scenario = await Scenario.open();
    const exports = { first: { from: 'deploy.k0', pattern: 'x' } };
    await scenario.deploy(deploy('d', { outputs: outputs(count), exports }));
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({ state, ...(failure && { failure }) });
  });
});
