/** Chains from the command line, against the real service: waits and imports bound when a deploy is sent, what is shown of them. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deploy, openService, type Service } from '../api/service.ts';
import { renga } from './terminal.ts';

let service: Service;
let folder: string;
beforeEach(async () => {
  service = await openService();
  folder = await mkdtemp(path.join(tmpdir(), 'renga-chains-'));
});
afterEach(() => service.close());

const run = (line: string) =>
  renga(line, { fetch: async (request) => service.app.fetch(request), env: { RENGA_TOKEN: 'token-of-anna' } });
async function file(document: unknown): Promise<string> {
  const name = path.join(folder, 'deploy.json');
  await writeFile(name, JSON.stringify(document));
  return name;
}
/** Two deploys to wait for, the first of which exports a host. */
async function producers() {
  const exports = { host: { from: 'deploy.host', pattern: '[a-z.]+' } };
  const params = { SECONDS: 60, OUT_host: 'db.internal' };
  await service.post('/v1/deploys', deploy('infra', '1', { id: 'infra-1', exports }, params));
  await service.post('/v1/deploys', deploy('queue', '1', { id: 'queue-1' }, { SECONDS: 60 }));
  await service.settle();
}

test('--after, as often as is wanted, and --import are checked with the file, sent, and waited for', async () => {
  await producers();
  const deployStep = { plugin: 'simulated', paramsFrom: { HOST: { import: 'infra', export: 'host' } } };
  const name = await file(deploy('os', '1', { id: 'os-1', deploy: deployStep }));
  expect((await run(`deploy -f ${name} --no-wait`)).stderr).toContain('unknown-import');
  const sent = await run(`deploy -f ${name} --after queue-1 --after infra-1 --import infra=infra-1 --no-wait`);
  expect(sent).toMatchObject({ exit: 0 });
  expect((await service.deploy('os-1')).after?.dependencies.map(({ id }) => id)).toEqual(['queue-1', 'infra-1']);
  await service.pass(90);
  const { idempotencyToken, params } = service.world.started.at(-1) ?? {};
  expect([idempotencyToken, params]).toEqual(['os-1/deploy', { HOST: 'db.internal' }]);
  expect(await service.deploy('os-1')).toMatchObject({ provenance: { 'import.infra': 'infra-1@1' } });
});

test('--after is refused with what stands in the file against it', async () => {
  await producers();
  const name = await file(deploy('os', '1', { dryRun: true }));
  const { exit, stderr } = await run(`deploy -f ${name} --after infra-1`);
  expect(exit).toBe(2);
  expect(stderr).toContain('dry-run-with-after');
  const many = Array.from({ length: 21 }, (_, index) => `--after d${index}`).join(' ');
  expect((await run(`deploy -f ${await file(deploy('os', '1'))} ${many}`)).stderr).toContain('the limit is 20');
});

test('status shows what a deploy waits for, and what one has exported; cancel ends the wait', async () => {
  await producers();
  await service.post('/v1/deploys', deploy('os', '1', { id: 'os-1', after: ['infra-1', 'queue-1'] }));
  await service.settle();
  const waiting = await run('status os-1');
  expect(waiting.stdout).toMatch(/os-1 +WAITING_DEPENDENCY/);
  expect(waiting.stdout).toMatch(/after +infra-1 +RUNNING\n +after +queue-1 +RUNNING/);
  expect(await run('cancel os-1 --reason "wrong version"')).toMatchObject({ exit: 0, stdout: 'os-1 is CANCELLED\n' });
  expect((await run('status os-1')).stdout).toContain('wrong version');
  await service.pass(90);
  const exported = await run('status infra-1');
  expect(exported.stdout).toMatch(/exports\n +host = db\.internal/);
  expect(JSON.parse((await run('status infra-1 --json')).stdout)).toMatchObject({ exports: { host: 'db.internal' } });
});

test('--ci writes the id, the state and the exports of what has ended', async () => {
  const exports = { host: { from: 'deploy.host', pattern: '[a-z.]+' } };
  const name = await file(deploy('infra', '1', { id: 'infra-1', exports }, { OUT_host: 'db.internal' }));
  const out = path.join(folder, 'out.env');
  expect(await run(`deploy -f ${name} --ci dotenv --ci-file ${out}`)).toMatchObject({ exit: 0 });
  expect(await readFile(out, 'utf8')).toBe('deploy_id=infra-1\nstate=SUCCESS\nexport_host=db.internal\n');
});
