import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReleaseView } from '../../api/contract.ts';
import { DataDirectoryUnusable, openDataDirectory } from '../../local/data-directory.ts';
import { PortUnavailable, type Server, startServer } from '../../local/server.ts';
import { renga, startedServer } from './server-process.ts';

let folder: string;
const servers = new Set<Server>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'renga-server-'));
});
afterEach(async () => {
  for (const server of servers) await stop(server);
  rmSync(folder, { recursive: true, force: true });
});

async function start(port = 0, data = 'data'): Promise<Server> {
  const server = await startServer({
    port,
    dataDirectory: join(folder, data),
    workingDirectory: folder,
    report: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  servers.add(server);
  return server;
}

async function stop(server: Server): Promise<void> {
  servers.delete(server);
  await server.close();
}

const ask = (server: Server, path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', ...init.headers },
  });

/** A deploy whose command writes down that it runs, waits for the file `go`, and writes down that it has ended. */
function release(id: string, names: readonly string[]) {
  const script = `echo $RENGA_DEPLOY >> started; while [ ! -e go ]; do sleep 0.05; done; echo $RENGA_DEPLOY >> ended`;
  return {
    apiVersion: 'renga/v1',
    kind: 'Release',
    id,
    deploys: names.map((name, index) => ({
      name,
      after: names.slice(index - 1, index),
      descriptor: {
        apiVersion: 'renga/v1',
        application: name,
        environment: 'prod',
        artifact: { type: 'application', name, version: '1' },
        deploy: { plugin: 'command', params: { COMMAND: ['/bin/sh', '-c', script] } },
      },
    })),
  };
}

const submit = (server: Server, document: unknown) =>
  ask(server, '/releases', { method: 'POST', body: JSON.stringify(document) });

async function ended(server: Server, id: string): Promise<ReleaseView> {
  for (;;) {
    const view = (await (await ask(server, `/releases/${id}`)).json()) as ReleaseView;
    if (view.state !== 'PENDING') return view;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function fileAppears(name: string): Promise<void> {
  while (!existsSync(join(folder, name))) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('a server', () => {
  it('whose port is taken refuses and touches nothing, and the other goes on', async () => {
    const first = await start();
    await expect(start(first.port, 'other')).rejects.toThrow(PortUnavailable);
    await expect(start(first.port, 'other')).rejects.toThrow(/in use.*--port/);
    expect(existsSync(join(folder, 'other'))).toBe(false);
    expect((await ask(first, '/releases')).status).toBe(200);
  });

  it('whose data are in use refuses, and the other goes on; also in another process', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(DataDirectoryUnusable);
    await expect(start()).rejects.toThrow(/open in this process already/);
    const { code, stdout } = await renga(['start', '--port', '0', '--data', first.dataDirectory, '--json']).ended;
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.message).toMatch(/another process has it open/);
    expect((await ask(first, '/releases')).status).toBe(200);
    expect((await submit(first, release('r', ['a']))).status).toBe(202);
    writeFileSync(join(folder, 'go'), '');
    expect((await ended(first, 'r')).state).toBe('SUCCESS');
  });

  it('that can not open its data gives its port back', async () => {
    writeFileSync(join(folder, 'data'), 'a file');
    const other = await start(0, 'other');
    const { port } = other;
    await stop(other);
    await expect(start(port)).rejects.toThrow(DataDirectoryUnusable);
    expect((await start(port, 'other')).port).toBe(port);
  });

  it.each([
    ['no token', {}],
    ['another token', { authorization: `Bearer ${'0'.repeat(64)}` }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['it in another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('answers 401 to who brings %s', async (_, headers) => {
    const server = await start();
    const answer = await fetch(`${server.url}/v1/releases`, { headers: headers as Record<string, string> });
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain(server.token);
  });

  it.each([
    ['evil.example', 421],
    ['evil.example:80', 421],
    ['127.0.0.1.evil.example', 421],
    ['localhost.evil.example:1', 421],
    ['localhost', 200],
    ['127.0.0.1:1', 200],
    ['[::1]:80', 200],
  ])('that is reached under the name "%s" answers %i', async (host, status) => {
    const server = await start();
    const headers = { host, authorization: `Bearer ${server.token}` };
    for (const [path, method, more] of [
      ['/v1/releases', 'GET', {}],
      ['/', 'POST', { 'x-amz-target': 'AWSStepFunctions.ListStateMachines' }],
    ] as const) {
      const answered = await new Promise<number | undefined>((resolve, reject) => {
        const options = { host: '127.0.0.1', port: server.port, path, method, headers: { ...headers, ...more } };
        request(options, (answer) => resolve(answer.resume().statusCode))
          .on('error', reject)
          .end();
      });
      expect(answered).toBe(status);
    }
  });

  it('lists after a restart what it listed before', async () => {
    writeFileSync(join(folder, 'go'), '');
    const first = await start();
    for (const id of ['r1', 'r2', 'r3']) {
      await submit(first, release(id, ['a', 'b']));
      await ended(first, id);
    }
    const paths = ['/releases', '/deploys', '/inventory', '/releases/r2', '/deploys/r3.b'];
    const all = (server: Server) => Promise.all(paths.map(async (path) => (await ask(server, path)).json()));
    const before = await all(first);
    expect((before[0] as { items: { id: string }[] }).items.map(({ id }) => id)).toEqual(['r3', 'r2', 'r1']);
    await stop(first);
    const second = await start();
    expect(second.token).toBe(first.token);
    expect(await all(second)).toEqual(before);
    expect((await submit(second, release('r2', ['a', 'b']))).status).toBe(200);
  });

  it('that is stopped leaves its jobs running; the next finds them and the release ends', async () => {
    const first = await startedServer(join(folder, 'data'), folder);
    const token = readFileSync(join(folder, 'data', 'token'), 'utf8').trim();
    await fetch(`${first.url}/v1/releases`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(release('r', ['a', 'b'])),
    });
    await fileAppears('started');
    const { code, stderr } = await first.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'stopping; what runs goes on at the next start\n' });

    const second = await start();
    expect((await ((await ask(second, '/releases/r')).json() as Promise<ReleaseView>)).state).toBe('PENDING');
    writeFileSync(join(folder, 'go'), '');
    expect((await ended(second, 'r')).state).toBe('SUCCESS');
    for (const name of ['started', 'ended']) {
      expect(readFileSync(join(folder, name), 'utf8')).toBe('r.a\nr.b\n');
    }
  });

  it('whose job ends while no server runs finds out at the next start', async () => {
    const first = await start();
    await submit(first, release('r', ['a']));
    await fileAppears('started');
    await stop(first);
    writeFileSync(join(folder, 'go'), '');
    await fileAppears('ended');
    const second = await start();
    expect((await ended(second, 'r')).state).toBe('SUCCESS');
    expect(readFileSync(join(folder, 'started'), 'utf8')).toBe('r.a\n');
  });

  it('that can not start closes its data, so that the next can', async () => {
    const data = await openDataDirectory(join(folder, 'data'));
    await data.close();
    writeFileSync(join(folder, 'data', 'jobs'), 'a file where a folder belongs');
    await expect(start()).rejects.toThrow();
    rmSync(join(folder, 'data', 'jobs'));
    await expect(start()).resolves.toBeDefined();
  });
});
