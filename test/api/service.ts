/**
 * The API over the embedded engine, on a clock that a test drives. Every answer is held against the contract: its status
 * must be one that the route names, and its body must be of that status's schema, with nothing besides.
 */
import { expect } from 'vitest';
import { createApp } from '../../api/app.ts';
import { DeployView, PROBLEM_JSON, ProblemDetails, ReleaseView, type Route, WhyView } from '../../api/contract.ts';
import { ROUTE_LIST } from '../../api/handlers.ts';
import { tokenAuthenticator } from '../../api/identity/token.ts';
import { refusalsOf } from '../../api/openapi.ts';
import { owner } from '../../core/access/actor.ts';
import { VirtualClock } from '../../local/clock.ts';
import { openDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { startEngine } from '../../local/engine.ts';
import { SimulatedWorld, simulatedPlugin } from '../../local/simulated-plugin.ts';
import { memoryJournal } from '../../local/stepfunctions/index.ts';
import type { FunctionName } from '../../statemachines/functions.ts';

const START = Date.parse('2026-10-12T20:00:00Z');

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Sent {
  readonly body?: unknown;
  /** Sent as it is, instead of `body` as JSON. */
  readonly text?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** `undefined`: none. */
  readonly token?: string | undefined;
}

export async function openService() {
  const clock = new VirtualClock(START);
  const world = new SimulatedWorld();
  const reports: string[] = [];
  let held: FunctionName | undefined;
  let letGo = () => {};
  let gate = Promise.resolve();
  const engine = await startEngine({
    storage: { dynamodb: await openDynamoDb(), journal: memoryJournal() },
    clock,
    administrators: ['user:anna', 'user:ben'],
    plugins: (host) => [{ ...simulatedPlugin(world, clock, host), log: async (job, offset) => logOf(job, offset) }],
    around: async (name, run) => {
      if (name === held) await gate;
      return run();
    },
    report: (message, error) => reports.push(`${message}: ${String(error)}`),
  });
  const app = createApp(engine.ports, {
    authenticate: tokenAuthenticator(
      new Map([
        ['token-of-anna', owner('anna')],
        ['token-of-ben', owner('ben')],
        // No administrators: what they may, documents of access say.
        ['token-of-the-shop', { subject: 'eve', kind: 'user', groups: ['shop'] }],
        ['token-of-zoe-alone', { subject: 'zoe', kind: 'user', groups: [] }],
      ]),
    ),
    links: (arn) => `https://console.example/${arn}`,
  });

  async function call(method: string, path: string, sent: Sent = {}): Promise<Answered> {
    const token = 'token' in sent ? sent.token : 'token-of-anna';
    const body = sent.text ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
    const response = await app.request(path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(body !== undefined && { body }),
    });
    const json: unknown = await response.json();
    holdAgainstContract(method, path, response, json);
    return { status: response.status, headers: response.headers, body: json };
  }

  /** Lets what was begun go on until everything waits for time to pass. */
  const settle = () => engine.activity.idle();

  /** Lets `seconds` pass, with everything that happens meanwhile. */
  async function pass(seconds: number): Promise<void> {
    const until = clock.now() + seconds * 1000;
    let reached = false;
    clock.at(until, () => {
      reached = true;
    });
    await settle();
    while (!reached) {
      clock.step();
      await settle();
    }
  }

  return {
    app,
    clock,
    engine,
    ports: engine.ports,
    world,
    reports,
    settle,
    pass,
    call,
    /** From now on calls of this function stand still, until `letGo`. */
    hold(name: FunctionName) {
      held = name;
      gate = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    letGo: () => letGo(),
    release: async (id: string) => ReleaseView.parse((await call('GET', `/v1/releases/${id}`)).body),
    deploy: async (id: string) => DeployView.parse((await call('GET', `/v1/deploys/${id}`)).body),
    why: async (id: string) => WhyView.parse((await call('GET', `/v1/why/${id}`)).body),
    get: (path: string, sent?: Sent) => call('GET', path, sent),
    post: (path: string, body?: unknown, sent?: Sent) =>
      call('POST', path, { ...(body !== undefined && { body }), ...sent }),
    close: () => engine.close(),
  };
}
export type Service = Awaited<ReturnType<typeof openService>>;

function logOf(job: string, offset: number) {
  const text = Buffer.from(`log of ${job}\n`).subarray(offset).toString('utf8');
  return { text, next: offset + Buffer.byteLength(text) };
}

function routeOf(method: string, path: string): Route | undefined {
  const { pathname } = new URL(path, 'http://renga');
  return ROUTE_LIST.map(([, route]) => route).find(
    (route) =>
      route.method === method.toLowerCase() &&
      new RegExp(`^(?:/iam)?${route.path.replaceAll('.', '\\.').replace('{id}', '[^/]+')}$`).test(pathname),
  );
}

function holdAgainstContract(method: string, path: string, response: Response, json: unknown): void {
  const route = routeOf(method, path);
  const answer = route?.answers[response.status];
  const where = `${method} ${path} answered ${response.status}`;
  if (answer !== undefined) {
    expect(response.headers.get('content-type'), where).toBe('application/json');
    const read = answer.schema.safeParse(json);
    expect(read.success ? [] : read.error.issues, `${where}: ${JSON.stringify(json)}`).toEqual([]);
    return;
  }
  const allowed = route === undefined ? [404, 405] : refusalsOf(route);
  expect(allowed, `${where}: ${JSON.stringify(json)}`).toContain(response.status);
  expect(response.headers.get('content-type'), where).toBe(PROBLEM_JSON);
  expect(ProblemDetails.parse(json)).toMatchObject({ status: response.status });
}

type Params = Readonly<Record<string, string | number>>;

/** A deploy that the simulated plugin carries out. */
export function deploy(
  application: string,
  version: string,
  rest: Readonly<Record<string, unknown>> = {},
  params: Params = {},
) {
  return {
    apiVersion: 'renga/v1',
    application,
    environment: 'prod',
    artifact: { type: 'application', name: application, version },
    deploy: { plugin: 'simulated', params },
    ...rest,
  };
}

export interface Planned {
  readonly after?: readonly string[];
  readonly params?: Params;
  readonly type?: string;
  readonly descriptor?: Readonly<Record<string, unknown>>;
}

/** A release of deploys by name; each is an application of that name. */
export function release(
  id: string,
  version: string,
  deploys: Readonly<Record<string, Planned>>,
  rest: Readonly<Record<string, unknown>> = {},
) {
  return {
    apiVersion: 'renga/v1',
    kind: 'Release',
    id,
    ...rest,
    deploys: Object.entries(deploys).map(([name, { after = [], params, type = 'application', descriptor = {} }]) => ({
      name,
      after,
      descriptor: deploy(name, version, { artifact: { type, name, version }, ...descriptor }, params),
    })),
  };
}
