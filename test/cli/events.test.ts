/** `renga events`, against the API over the embedded engine. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNT } from '../../local/engine.ts';
import { openService, type Service } from '../api/service.ts';
import { renga as run } from './terminal.ts';

let service: Service;
let folder = '';
beforeEach(async () => {
  service = await openService();
  folder = await mkdtemp(path.join(tmpdir(), 'renga-events-'));
  await service.post('/v1/access', {
    apiVersion: 'renga/v1',
    kind: 'Access',
    name: 'ci',
    roles: { ci: ['deployment.submit'] },
    bindings: [{ role: 'ci', subjects: [`pipeline:${ACCOUNT}`], applications: ['infra'], environments: ['*'] }],
  });
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function renga(line: string, token = 'token-of-anna') {
  const fetch = async (request: Request) => service.app.fetch(request);
  const ran = await run(line, { fetch, env: { RENGA_TOKEN: token } });
  await service.pass(1);
  return ran;
}

async function file(name: string, text: string): Promise<string> {
  const full = path.join(folder, name);
  await writeFile(full, text);
  return full;
}

const SAMPLE = 'examples/events/deploy-started.json';

describe('renga events', () => {
  test('says so when none has come', async () => {
    expect(await renga('events')).toMatchObject({ exit: 0, stdout: 'no events have come in\n' });
  });

  test('sends one and shows what became of it', async () => {
    const sent = await renga(`events send -f ${SAMPLE}`);
    expect(sent.exit).toBe(0);
    expect(sent.stdout).toContain('is on the bus');
    expect((await renga('events')).stdout).toMatch(
      /accepted +Deploy Started +ci:infra:42 +000000000000\/com\.example\.ci/,
    );
    expect((await renga('events list')).stdout).toContain('accepted');
    expect((await renga('events --refused')).stdout).toBe('no events have come in\n');
    expect((await renga('status ci:infra:42')).stdout).toContain('RUNNING');
  });

  test('tells why one was refused', async () => {
    const wrong = await file(
      'wrong.yml',
      'source: com.example.ci\ndetail-type: Deploy Concluded\ndetail: {id: "ci:infra:42", state: null}\n',
    );
    await renga(`events send -f ${wrong}`);
    await renga(`events send -f ${SAMPLE}`);
    const { stdout } = await renga('events list --refused');
    expect(stdout).toContain('invalid-request: the detail of Deploy Concluded is not what it should be; state: ');
    expect(stdout).not.toContain('accepted');
    const json = await renga('events --refused --json');
    expect(JSON.parse(json.stdout)).toMatchObject({ items: [{ type: 'Deploy Concluded', outcome: 'refused' }] });
  });

  test('tries an event of AWS on the default bus', async () => {
    await service.post('/v1/environments', {
      apiVersion: 'renga/v1',
      kind: 'Pipeline',
      name: 'codepipeline:shop-infra',
      application: 'infra',
      environment: 'prod',
      version: 'execution-trigger.commit-id',
    });
    for (const name of ['codepipeline-started', 'codepipeline-succeeded']) {
      expect((await renga(`events send -f examples/events/${name}.json --bus default`)).exit).toBe(0);
    }
    const id = 'codepipeline:shop-infra:6f1d3c52-8b1e-4f0a-9c57-2a4d1e0b7c11';
    const { stdout } = await renga(`status ${id} --json`);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'SUCCESS', artifact: { version: '4c1b0de9' } });
  });

  test.each([
    ['no file', 'missing.json', undefined, "can't be read"],
    ['no event in it', 'empty.yml', 'just text\n', 'holds no event'],
    ['no source', 'event.yml', 'detail-type: Deploy Started\ndetail: {}\n', 'source'],
    ['a detail that is no mapping', 'event.yml', 'source: ci\ndetail-type: Deploy Started\ndetail: [1]\n', 'detail'],
  ])('sends nothing with %s', async (_, name, text, told) => {
    const from = text === undefined ? path.join(folder, name) : await file(name, text);
    const ran = await renga(`events send -f ${from}`);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain(told);
  });

  test('sends nothing for who is no administrator', async () => {
    expect(await renga(`events send -f ${SAMPLE}`, 'token-of-the-shop')).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('no administrator'),
    });
  });

  test('says that AWS lets nobody send events of its own services on the bus of renga', async () => {
    const ran = await renga('events send -f examples/events/codepipeline-started.json');
    expect(ran.exit).toBe(5);
    expect(ran.stderr).toContain('aws.');
  });
});
