/** What chains promise beyond single waits: ids and inner dependencies, refusals as a whole, rollbacks, bad exports. */
import { describe, expect, test } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { TABLE } from '../../local/engine.ts';
import { keys } from '../../store/schema.ts';
import { deployView } from '../../views/deploy.ts';
import { Scenario } from './harness.ts';
import { type Behaviour, deploy, release } from './sketch.ts';

const NEVER: Behaviour = { seconds: 'never' };
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;

describe('the deploys of a release', () => {
  test('have ids of their own or of the release, wait for each other by id, and keep what they waited for outside', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('outside'));
    const deploys = { db: { id: 'db-42' }, api: { after: ['outside'] } };
    await scenario.submit(release('r', 'db; api <- db; web <- api', { deploys }));
    expect((await scenario.run('r')).status.state).toBe('SUCCESS');
    expect((await scenario.deployed('db-42')).identity.release).toMatchObject({ id: 'r', name: 'db' });
    expect([...(await scenario.deployed('r.api')).identity.after].sort()).toEqual(['db-42', 'outside']);
    expect((await scenario.deployed('r.web')).identity.after).toEqual(['r.api']);
  });

  test('say which release they are of', async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r', 'db'));
    await scenario.run('r');
    const row = await scenario.store.deploys.read('r.db');
    if (row === undefined) throw new Error('there is no deploy r.db');
    const view = await deployView(scenario.ports, row, { by: owner('ada') });
    expect(view.release).toMatchObject({ id: 'r', name: 'db' });
  });

  test('that are not all allowed refuse the whole release, and nothing is stored', async () => {
    const scenario = await Scenario.open();
    const freeze = { from: '2026-09-30T00:00:00Z', to: '2026-10-02T00:00:00Z', reason: 'quarter end' };
    await scenario.set({ kind: 'Environment', name: 'frozen', freezes: [freeze] });
    const before = scenario.heads.size;
    const document = release('r', 'db; web <- db', { deploys: { web: { environment: 'frozen' } } });
    await expect(scenario.submit(document)).rejects.toMatchObject({ code: 'invalid-document' });
    expect(scenario.heads.size).toBe(before);
    expect(await scenario.store.releases.read('r')).toBeUndefined();
    expect(scenario.started()).toEqual([]);
  });
});

test('rollbacks of a release are deploys of their own, named after it, under who submitted it', async () => {
  const scenario = await Scenario.open();
  await scenario.submit(release('v1', 'db'));
  await scenario.run('v1');
  await scenario.submit(
    release('r', 'db; web <- db', { onFailure: 'rollback', deploys: { web: { outcome: 'error' } } }),
    'ada',
  );
  await scenario.run('r');
  const { identity, status } = await scenario.deployed('r.rollback.db');
  expect(identity).toMatchObject({ kind: 'rollback', submittedBy: 'ada', rollsBack: 'r.db', after: [] });
  expect(status.state).toBe('SUCCESS');
});

test('a deploy whose dependency has been removed ends DEPENDENCY_FAILED and is never started', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('first', NEVER));
  await scenario.deploy(deploy('d', { after: ['first'] }));
  await scenario.to(1_000);
  const { pk, sk } = keys.deploy('first');
  await scenario.engine.services[0]?.call('DeleteItem', { TableName: TABLE, Key: { pk: { S: pk }, sk: { S: sk } } });
  await scenario.until(() => scenario.isEnded('d'));
  expect((await scenario.deployed('d')).status).toMatchObject({
    state: 'DEPENDENCY_FAILED',
    failure: { message: expect.stringContaining('no longer exists') },
  });
  expect(scenario.started()).not.toContain('d');
});

test.each([
  ['one host of a list does not match', { vms: '["10.20.0.1","192.168.0.1"]' }],
  ['it is no list', { vms: '10.20.0.1' }],
])('an export of targets fails its deploy, and whoever waits for it, when %s', async (_, outputs) => {
  const scenario = await Scenario.open();
  const exports = { vms: { from: 'deploy.vms', format: 'targets', pattern: '10\\.20\\..*' } } as const;
  await scenario.deploy(deploy('infra', { seconds: 10, exports, outputs }));
  await scenario.deploy(deploy('os', { after: ['infra'] }));
  await scenario.until(() => scenario.isEnded('os'));
  const { status } = await scenario.deployed('infra');
  expect(status).toMatchObject({
    state: 'ERROR',
    failure: { message: expect.stringMatching(/^exports of the deploy not valid/) },
  });
  expect(await state(scenario, 'os')).toBe('DEPENDENCY_FAILED');
});

test('targets need no pattern', async () => {
  const scenario = await Scenario.open();
  const exports = { vms: { from: 'deploy.vms', format: 'targets' } } as const;
  await scenario.deploy(deploy('infra', { exports, outputs: { vms: '["anything.example"]' } }));
  await scenario.until(() => scenario.isEnded('infra'));
  expect(await state(scenario, 'infra')).toBe('SUCCESS');
});

test('a wait that gives up is told as such in the audit', async () => {
  const scenario = await Scenario.open();
  await scenario.deploy(deploy('first', { seconds: 'never', timeout: '3h' }));
  await scenario.deploy(deploy('d', { after: ['first'], afterTimeout: '1m' }));
  await scenario.until(() => scenario.isEnded('d'));
  expect(await state(scenario, 'd')).toBe('DEPENDENCY_FAILED');
  expect((await scenario.audit('d')).at(-1)).toMatchObject({ action: 'after.finish', to: 'DEPENDENCY_FAILED' });
  expect(scenario.now()).toBeLessThan(6 * 60_000);
});
