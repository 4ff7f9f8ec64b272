/** Deploys after others, one by one: what a submission asks, how the wait ends, what people see of it. */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test, vi } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { checkDocument } from '../../core/documents/check.ts';
import { TABLE } from '../../local/engine.ts';
import { keys } from '../../store/schema.ts';
import { deployView } from '../../views/deploy.ts';
import { Scenario } from './harness.ts';
import { deploy, release } from './sketch.ts';

const refusal = (code: string) => ({ details: { problems: [expect.objectContaining({ code })] } });
const state = async (scenario: Scenario, id: string) => (await scenario.deployed(id)).status.state;
const view = async (scenario: Scenario, id: string) => {
  const row = await scenario.store.deploys.read(id);
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  return deployView(scenario.ports, row, { by: owner('ada') });
};

describe('after', () => {
  test('may name deploys of other applications, environments and releases', async () => {
    const scenario = await Scenario.open();
    await scenario.submit(release('r', 'db', { deploys: { db: { seconds: 60 } } }));
    await scenario.deploy(deploy('other', { application: 'x', environment: 'staging', tenant: 't', seconds: 30 }));
    await scenario.to(1_000);
    await scenario.deploy(deploy('d', { after: ['r.db', 'other'] }));
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect(scenario.now()).toBeLessThan(62_000);
    expect(scenario.started().at(-1)).toBe('d');
  });

  test('whose deploys have all succeeded lets it go straight on', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('first'));
    await scenario.until(() => scenario.isEnded('first'));
    await scenario.deploy(deploy('d', { after: ['first'] }));
    await scenario.until(() => scenario.isEnded('d'));
    expect(scenario.now()).toBeLessThan(1_000);
  });

  test.each([
    ['does not exist', 'absent', 'unknown-dependency'],
    ['has ended without success', 'failed', 'failed-dependency'],
    ['was cancelled', 'cancelled', 'failed-dependency'],
    ['is a dry run', 'dry', 'dry-run-dependency'],
  ])('is refused at once when a deploy %s, and nothing is stored', async (_, id, code) => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('failed', { outcome: 'error' }));
    await scenario.deploy(deploy('dry', { document: { dryRun: true } }));
    await scenario.deploy(deploy('cancelled', { seconds: 'never' }));
    await scenario.to(1_000);
    await scenario.cancelDeploy('cancelled');
    await scenario.to(2_000);
    await expect(scenario.deploy(deploy('d', { after: [id] }))).rejects.toMatchObject(refusal(code));
    expect(await scenario.store.deploys.read('d')).toBeUndefined();
  });

  test.each([
    ['twenty-one deploys', { after: Array.from({ length: 21 }, (_, index) => `d${index}`) }, 'too-many'],
    ['itself', { id: 'd', after: ['d'] }, 'self-dependency'],
    ['a deploy twice', { after: ['a', 'a'] }, 'duplicate-dependency'],
    ['a dry run', { dryRun: true, after: ['a'] }, undefined],
    ['a recurring schedule', { schedule: { cron: '0 3 * * *', timezone: 'UTC' }, after: ['a'] }, undefined],
    ['a timeout below a minute', { afterTimeout: '59s', after: ['a'] }, 'invalid-duration'],
    ['a timeout above thirty days', { afterTimeout: '31d', after: ['a'] }, 'invalid-duration'],
    ['a timeout in words', { afterTimeout: '2 hours', after: ['a'] }, 'invalid-duration'],
  ])('does not go with %s', (_, fields, code) => {
    const { id: __, ...written } = deploy('d');
    const checked = checkDocument({ ...written, ...fields }, 'file');
    expect(checked.value).toBeUndefined();
    if (code !== undefined) expect(checked.problems?.map((problem) => problem.code)).toContain(code);
    expect(checked.problems?.[0]?.path).not.toBe('');
  });

  test('of exactly twenty deploys is accepted', () => {
    const { id: _, ...written } = deploy('d');
    const after = Array.from({ length: 20 }, (__, index) => `d${index}`);
    expect(checkDocument({ ...written, after }, 'file').problems).toBeUndefined();
  });
});

describe('a deploy that waits', () => {
  test('shows what for, until when, and the state of each', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('first', { seconds: 600 }));
    await scenario.deploy(deploy('d', { after: ['first'], afterTimeout: '2h' }));
    await scenario.to(1_000);
    expect(await view(scenario, 'd')).toMatchObject({
      state: 'WAITING_DEPENDENCY',
      after: {
        status: 'waiting',
        expiresAt: '2026-10-01T02:00:00.000Z',
        dependencies: [{ id: 'first', state: 'RUNNING' }],
      },
    });
  });

  test('waits for twenty-four hours unless it says otherwise', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('first', { seconds: 'never', timeout: '3d' }));
    await scenario.deploy(deploy('d', { after: ['first'] }));
    await scenario.to(1_000);
    expect((await view(scenario, 'd')).after?.expiresAt).toBe('2026-10-02T00:00:00.000Z');
  });

  test.each([
    ['fails', { seconds: 60, outcome: 'error' as const }, undefined],
    ['is cancelled', { seconds: 'never' as const }, 'cancel'],
    ['is rejected', { environment: 'guarded' }, 'reject'],
    ['expires', { environment: 'guarded' }, undefined],
  ])(
    'ends DEPENDENCY_FAILED with the reason, and is never started, when a dependency %s',
    async (_, behaviour, act) => {
      const scenario = await Scenario.open();
      await scenario.set({ kind: 'Environment', name: 'guarded', approval: { expiresAfter: '10m' } });
      await scenario.deploy(deploy('first', behaviour));
      await scenario.deploy(deploy('d', { after: ['first'] }));
      await scenario.deploy(deploy('e', { after: ['d'] }));
      await scenario.to(5_000);
      if (act === 'cancel') await scenario.cancelDeploy('first');
      if (act === 'reject') await scenario.reject('first', 'bob');
      await scenario.until(() => scenario.isEnded('d') && scenario.isEnded('e'));
      expect(await state(scenario, 'd')).toBe('DEPENDENCY_FAILED');
      expect(await state(scenario, 'e')).toBe('DEPENDENCY_FAILED');
      const { error, after } = await view(scenario, 'd');
      expect(error?.message).toMatch(/^first ended (ERROR|CANCELLED|REJECTED|EXPIRED)/);
      expect(after).toMatchObject({ status: 'failed', reason: error?.message });
      expect((await scenario.audit('d')).at(-1)).toMatchObject({ action: 'after.finish', to: 'DEPENDENCY_FAILED' });
      expect(scenario.started()).not.toContain('d');
    },
  );

  test('starts when the last of them has succeeded, and ends with the first that fails, whatever the others do', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('quick', { seconds: 30 }));
    await scenario.deploy(deploy('slow', { seconds: 90 }));
    await scenario.deploy(deploy('bad', { seconds: 60, outcome: 'error' }));
    await scenario.deploy(deploy('both', { after: ['quick', 'slow'] }));
    await scenario.deploy(deploy('lost', { after: ['slow', 'bad'] }));
    await scenario.to(61_000);
    expect(await state(scenario, 'both')).toBe('WAITING_DEPENDENCY');
    expect((await view(scenario, 'both')).after?.dependencies).toEqual([
      { id: 'quick', state: 'SUCCESS' },
      { id: 'slow', state: 'RUNNING' },
    ]);
    expect((await scenario.deployed('lost')).status).toMatchObject({
      state: 'DEPENDENCY_FAILED',
      failure: { message: expect.stringContaining('bad ended ERROR') },
    });
    await scenario.to(91_000);
    expect(await state(scenario, 'both')).toBe('SUCCESS');
    expect(scenario.started()).toEqual(['quick', 'slow', 'bad', 'both']);
  });

  test('ends DEPENDENCY_FAILED when a deploy that it waits for is there no more', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('first', { seconds: 'never', timeout: '3d' }));
    await scenario.deploy(deploy('d', { after: ['first'] }));
    await scenario.to(10_000);
    // Nobody tells of that: the sweep finds it.
    await scenario.engine.clients.documents.send(new DeleteCommand({ TableName: TABLE, Key: keys.deploy('first') }));
    await scenario.until(() => scenario.isEnded('d'));
    expect((await scenario.deployed('d')).status).toMatchObject({
      state: 'DEPENDENCY_FAILED',
      failure: { message: 'the deploy first that it waits for no longer exists' },
    });
    expect(scenario.now()).toBeLessThan(10_000 + 6 * 60_000);
    expect(scenario.started()).not.toContain('d');
  });

  test('holds up nobody in its own place', async () => {
    const scenario = await Scenario.open();
    await scenario.set({ kind: 'Environment', name: 'prod', concurrency: 2 });
    await scenario.deploy(deploy('slow', { seconds: 600 }));
    await scenario.deploy(deploy('waits', { application: 'shop', after: ['slow'] }));
    await scenario.to(1_000);
    await scenario.deploy(deploy('passes', { application: 'shop' }));
    await scenario.to(2_000);
    expect([await state(scenario, 'waits'), await state(scenario, 'passes')]).toEqual([
      'WAITING_DEPENDENCY',
      'SUCCESS',
    ]);
    await scenario.until(() => scenario.isEnded('waits'));
    expect(await state(scenario, 'waits')).toBe('SUCCESS');
  });

  test('is looked at once when the last of twenty has succeeded, and reads them together', async () => {
    const scenario = await Scenario.open();
    const ids = Array.from({ length: 20 }, (_, index) => `first-${index}`);
    for (const [index, id] of ids.entries()) await scenario.deploy(deploy(id, { seconds: 10 + index }));
    await scenario.deploy(deploy('d', { after: ids }));
    await scenario.to(20_000);
    const { deploys } = scenario.ports.store;
    const [alone, together] = [vi.spyOn(deploys, 'read'), vi.spyOn(deploys, 'readMany')];
    const looks = () => together.mock.calls.filter(([all]) => all.includes('first-0'));
    await scenario.to(28_500);
    expect(looks()).toEqual([]);
    await scenario.to(29_000);
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect(looks()).toEqual([[ids]]);
    expect(alone.mock.calls).not.toContainEqual(['first-0']);
  });

  test('counts its time from the instant of its schedule on, and not from its submission', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('first', { seconds: 'never', timeout: '3d' }));
    const schedule = { at: '2026-10-01T00:10:00Z' };
    await scenario.deploy(deploy('d', { after: ['first'], afterTimeout: '5m', document: { schedule } }));
    await scenario.to(12 * 60_000);
    expect((await view(scenario, 'd')).after).toMatchObject({
      status: 'waiting',
      expiresAt: '2026-10-01T00:15:00.000Z',
    });
    await scenario.to(15 * 60_000 + 1_000);
    expect((await scenario.deployed('d')).status).toMatchObject({ failure: { code: 'after-timeout' } });
  });

  test('survives engines that die, and the loss of every event', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('first', { seconds: 60 }));
    await scenario.deploy(deploy('d', { after: ['first'] }));
    await scenario.to(10_000);
    await scenario.restart();
    scenario.around = async (name, run) => (name === 'wake' ? undefined : run());
    await scenario.until(() => scenario.isEnded('d'));
    expect(await state(scenario, 'd')).toBe('SUCCESS');
    expect(scenario.now()).toBeLessThan(60_000 + 6 * 60_000);
  });

  test('passes through a rollback and a promotion without its dependencies', async () => {
    const scenario = await Scenario.open();
    await scenario.deploy(deploy('first', { environment: 'dev' }));
    for (const id of ['d1', 'd2']) await scenario.deploy(deploy(id, { application: 'a', after: ['first'] }));
    await scenario.until(() => scenario.isEnded('d1') && scenario.isEnded('d2'));
    const last = (await scenario.store.inventory.current({ application: 'a', environment: 'prod' })).a?.deploy ?? '';
    await scenario.rollBack(last);
    await scenario.promote(last, 'qa');
    await scenario.until(() => scenario.isEnded(`${last}-back`) && scenario.isEnded(`${last}-qa`));
    for (const id of [`${last}-back`, `${last}-qa`]) {
      expect((await scenario.deployed(id)).identity.after).toEqual([]);
      expect(await state(scenario, id)).toBe('SUCCESS');
    }
  });
});

test('the audit alone tells how every deploy and release ended, and no row of it is ever changed', async () => {
  const scenario = await Scenario.open();
  await scenario.set({ kind: 'Environment', name: 'guarded', approval: { expiresAfter: '10m' } });
  const deploys = { web: { outcome: 'error' as const, automatic: true }, db: { environment: 'guarded' } };
  await scenario.submit(release('r', 'db; api <- db; web <- api', { onFailure: 'rollback', deploys }));
  await scenario.deploy(deploy('late', { environment: 'guarded' }));
  await scenario.to(1_000);
  await scenario.approve('r.db', 'bob');
  await scenario.run('r');
  await scenario.until(() => scenario.isEnded('late'));
  for (const { of, id, state: ended } of scenario.heads.values()) {
    const rows = await scenario.audit(id, of);
    expect(
      rows.map(({ seq }) => seq),
      id,
    ).toEqual(rows.map((_, index) => index + 1));
    expect(rows.at(-1)?.to, id).toBe(ended);
    // A release's rows tell of its phases as well, so only a deploy's hold one state to the next.
    if (of === 'deploy')
      for (const [index, row] of rows.entries()) if (index > 0) expect(row.from, id).toBe(rows[index - 1]?.to);
  }
});
