/** Chains as one release: what is refused before it is accepted, how its deploys are recorded, what a failure says of them. */
import { describe, expect, test, vi } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { checkRelease } from '../../orchestration/check-release.ts';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy, release } from './sketch.ts';

const MINUTE = 60_000;
const FROZEN = [{ from: '2026-09-30T00:00:00Z', to: '2026-10-02T00:00:00Z', reason: 'the sale' }];
const importing = (from: string, exported: string, step: 'paramsFrom' | 'targetsFrom'): Behaviour => {
  const reference = { import: 'db', export: exported };
  return {
    document: {
      imports: { db: { deployment: from } },
      deploy: { [step]: step === 'paramsFrom' ? { HOST: reference } : [reference] },
    },
  };
};
const EXPORTING: Behaviour = {
  outputs: { host: 'db.internal' },
  exports: { host: { from: 'deploy.host', pattern: '.*' } },
};

describe('a release is refused whole', () => {
  test.each<[string, Behaviour, string, string]>([
    ['a plugin that its policy does not let in', { environment: 'strict' }, 'policy-plugin', 'deploy.plugin'],
    [
      'a parameter that its environment sets otherwise',
      { application: 'set' },
      'parameter-conflict',
      'deploy.params.NAME',
    ],
    ['an environment that is frozen', { environment: 'frozen' }, 'frozen', 'environment'],
    ['a version that must be promoted first', { environment: 'live' }, 'promotion-required', 'artifact.version'],
    ['an outside dependency that nobody submitted', { after: ['ghost'] }, 'unknown-dependency', 'after'],
    ['an outside dependency that has failed', { after: ['failed'] }, 'failed-dependency', 'after'],
    ['an outside dependency that is a dry run', { after: ['dry'] }, 'dry-run-dependency', 'after'],
    [
      'an export that its producer does not declare',
      importing('db', 'hots', 'paramsFrom'),
      'missing-export',
      'deploy.paramsFrom.HOST',
    ],
    [
      'text where it wants targets',
      importing('db', 'host', 'targetsFrom'),
      'import-not-targets',
      'deploy.targetsFrom[0]',
    ],
    [
      'an import of what is current nowhere',
      {
        document: {
          imports: { n: { current: { application: 'n' } } },
          deploy: { paramsFrom: { N: { import: 'n', export: 'x' } } },
        },
      },
      'nothing-current',
      'imports.n.current',
    ],
  ])('for %s, in the second of its deploys', async (_, behaviour, code, path) => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('failed', { outcome: 'error' }));
    await scenario.deploy(deploy('dry', { document: { dryRun: true } }));
    await scenario.set(
      { kind: 'Environment', name: 'strict', policy: { plugins: ['codebuild'] } },
      { kind: 'Environment', name: 'frozen', freezes: FROZEN },
      { kind: 'Environment', name: 'live', promotion: { from: 'staging' } },
      { kind: 'EnvironmentConfig', application: 'set', environment: 'prod', params: { NAME: 'other' } },
    );
    await scenario.to(1_000);
    const before = scenario.heads.size;
    const document = release('r', 'db; api <- db', { deploys: { db: EXPORTING, api: behaviour } });
    const problem = expect.objectContaining({ code, path: `deploys[1].descriptor.${path}` });
    await expect(scenario.submit(document)).rejects.toMatchObject({ details: { problems: [problem] } });
    expect(await checkRelease(scenario.ports, document, owner('ada'))).toEqual([problem]);
    expect(scenario.heads.size).toBe(before);
    expect(await scenario.store.releases.read('r')).toBeUndefined();
    expect(scenario.started()).not.toContain('r.db');
  });

  test('and every problem of every deploy is told at once', async () => {
    const scenario = await Scenario.open();
    await scenario.set({ kind: 'Environment', name: 'frozen', freezes: FROZEN });
    const deploys = { db: { environment: 'frozen', after: ['ghost'] }, api: { environment: 'frozen' } };
    const problems = await checkRelease(scenario.ports, release('r', 'db; api <- db', { deploys }), owner('ada'));
    expect(problems.map(({ code, path }) => `${code} ${path}`).sort()).toEqual([
      'frozen deploys[0].descriptor.environment',
      'frozen deploys[1].descriptor.environment',
      'unknown-dependency deploys[0].descriptor.after',
    ]);
  });
});

describe('its deploys', () => {
  test('wait for those that it names and for those that their descriptors name, under the ids of both', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('outside', { seconds: 30 }));
    const deploys = { api: { after: ['outside'] }, web: { id: 'the-web' } };
    await scenario.submit(release('r', 'db; api <- db; web <- api', { deploys }));
    await scenario.run('r');
    expect((await scenario.deployed('r.api')).identity.after).toEqual(['r.db', 'outside']);
    expect((await scenario.deployed('the-web')).identity).toMatchObject({
      after: ['r.api'],
      release: { id: 'r', attempt: 1, name: 'web' },
    });
    expect(scenario.started()).toEqual(['outside', 'r.db', 'r.api', 'the-web']);
  });

  test('are recorded in the order of the plan, whatever the order in which they are written', async () => {
    const scenario = await Scenario.open();
    const names = (of: string) => Array.from({ length: 60 }, (_, index) => `${of}${index}`);
    const [first, second] = [names('a'), names('b')];
    const written = [...second.map((name, index) => `${name} <- a${index}`), ...first];
    let recorded: string[] | undefined;
    let pages = 0;
    scenario.around = async (name, run) => {
      if (name === 'record-deploys' && ++pages === 2) {
        recorded = Object.keys(scenario.states('r'));
        await scenario.cancel('r');
      }
      return run();
    };
    await scenario.submit(release('r', written.join('; ')));
    await scenario.run('r');
    expect(new Set(recorded)).toEqual(new Set([...first, ...second].slice(0, recorded?.length)));
    expect(recorded).toHaveLength(100);
  });

  test('are read together when the release ends', async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r', 'db; api <- db; web <- api', { deploys: { web: { seconds: 10 } } }));
    await scenario.to(5_000);
    const { deploys } = scenario.ports.store;
    const [alone, together] = [vi.spyOn(deploys, 'read'), vi.spyOn(deploys, 'readMany')];
    let calls: unknown[] = [];
    scenario.around = async (name, run) => {
      if (name !== 'conclude-release') return run();
      for (const spy of [alone, together]) spy.mockClear();
      const answer = await run();
      calls = [...alone.mock.calls, ...together.mock.calls];
      return answer;
    };
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
    expect(calls).toEqual([[['r.db', 'r.api', 'r.web']]]);
  });

  test('start also when the engine dies between accepting the release and starting it', async () => {
    const scenario = await Scenario.open();
    vi.spyOn(scenario.ports.machines, 'start').mockImplementationOnce(() => {
      scenario.kill();
      return new Promise(() => {});
    });
    void scenario.submit(release('r', 'db; api <- db'));
    await scenario.life.died;
    await scenario.start();
    expect((await scenario.release('r')).status.state).toBe('PENDING');
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
    expect(scenario.started()).toEqual(['r.db', 'r.api']);
  });

  test('are lost with no kill just after it was accepted', async () => {
    for (let call = 1; call < 80; call += 7) {
      const scenario = await Scenario.open();
      let died = false;
      scenario.prepare = (life) => {
        if (!died) life.dieAt(life.calls + call, () => (died = true));
      };
      scenario.prepare(scenario.life);
      const document = release('r', 'db; api <- db');
      await Promise.race([scenario.submit(document).catch(() => {}), scenario.life.died]);
      while (!scenario.isUp) await scenario.start();
      if ((await scenario.store.releases.read('r')) === undefined) {
        // Killed before it was accepted: nothing of it is there, and it can be sent again.
        expect(scenario.heads.size, `killed at call ${call}`).toBe(0);
        await scenario.submit(document);
      }
      expect((await scenario.run('r')).status.state, `killed at call ${call}`).toBe('SUCCESS');
      expect(scenario.started(), `killed at call ${call}`).toEqual(['r.db', 'r.api']);
      scenario.kill();
      if (!died) break;
    }
  });
});

describe('a failure', () => {
  const fails = { outcome: 'error' as const };

  test('cancels at once what waits for another, for people, for a slot and for the end of a freeze; what runs ends', async () => {
    const scenario = await Scenario.open();
    const later = [{ from: '2026-10-01T00:00:30Z', to: '2026-10-02T00:00:00Z', reason: 'the sale' }];
    await scenario.set(
      { kind: 'Environment', name: 'live', approval: { required: 1 } },
      { kind: 'Environment', name: 'narrow', concurrency: 1 },
      { kind: 'Environment', name: 'frozen', freezes: later },
    );
    await scenario.deploy(deploy('outside', { seconds: 3_000, timeout: '1d' }));
    await scenario.deploy(deploy('holder', { environment: 'narrow', seconds: 3_000, timeout: '1d' }));
    await scenario.deploy(deploy('gate', { seconds: 45 }));
    const deploys = {
      bad: { ...fails, seconds: 120 },
      long: { seconds: 600 },
      waits: { after: ['outside'] },
      people: { environment: 'live' },
      slot: { environment: 'narrow' },
      held: { environment: 'frozen', after: ['gate'] },
    };
    await scenario.submit(release('r', `${Object.keys(deploys).join('; ')}; next <- bad`, { mode: 'dag', deploys }));
    await scenario.to(119_000);
    const waiting = { waits: 'WAITING_DEPENDENCY', people: 'AWAITING_APPROVAL', slot: 'ENQUEUED', held: 'ENQUEUED' };
    expect(scenario.states('r')).toMatchObject({ ...waiting, bad: 'RUNNING', long: 'RUNNING' });
    await scenario.to(121_000);
    const cancelled = {
      waits: 'CANCELLED',
      people: 'CANCELLED',
      slot: 'CANCELLED',
      held: 'CANCELLED',
      next: 'CANCELLED',
    };
    expect(scenario.states('r')).toEqual({ ...cancelled, bad: 'ERROR', long: 'RUNNING' });
    expect((await scenario.release('r')).status.state).toBe('PENDING');
    expect((await scenario.run('r')).status.state).toBe('ERROR');
    expect(scenario.states('r').long).toBe('SUCCESS');
    expect(scenario.now()).toBeLessThan(11 * MINUTE);
  });

  test('is told for every deploy that had one', async () => {
    const scenario = await Scenario.open();
    const deploys = { api: { ...fails, seconds: 5 }, worker: { ...fails, seconds: 9 } };
    await scenario.submit(release('r', 'db; api <- db; worker <- db', { deploys }));
    const { status } = await scenario.run('r');
    expect('failure' in status && status.failure?.message.split('\n')).toEqual([
      'r.api ERROR: the deploy of api was told to fail',
      'r.worker ERROR: the deploy of worker was told to fail',
    ]);
  });

  test('leaves the release PENDING until its last rollback has ended; rollbacks are deploys of whoever submitted it', async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('v1', 'db; api <- db; web <- api', { deploys: { db: { seconds: 60 } } }), 'bob');
    await scenario.run('v1');
    await scenario.submit(
      release('r', 'db; api <- db; web <- api', { onFailure: 'rollback', deploys: { web: fails } }),
      'eve',
    );
    await scenario.until(() => scenario.states('r')['rollback.db'] === 'RUNNING');
    expect((await scenario.release('r')).status).toMatchObject({ state: 'PENDING', phase: 'rolling-back' });
    expect((await scenario.run('r')).status.state).toBe('ERROR');
    expect((await scenario.deployed('r.rollback.db')).identity).toMatchObject({
      kind: 'rollback',
      submittedBy: 'eve',
      rollsBack: 'r.db',
      restores: { revision: 1 },
    });
    expect((await scenario.deployed('r.rollback.api')).identity.after).toEqual([]);
    const rows = await scenario.audit('r', 'release');
    expect(rows.at(-1)).toMatchObject({ action: 'release.finish', to: 'ERROR' });
    expect(rows[0]).toMatchObject({ action: 'release.submitted', by: 'eve' });
  });
});
