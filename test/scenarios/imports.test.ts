/** Exports of one deploy as targets and parameters of another: by its id, by what is current, through an environment. */
import { describe, expect, test } from 'vitest';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy, release } from './sketch.ts';

const refusal = (code: string, path?: string) => ({
  details: { problems: [expect.objectContaining({ code, ...(path !== undefined && { path }) })] },
});
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;
const request = (scenario: Scenario, id: string) =>
  scenario.world.started.find(({ idempotencyToken }) => idempotencyToken === `${id}/deploy`);

const EXPORTING: Behaviour = {
  outputs: { vms: '["10.20.0.1","10.20.0.2"]', db_host: 'db.internal' },
  exports: {
    vms: { from: 'deploy.vms', format: 'targets', pattern: '10\\.20\\..*' },
    db_host: { from: 'deploy.db_host', pattern: '[a-z.]+' },
  },
};
const USING = {
  targetsFrom: [{ import: 'infra', export: 'vms' }],
  paramsFrom: { DB_HOST: { import: 'infra', export: 'db_host' } },
};
const importing = (declared: object): Behaviour => ({ document: { imports: { infra: declared }, deploy: USING } });
const BY_ID: Behaviour = { after: ['infra'], ...importing({ deployment: 'infra' }) };
const CURRENT = importing({ current: { application: 'infra' } });

async function withInfra(more: Behaviour = {}): Promise<Scenario> {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('infra', { ...EXPORTING, ...more }));
  await scenario.until(() => scenario.isEnded('infra'));
  return scenario;
}
async function ran(scenario: Scenario, id: string, behaviour: Behaviour) {
  await scenario.deploy(deploy(id, behaviour));
  await scenario.until(() => scenario.isEnded(id));
  return scenario;
}

describe('an import', () => {
  test.each([
    ['of a deploy that is waited for', BY_ID],
    ['of what is current', CURRENT],
  ])('%s gives targets and parameters, and says where they came from', async (_, behaviour) => {
    const scenario = await ran(await withInfra(), 'os', behaviour);
    expect(request(scenario, 'os')).toMatchObject({
      params: { DB_HOST: 'db.internal' },
      targets: [{ host: '10.20.0.1' }, { host: '10.20.0.2' }],
    });
    const hash = (await scenario.store.deploys.read('os'))?.configuration ?? '';
    expect(await scenario.store.bodies.get(hash)).toMatchObject({ provenance: { 'import.infra': 'infra@infra' } });
  });

  test('in a release names another deploy of it', async () => {
    const scenario = await Scenario.open();
    const deploys = { infra: EXPORTING, os: importing({ deployment: 'infra' }) };
    await scenario.submit(release('r', 'infra; os <- infra', { deploys }));
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
    expect(request(scenario, 'r.os')?.targets).toHaveLength(2);
  });

  test('B57: names a deploy of its own after, not of one before it', async () => {
    const scenario = await Scenario.open();
    const deploys = { infra: EXPORTING, os: importing({ deployment: 'infra' }) };
    const document = release('r', 'infra; api <- infra; os <- api', { deploys });
    await expect(scenario.submit(document)).rejects.toMatchObject(refusal('import-not-in-after'));
    expect(scenario.heads.size).toBe(0);
  });

  test('uses the same values after a crash, whatever has become current meanwhile', async () => {
    const scenario = await withInfra();
    await scenario.deploy(deploy('os', { ...CURRENT, seconds: 100 }));
    await scenario.to(scenario.now() + 10_000);
    await scenario.deploy(
      deploy('infra-2', {
        ...EXPORTING,
        application: 'infra',
        outputs: { ...EXPORTING.outputs, db_host: 'new.internal' },
      }),
    );
    await scenario.restart();
    await scenario.until(() => scenario.isEnded('os'));
    expect(request(scenario, 'os')?.params).toMatchObject({ DB_HOST: 'db.internal' });
    await ran(scenario, 'os-2', { ...CURRENT, application: 'os' });
    expect(request(scenario, 'os-2')?.params).toMatchObject({ DB_HOST: 'new.internal' });
  });

  test.each([
    [
      'a missing export',
      BY_ID,
      { exports: { vms: EXPORTING.exports?.vms } },
      'missing-export',
      'deploy.paramsFrom.DB_HOST',
    ],
    [
      'text where targets are wanted',
      BY_ID,
      { exports: { ...EXPORTING.exports, vms: { from: 'deploy.vms', pattern: '.*' } } },
      'import-not-targets',
      'deploy.targetsFrom[0]',
    ],
  ] as const)('is refused at submission with %s, where that is known', async (_, behaviour, producer, code, path) => {
    const scenario = await withInfra(producer as Behaviour);
    await expect(scenario.deploy(deploy('os', behaviour))).rejects.toMatchObject(refusal(code, path));
    expect(await scenario.store.deploys.read('os')).toBeUndefined();
  });

  test('is refused at submission when nothing is current', async () => {
    const scenario = await Scenario.open();
    await expect(scenario.deploy(deploy('os', CURRENT))).rejects.toMatchObject(refusal('nothing-current'));
  });

  test('asks for the artifact where several are current', async () => {
    const scenario = await withInfra();
    await ran(scenario, 'infra-db', { application: 'infra', artifact: { name: 'db' } });
    await expect(scenario.deploy(deploy('os', CURRENT))).rejects.toMatchObject(refusal('ambiguous-artifact'));
    const named = importing({ current: { application: 'infra', artifact: 'infra' } });
    await ran(scenario, 'os', named);
    expect(await state(scenario, 'os')).toBe('SUCCESS');
  });

  test('of another tenant reads what is public alone', async () => {
    const scenario = await Scenario.open();
    const exports = { ...EXPORTING.exports, vms: { from: 'deploy.vms', format: 'targets', public: true } } as const;
    await ran(scenario, 'infra', { ...EXPORTING, exports, tenant: 'platform' });
    const wanted = importing({ current: { application: 'infra', tenant: 'platform' } });
    await expect(scenario.deploy(deploy('os', { ...wanted, tenant: 'retail' }))).rejects.toMatchObject(
      refusal('missing-export', 'deploy.paramsFrom.DB_HOST'),
    );
    const only = { ...wanted, document: { ...wanted.document, deploy: { targetsFrom: USING.targetsFrom } } };
    await ran(scenario, 'os', { ...only, tenant: 'retail' });
    expect(request(scenario, 'os')?.targets).toHaveLength(2);
  });

  test('takes its own tenant where that has the application, and asks where several others have it', async () => {
    const scenario = await Scenario.open();
    for (const tenant of ['a', 'b']) {
      await ran(scenario, `infra-${tenant}`, {
        ...EXPORTING,
        application: 'infra',
        artifact: { name: 'infra' },
        tenant,
      });
    }
    await ran(scenario, 'os-b', { ...CURRENT, tenant: 'b' });
    const hash = (await scenario.store.deploys.read('os-b'))?.configuration ?? '';
    expect(await scenario.store.bodies.get(hash)).toMatchObject({ provenance: { 'import.infra': 'infra-b@infra-b' } });
    await expect(scenario.deploy(deploy('os-c', { ...CURRENT, tenant: 'c' }))).rejects.toMatchObject(
      refusal('ambiguous-tenant'),
    );
  });

  test('of a producer that turned out not to have it fails the deploy before anything runs', async () => {
    const scenario = await Scenario.open();
    await scenario.event({ id: 'ci:1', pipeline: 'ci', application: 'infra', environment: 'prod' }, 'Deploy Started', {
      source: 'ci',
    });
    await scenario.to(1_000);
    await scenario.deploy(deploy('os', { after: ['ci:1'], ...importing({ deployment: 'ci:1' }) }));
    await scenario.event({ id: 'ci:1', state: 'SUCCESS', exports: { vms: ['h'] } }, 'Deploy Concluded', {
      source: 'ci',
    });
    await scenario.until(() => scenario.isEnded('os'));
    expect((await scenario.deployed('os')).status).toMatchObject({
      state: 'ERROR',
      failure: { code: 'missing-export' },
    });
    expect(request(scenario, 'os')).toBeUndefined();
  });
});

describe('the configuration of an environment', () => {
  const config = (more: object) => ({ kind: 'EnvironmentConfig', application: 'os', environment: 'prod', ...more });

  test('gives plugin, parameters and imports of what is current', async () => {
    const scenario = await withInfra();
    await scenario.set(
      config({
        params: { REGION: 'eu' },
        imports: { net: { current: { application: 'infra' } } },
        targetsFrom: [{ import: 'net', export: 'vms' }],
      }),
    );
    await ran(scenario, 'os', {});
    expect(request(scenario, 'os')).toMatchObject({ params: { REGION: 'eu', NAME: 'os' }, targets: [{}, {}] });
  });

  test.each([
    ['a parameter that both set otherwise', { params: { NAME: 'other' } }, {}, 'parameter-conflict'],
    ['targets of both', { targets: ['h'] }, { document: { deploy: { targets: ['i'] } } }, 'targets-conflict'],
    ['targets that one imports', { targets: ['h'] }, CURRENT, 'targets-conflict'],
    ['another plugin', { plugin: 'command' }, {}, 'plugin-conflict'],
  ])('conflicts with %s: refused at submission', async (_, more, behaviour, code) => {
    const scenario = await withInfra();
    await scenario.set(config(more));
    await expect(scenario.deploy(deploy('os', behaviour as Behaviour))).rejects.toMatchObject({
      details: { problems: expect.arrayContaining([expect.objectContaining({ code })]) },
    });
  });

  test('lets a deploy override the parameters that it lists', async () => {
    const scenario = await withInfra();
    await scenario.set(config({ params: { NAME: 'other' }, overridable: ['NAME'] }));
    await ran(scenario, 'os', {});
    expect(request(scenario, 'os')?.params.NAME).toBe('os');
  });

  test('conflicts with a parameter that is imported, as soon as its value is known', async () => {
    const scenario = await withInfra();
    await scenario.set(config({ params: { DB_HOST: 'another.internal' } }));
    await ran(scenario, 'os', CURRENT);
    expect((await scenario.deployed('os')).status).toMatchObject({
      state: 'ERROR',
      failure: { code: 'parameter-conflict' },
    });
  });
});

describe('the policy of an environment', () => {
  const prod = (policy: object) => ({ kind: 'Environment', name: 'prod', policy });

  test.each([
    [{ plugins: ['command'] }, 'policy-plugin'],
    [{ types: ['migration'] }, 'policy-type'],
    [{ sources: ['https://example.org/*'] }, 'policy-source'],
    [{ params: ['SAFE_*'] }, 'policy-param'],
  ])('%j refuses what it does not allow', async (policy, code) => {
    const scenario = await Scenario.open();
    await scenario.set(prod(policy));
    await expect(scenario.deploy(deploy('d'))).rejects.toMatchObject(refusal(code));
  });

  test('holds for imported targets as for written ones', async () => {
    const scenario = await withInfra();
    await scenario.set(prod({ targets: ['10.30.*'] }));
    await expect(
      scenario.deploy(deploy('d', { document: { deploy: { targets: ['10.20.0.9'] } } })),
    ).rejects.toMatchObject(refusal('policy-target'));
    await ran(scenario, 'os', CURRENT);
    expect((await scenario.deployed('os')).status).toMatchObject({
      state: 'ERROR',
      failure: { code: 'policy-target' },
    });
  });
});

describe('mandatory promotion', () => {
  test('takes the version that is current elsewhere, and no other', async () => {
    const scenario = await Scenario.open();
    await scenario.set({ kind: 'Environment', name: 'prod', promotion: { from: 'staging' } });
    await expect(scenario.deploy(deploy('p1', { application: 'a', version: '1' }))).rejects.toMatchObject(
      refusal('promotion-required'),
    );
    await ran(scenario, 's1', { application: 'a', environment: 'staging' });
    await expect(scenario.deploy(deploy('p2', { application: 'a', version: 'other' }))).rejects.toMatchObject(
      refusal('promotion-required'),
    );
    await scenario.deploy(deploy('p3', { application: 'a', version: 's1' }));
    await scenario.until(() => scenario.isEnded('p3'));
    expect(await state(scenario, 'p3')).toBe('SUCCESS');
  });

  test('is met by a deploy of the same release that comes before', async () => {
    const scenario = await Scenario.open();
    await scenario.set({ kind: 'Environment', name: 'prod', promotion: { from: 'staging' } });
    const deploys = {
      staging: { application: 'a', environment: 'staging' },
      prod: { application: 'a' },
    };
    await expect(scenario.submit(release('r', 'staging; prod', { mode: 'dag', deploys }))).rejects.toMatchObject(
      refusal('promotion-required'),
    );
    await scenario.submit(release('r', 'staging; prod <- staging', { deploys }));
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
  });
});

describe('going back and going on', () => {
  test('a promotion drops after and imports of deploys, and takes its targets from the environment', async () => {
    const scenario = await ran(await withInfra(), 'os', BY_ID);
    await expect(scenario.promote('os', 'qa')).rejects.toMatchObject({
      details: { problems: expect.arrayContaining([expect.objectContaining({ code: 'import-lost' })]) },
    });
    await ran(scenario, 'infra-qa', { ...EXPORTING, application: 'infra', environment: 'qa' });
    await scenario.set({
      kind: 'EnvironmentConfig',
      application: 'os',
      environment: 'qa',
      imports: { infra: { current: { application: 'infra' } } },
      targetsFrom: [{ import: 'infra', export: 'vms' }],
      paramsFrom: { DB_HOST: { import: 'infra', export: 'db_host' } },
    });
    await scenario.promote('os', 'qa');
    await scenario.until(() => scenario.isEnded('os-qa'));
    expect((await scenario.deployed('os-qa')).identity).toMatchObject({ after: [], promotes: 'os' });
    expect(request(scenario, 'os-qa')?.targets).toHaveLength(2);
  });

  test('a rollback takes the stored parameter for a lost import, and never its targets', async () => {
    const scenario = await withInfra();
    const params = { document: { imports: BY_ID.document?.imports, deploy: { paramsFrom: USING.paramsFrom } } };
    await ran(scenario, 'os-1', { ...params, after: ['infra'], application: 'os' });
    await ran(scenario, 'os-2', { application: 'os' });
    await scenario.rollBack('os-2');
    await scenario.until(() => scenario.isEnded('os-2-back'));
    expect(await state(scenario, 'os-2-back')).toBe('SUCCESS');
    expect(request(scenario, 'os-2-back')).toMatchObject({ operation: 'rollback', params: { DB_HOST: 'db.internal' } });

    const targets = await ran(await withInfra(), 'os-1', { ...BY_ID, application: 'os' });
    await ran(targets, 'os-2', { application: 'os' });
    await expect(targets.rollBack('os-2')).rejects.toMatchObject(refusal('import-lost', 'deploy.targetsFrom[0]'));
  });

  test('a release’s rollback follows the same rules: a lost import stops the sequence there', async () => {
    const scenario = await ran(await withInfra(), 'os-1', { ...BY_ID, application: 'os' });
    const deploys = { os: { application: 'os' }, web: { outcome: 'error' as const } };
    await scenario.submit(release('r', 'os; web <- os', { onFailure: 'rollback', deploys }));
    await scenario.run('r');
    expect((await scenario.deployed('r.rollback.os')).status).toMatchObject({
      state: 'ERROR',
      failure: { code: 'import-lost' },
    });
  });

  test('a rollback goes to a version that was there, and to nothing else', async () => {
    const scenario = await Scenario.open();
    for (const id of ['v1', 'v2', 'v3']) await ran(scenario, id, { application: 'a' });
    await expect(scenario.rollBack('v3', 'v9')).rejects.toMatchObject({ code: 'no-previous-version' });
    await expect(scenario.rollBack('v2')).rejects.toMatchObject({ code: 'superseded' });
    await scenario.rollBack('v3', 'v1');
    await scenario.until(() => scenario.isEnded('v3-back'));
    expect((await scenario.store.inventory.current({ application: 'a', environment: 'prod' })).a).toMatchObject({
      deploy: 'v3-back',
      artifact: { version: 'v1' },
    });
  });

  test('a first deploy, and a type that can not be taken back, do not go back; an environment may say otherwise', async () => {
    const scenario = await ran(await Scenario.open(), 'only', { application: 'a' });
    await expect(scenario.rollBack('only')).rejects.toMatchObject({ code: 'no-previous-version' });
    for (const id of ['m1', 'm2']) await ran(scenario, id, { application: 'm', artifact: { type: 'migration' } });
    await expect(scenario.rollBack('m2')).rejects.toMatchObject({ code: 'irreversible' });
    await scenario.set({
      kind: 'EnvironmentConfig',
      application: 'm',
      environment: 'prod',
      rollback: { migration: 'allowed' },
    });
    await scenario.rollBack('m2');
    await scenario.until(() => scenario.isEnded('m2-back'));
    expect(await state(scenario, 'm2-back')).toBe('SUCCESS');
    await scenario.set({
      kind: 'EnvironmentConfig',
      application: 'a',
      environment: 'prod',
      rollback: { application: 'never' },
    });
    await ran(scenario, 'a2', { application: 'a' });
    await expect(scenario.rollBack('a2')).rejects.toMatchObject({ code: 'irreversible' });
  });

  test('a rollback keeps the exports of the version that it puts back', async () => {
    const scenario = await withInfra();
    await ran(scenario, 'infra-2', { application: 'infra' });
    await scenario.rollBack('infra-2');
    await scenario.until(() => scenario.isEnded('infra-2-back'));
    await ran(scenario, 'os', CURRENT);
    expect(request(scenario, 'os')?.params).toMatchObject({ DB_HOST: 'db.internal' });
  });
});
