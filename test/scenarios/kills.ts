/**
 * The real process, killed with SIGKILL at instants drawn from a seed while it releases; started again over the same data.
 * Every command that is carried out appends a line to a file: nothing may be missing there, and nothing may stand twice.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface Killing {
  /** The built command, `renga.js`. */
  readonly main: string;
  /** An empty directory for data and for what the commands write. */
  readonly directory: string;
  readonly kills: number;
  readonly seed: number;
  readonly say?: (line: string) => void;
}

/** Until a process that was started must answer, and until the last release must have ended. */
const START_MS = 60_000;
const END_MS = 180_000;
/** The longest life of a process, from its start or from its first answer. */
const LIFE_MS = 1_500;

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
}

/** What went wrong, as sentences; none when every release has ended as it should and nothing ran twice. */
export async function killAgainAndAgain({ main, directory, kills, seed, say = () => {} }: Killing): Promise<string[]> {
  const random = randomOf(seed);
  const lines = path.join(directory, 'lines');
  await writeFile(lines, '');
  const submitted = new Map<string, Drawn>();
  /** Submitted without an answer: a client submits them again. */
  const open = new Set<string>();
  const deadline = { at: 0 };
  const running: ChildProcess[] = [];
  try {
    for (let life = 1; life <= kills; life++) {
      const child = launch(main, directory);
      running.push(child);
      const before = random() < 0.25;
      const delay = random() * LIFE_MS;
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      if (before) setTimeout(() => child.kill('SIGKILL'), delay);
      const server = await readyOrGone(child, directory);
      if (server !== undefined) {
        if (!before) setTimeout(() => child.kill('SIGKILL'), delay);
        const drawn = drawRelease(`k${life}`, random, lines);
        submitted.set(drawn.id, drawn);
        open.add(drawn.id);
        for (const id of open) {
          const answer = await send(server, '/v1/releases', (submitted.get(id) as Drawn).document).catch(
            () => undefined,
          );
          if (answer === undefined) break;
          if (answer.status !== 202 && answer.status !== 200)
            return [`${id} was refused: ${JSON.stringify(answer.body)}`];
          open.delete(id);
        }
      }
      await gone;
      if (life % 25 === 0) say(`${life} kills, ${submitted.size} releases`);
    }
    const child = launch(main, directory);
    running.push(child);
    const server = await readyOrGone(child, directory);
    if (server === undefined) return ['after the last kill it did not start'];
    for (const id of open) await send(server, '/v1/releases', (submitted.get(id) as Drawn).document);
    deadline.at = Date.now() + END_MS;
    const wrong: string[] = [];
    for (const drawn of submitted.values()) wrong.push(...(await verdict(server, drawn, deadline.at)));
    return [...wrong, ...wrongLines(readFileSync(lines, 'utf8'), [...submitted.values()])];
  } finally {
    for (const child of running) child.kill('SIGKILL');
  }
}

function launch(main: string, directory: string): ChildProcess {
  return spawn(process.execPath, [main, 'start', '--port', '0', '--json', '--data', path.join(directory, 'data')], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The server once it says where it is; undefined when it was killed first. Throws when it ended by itself. */
async function readyOrGone(child: ChildProcess, directory: string): Promise<Server | undefined> {
  let said = '';
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const url = await new Promise<string | undefined>((resolve, reject) => {
    const bound = setTimeout(() => reject(new Error(`it did not start: ${errors}`)), START_MS);
    child.once('exit', (code, signal) => {
      clearTimeout(bound);
      if (signal === 'SIGKILL') resolve(undefined);
      else reject(new Error(`it ended with ${code}: ${errors}`));
    });
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      if (!said.endsWith('}\n')) return;
      clearTimeout(bound);
      resolve((JSON.parse(said) as { url: string }).url);
    });
  });
  if (url === undefined) return undefined;
  const token = (await readFile(path.join(directory, 'data', 'token'), 'utf8')).trim();
  return { child, url, token };
}

interface Drawn {
  readonly id: string;
  readonly document: unknown;
  /** Lines that must stand once, and lines that must not stand. */
  readonly once: readonly string[];
  readonly never: readonly string[];
  readonly state: 'SUCCESS' | 'ERROR';
}

/** `db; api <- db; worker <- db; web <- api`, with one that fails in every third release. */
function drawRelease(id: string, random: () => number, file: string): Drawn {
  const fails = random() < 1 / 3;
  const entry = (name: string, after: readonly string[], failing = false) => ({
    name,
    after,
    descriptor: {
      apiVersion: 'renga/v1',
      application: `${id}-${name}`,
      environment: 'prod',
      artifact: { type: 'application', name, version: id },
      deploy: {
        plugin: 'command',
        params: {
          COMMAND: ['sh', '-c', 'echo "$LINE" >> "$FILE"; sleep "$PAUSE"; exit "$CODE"'],
          LINE: `${id}.${name}`,
          FILE: file,
          PAUSE: (random() * 0.2).toFixed(3),
          CODE: failing ? '1' : '0',
        },
      },
    },
  });
  const deploys = [entry('db', []), entry('api', ['db'], fails), entry('worker', ['db']), entry('web', ['api'])];
  const document = {
    apiVersion: 'renga/v1',
    kind: 'Release',
    id,
    start: random() < 0.5 ? 'eager' : 'layers',
    onFailure: 'continue',
    deploys,
  };
  const names = ['db', 'api', 'worker', ...(fails ? [] : ['web'])];
  return {
    id,
    document,
    once: names.map((name) => `${id}.${name}`),
    never: fails ? [`${id}.web`] : [],
    state: fails ? 'ERROR' : 'SUCCESS',
  };
}

async function send(server: Server, at: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}${at}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
  });
  return { status: response.status, body: await response.json() };
}

async function verdict(server: Server, { id, state }: Drawn, deadline: number): Promise<string[]> {
  for (;;) {
    const { status, body } = await send(server, `/v1/releases/${id}`);
    if (status !== 200) return [`${id} was accepted and is gone: ${status} ${JSON.stringify(body)}`];
    const found = (body as { state: string }).state;
    if (found === state) return [];
    if (found !== 'PENDING' || Date.now() > deadline)
      return [`${id} is ${found}, not ${state}: ${JSON.stringify(body)}`];
    // Asked again at the pace of a person who looks; the deadline bounds it.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function wrongLines(text: string, releases: readonly Drawn[]): string[] {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  return releases.flatMap(({ once, never }) => [
    ...once
      .filter((line) => counts.get(line) !== 1)
      .map((line) => `${line} was carried out ${counts.get(line) ?? 0} times`),
    ...never.filter((line) => counts.has(line)).map((line) => `${line} was carried out and should not have been`),
  ]);
}

/** Numbers from 0 to 1 that a seed gives, by Marsaglia's xorshift of 32 bits. */
function randomOf(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
