import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';

/**
 * dynoxide is another implementation of DynamoDB, a static binary in an optional dependency. It only serves the contract
 * suite: where it and the embedded engine differ, one of them leans on a bug.
 */
export type Availability = { readonly path: string } | { readonly reason: string };

export function available(): Availability {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  let path: string;
  try {
    path = createRequire(import.meta.url).resolve(`${name}/dynoxide`);
  } catch {
    return { reason: `the optional package ${name} is not installed or does not exist` };
  }
  return existsSync(path) ? { path } : { reason: `${name} holds no binary` };
}

export interface Dynoxide {
  /** Where its clients send their requests. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts it in memory on a free loopback port, and waits until it takes connections. */
export async function startDynoxide(path: string): Promise<Dynoxide> {
  const port = await freePort();
  const child = spawn(path, ['serve', '--host', '127.0.0.1', '--port', String(port)], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilAnswering(endpoint, child);
  return {
    endpoint,
    async close() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No loopback port was given.');
  return address.port;
}

/** 100 tries at most 50 ms apart: 5 s, where a start takes some tens of milliseconds. */
async function untilAnswering(endpoint: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) throw new Error(`dynoxide ended with ${child.exitCode} before it answered.`);
    const answering = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answering) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill();
  throw new Error(`dynoxide did not answer on ${endpoint} within 5 s.`);
}
