/** What an import reads, and when: each time anew of what is current, exactly once of one deploy; and who owns targets. */
import { describe, expect, test } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { submitSchedule } from '../../orchestration/schedules.ts';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy } from './sketch.ts';

const HOUR = 3_600_000;
const refusal = (code: string, path: string) => ({
  details: { problems: [expect.objectContaining({ code, path })] },
});
const infra = (host: string, more: Behaviour = {}): Behaviour => ({
  application: 'infra',
  artifact: { name: 'infra' },
  outputs: { host, vms: '["10.20.0.1"]' },
  exports: { host: { from: 'deploy.host', pattern: '[a-z.]+' }, vms: { from: 'deploy.vms', format: 'targets' } },
  ...more,
});
const reading = (current: object): NonNullable<Behaviour['document']> => ({
  imports: { infra: { current } },
  deploy: { paramsFrom: { HOST: { import: 'infra', export: 'host' } } },
});
const OS: Behaviour = { application: 'os', document: reading({ application: 'infra' }) };

async function ran(scenario: Scenario, id: string, behaviour: Behaviour): Promise<Scenario> {
  await scenario.deploy(deploy(id, behaviour));
  await scenario.until(() => scenario.isEnded(id));
  return scenario;
}
const hostOf = (scenario: Scenario, id: string) =>
  scenario.world.started.find(({ idempotencyToken }) => idempotencyToken === `${id}/deploy`)?.params.HOST;

describe('an import of what is current', () => {
  test('reads the environment of its deploy, unless it names another', async () => {
    const scenario = await Scenario.open();
    for (const environment of ['prod', 'shared']) {
      await ran(scenario, `infra-${environment}`, infra(`${environment}.internal`, { environment }));
    }
    await ran(scenario, 'own', OS);
    await ran(scenario, 'other', { ...OS, document: reading({ application: 'infra', environment: 'shared' }) });
    expect([hostOf(scenario, 'own'), hostOf(scenario, 'other')]).toEqual(['prod.internal', 'shared.internal']);
  });

  test('is read when its deploy starts, not when it is submitted', async () => {
    const scenario = await ran(await Scenario.open(), 'infra-1', infra('one.internal'));
    const schedule = { at: '2026-10-01T00:05:00Z' };
    await scenario.deploy(deploy('os', { ...OS, document: { ...OS.document, schedule } }));
    await ran(scenario, 'infra-2', infra('two.internal'));
    await scenario.until(() => scenario.isEnded('os'));
    expect(hostOf(scenario, 'os')).toBe('two.internal');
  });

  test('is that of the only tenant that has the application, where its own has not; public exports alone', async () => {
    const scenario = await Scenario.open();
    const exports = { host: { from: 'deploy.host', pattern: '[a-z.]+', public: true } };
    await ran(scenario, 'infra-1', infra('one.internal', { tenant: 'platform', exports }));
    await ran(scenario, 'os', { ...OS, tenant: 'retail' });
    expect(hostOf(scenario, 'os')).toBe('one.internal');
    await ran(scenario, 'infra-2', infra('two.internal', { tenant: 'platform' }));
    await expect(scenario.deploy(deploy('os-2', { ...OS, tenant: 'retail' }))).rejects.toMatchObject(
      refusal('missing-export', 'deploy.paramsFrom.HOST'),
    );
  });

  test('is read anew by each run of a recurring schedule', async () => {
    const scenario = await ran(await Scenario.open(), 'infra-1', infra('one.internal'));
    const schedule = { cron: '0 * * * *', timezone: 'UTC' };
    const document = deploy('hourly', { ...OS, document: { ...OS.document, schedule } });
    await scenario.act(() => submitSchedule(scenario.ports, document, owner('ada'), () => 'x'));
    await scenario.leap(HOUR);
    await scenario.to(HOUR + 10_000);
    await ran(scenario, 'infra-2', infra('two.internal'));
    await scenario.leap(2 * HOUR);
    await scenario.to(2 * HOUR + 10_000);
    expect(hostOf(scenario, 'hourly.20261001t010000z')).toBe('one.internal');
    expect(hostOf(scenario, 'hourly.20261001t020000z')).toBe('two.internal');
  });

  test('is read anew by a rollback by hand, and by a promotion in the environment that it goes to', async () => {
    const scenario = await ran(await Scenario.open(), 'infra-1', infra('one.internal'));
    await ran(scenario, 'os-1', OS);
    await ran(scenario, 'os-2', OS);
    await ran(scenario, 'infra-2', infra('two.internal'));
    await scenario.rollBack('os-2');
    await scenario.until(() => scenario.isEnded('os-2-back'));
    expect(hostOf(scenario, 'os-2-back')).toBe('two.internal');
    await expect(scenario.promote('os-2', 'qa')).rejects.toMatchObject(
      refusal('nothing-current', 'imports.infra.current'),
    );
    await ran(scenario, 'infra-qa', infra('qa.internal', { environment: 'qa' }));
    await scenario.promote('os-2', 'qa');
    await scenario.until(() => scenario.isEnded('os-2-qa'));
    expect(hostOf(scenario, 'os-2-qa')).toBe('qa.internal');
  });
});

test('what used an import that is dropped takes the import of that name that its environment has, also before a stored value', async () => {
  const scenario = await ran(await Scenario.open(), 'infra', infra('one.internal'));
  const byId = { ...OS, after: ['infra'], document: { ...OS.document, imports: { infra: { deployment: 'infra' } } } };
  for (const id of ['os-1', 'os-2']) await ran(scenario, id, byId);
  expect(hostOf(scenario, 'os-2')).toBe('one.internal');
  for (const environment of ['prod', 'qa']) {
    await ran(scenario, `infra-${environment}`, infra(`${environment}.internal`, { environment }));
    await scenario.set({
      kind: 'EnvironmentConfig',
      application: 'os',
      environment,
      imports: { infra: { current: { application: 'infra' } } },
      paramsFrom: { OTHER: { import: 'infra', export: 'host' } },
    });
  }
  await scenario.promote('os-2', 'qa');
  await scenario.rollBack('os-2');
  await scenario.until(() => scenario.isEnded('os-2-qa') && scenario.isEnded('os-2-back'));
  expect([hostOf(scenario, 'os-2-qa'), hostOf(scenario, 'os-2-back')]).toEqual(['qa.internal', 'prod.internal']);
});

test('imports are resolved once: a deploy that is configured again after a crash uses what was stored', async () => {
  const scenario = await ran(await Scenario.open(), 'infra-1', infra('one.internal'));
  let configured = 0;
  scenario.around = async (name, run) => {
    const answer = await run();
    if (name !== 'configure') return answer;
    configured += 1;
    // Whoever did it is cut off before it could say so, and another version of infra comes before it is asked again.
    if (configured === 1) throw new Error('cut off');
    return answer;
  };
  await scenario.deploy(deploy('os', OS));
  await scenario.idle();
  scenario.around = undefined;
  await ran(scenario, 'infra-2', infra('two.internal'));
  expect(hostOf(scenario, 'os')).toBeUndefined();
  await scenario.until(() => scenario.isEnded('os'));
  expect(hostOf(scenario, 'os')).toBe('one.internal');
  expect(await scenario.deployed('os')).toMatchObject({ status: { state: 'SUCCESS' } });
});

test('an import of one deploy is held against what that declares, as long as it has not ended', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('infra', infra('one.internal', { seconds: 60 })));
  const importing = (name: string) =>
    deploy('os', {
      after: ['infra'],
      document: {
        imports: { infra: { deployment: 'infra' } },
        deploy: { paramsFrom: { HOST: { import: 'infra', export: name } } },
      },
    });
  await expect(scenario.deploy(importing('hots'))).rejects.toMatchObject(
    refusal('missing-export', 'deploy.paramsFrom.HOST'),
  );
  await scenario.deploy(importing('host'));
  await scenario.until(() => scenario.isEnded('os'));
  expect(hostOf(scenario, 'os')).toBe('one.internal');
});

test('the imports of an environment are told apart from those of its deploys', async () => {
  const scenario = await ran(await Scenario.open(), 'infra-1', infra('one.internal'));
  await scenario.set({
    kind: 'EnvironmentConfig',
    application: 'os',
    environment: 'prod',
    imports: { infra: { current: { application: 'infra' } } },
    targetsFrom: [{ import: 'infra', export: 'vms' }],
  });
  await ran(scenario, 'os-1', OS);
  const hash = (await scenario.store.deploys.read('os-1'))?.configuration ?? '';
  expect(await scenario.store.bodies.get(hash)).toMatchObject({
    targets: [{ host: '10.20.0.1' }],
    provenance: { 'import.infra': 'infra-1@infra-1', 'environment.import.infra': 'infra-1@infra-1' },
  });
});

test.each([
  ['sets', { targets: ['h'] }, 'deploy.targets'],
  ['imports', { targetsFrom: [{ import: 'infra', export: 'vms' }] }, 'deploy.targetsFrom'],
])('where an environment imports targets, a deploy that %s some is refused', async (_, step, path) => {
  const scenario = await ran(await Scenario.open(), 'infra-1', infra('one.internal'));
  await scenario.set({
    kind: 'EnvironmentConfig',
    application: 'os',
    environment: 'prod',
    imports: { net: { current: { application: 'infra' } } },
    targetsFrom: [{ import: 'net', export: 'vms' }],
  });
  const document = { ...reading({ application: 'infra' }), deploy: { ...OS.document?.deploy, ...step } };
  await expect(scenario.deploy(deploy('os', { ...OS, document }))).rejects.toMatchObject(
    refusal('targets-conflict', path),
  );
});
