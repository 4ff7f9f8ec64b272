/** The commands for what waits, against the real service. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deploy, openService, type Service } from '../api/service.ts';
import { renga } from './terminal.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const run = (line: string, who = 'anna') =>
  renga(line, { fetch: async (request) => service.app.fetch(request), env: { RENGA_TOKEN: `token-of-${who}` } });
const environment = (more: object) =>
  service.post('/v1/environments', { apiVersion: 'renga/v1', kind: 'Environment', name: 'prod', ...more });

test('approve says how it goes on, and by whom it was', async () => {
  await environment({ approval: { required: 1 } });
  await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }));
  await service.settle();
  const own = await run('approve db-1');
  expect(own.exit).toBe(5);
  expect(own.stderr).toContain('anna submitted db-1, and prod wants somebody else to approve it');
  expect(await run('approve db-1 --reason "looks right"', 'ben')).toMatchObject({ exit: 0 });
  await service.pass(5);
  const status = await run('status db-1');
  expect(status.stdout).toMatch(/approved +by ben, 2026-10-12T20:00:00Z: looks right/);
  expect((await run('approve db-1', 'ben')).exit).toBe(5);
});

test('reject needs a reason, and ends the deploy', async () => {
  await environment({ approval: { required: 1 } });
  await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }));
  await service.settle();
  expect((await run('reject db-1', 'ben')).exit).toBe(2);
  const { exit, stdout } = await run('reject db-1 --reason "not today"', 'ben');
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'db-1 is REJECTED\n' });
  expect((await run('why db-1')).stdout).toContain('not today');
});

test('schedules are listed, shown, paused, resumed and deleted', async () => {
  const schedule = { cron: '0 3 * * *', timezone: 'Europe/Rome' };
  await service.post('/v1/deploys', deploy('db', '1', { id: 'nightly', schedule }));
  expect((await run('schedule list')).stdout).toMatch(
    /nightly +active +0 3 \* \* \* Europe\/Rome +2026-10-13T01:00:00Z/,
  );
  expect((await run('schedule show nightly')).stdout).toContain(
    'next 2026-10-13T01:00:00Z, 2026-10-14T01:00:00Z, 2026-10-15T01:00:00Z',
  );
  expect((await run('schedule pause nightly')).stdout).toContain('schedule nightly  paused');
  expect((await run('schedule resume nightly')).stdout).toContain('schedule nightly  active');
  expect((await run('schedule delete nightly')).stdout).toContain('schedule nightly  deleted');
  expect((await run('schedule list')).stdout).toBe('there are no schedules\n');
  expect(await run('schedule resume nightly')).toMatchObject({ exit: 5 });
  expect(await run('schedule show nothing')).toMatchObject({ exit: 2 });
});

test('plan says what its environments ask, and that it does not know it without a server', async () => {
  await environment({
    concurrency: 2,
    approval: { required: 2, expiresAfter: '2h' },
    freezes: [{ from: '2026-12-20T00:00:00Z', to: '2027-01-02T00:00:00Z', reason: 'holidays' }],
  });
  const plan = 'plan -f test/cli/fixtures/shop.yml';
  const { stdout } = await run(plan);
  expect(stdout).toContain(`
Environments
  prod  2 approvals before each of its 4 deploys, within 2h, not by who submits
        2 at once: 0 of the slots taken, nobody waits
        next freeze 2026-12-20T00:00:00Z to 2027-01-02T00:00:00Z (holidays)
`);
  expect(JSON.parse((await run(`${plan} --json`)).stdout)).toMatchObject({
    irreversible: [],
    environments: [{ name: 'prod', approval: { required: 2 } }],
  });
  expect((await renga(plan)).stdout.replace(/\s+/g, ' ')).toContain(
    'approvals, freezes and queues are not known: no server answers at http://127.0.0.1:4080 (ECONNREFUSED)',
  );
  expect((await run(`${plan} --offline`)).stdout).toContain('are not known: --offline');
});
