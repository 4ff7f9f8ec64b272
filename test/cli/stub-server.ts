/** A renga server of one release whose deploys do what a script says, second by second. */
import { Hono } from 'hono';
import type { ProblemDetails, ReleaseDeploy, ReleaseView } from '../../api/contract.ts';
import { NOON } from './terminal.ts';

type State = ReleaseDeploy['state'];

/** Of one deploy: seconds after the start, and its state from then on. */
export type Script = Readonly<Record<string, readonly (readonly [second: number, state: State])[]>>;

const ENDED = new Set<string>(['SUCCESS', 'ERROR', 'CANCELLED', 'DEPENDENCY_FAILED']);

export class StubServer {
  readonly requests: { method: string; path: string; body: unknown; authorization: string | undefined }[] = [];
  seconds = 0;
  /** Answers to everything, before anything else is looked at. */
  refusal: Partial<ProblemDetails> | undefined;
  /** From and until which second nobody answers. */
  away: readonly [number, number] | undefined;
  existing = false;
  readonly #app = new Hono();

  constructor(
    readonly id: string,
    readonly script: Script,
    readonly change: (view: ReleaseView) => ReleaseView = (view) => view,
  ) {
    this.#app.post('/v1/releases', (context) => context.json(this.view(), this.existing ? 200 : 202));
    this.#app.get('/v1/releases', (context) => {
      const { deploys: _, execution: __, ...summary } = this.view();
      return context.json({ items: [summary] });
    });
    this.#app.get('/v1/releases/:id', (context) =>
      context.req.param('id') === id ? context.json(this.view()) : this.#problem({ status: 404, code: 'not-found' }),
    );
    this.#app.post('/v1/releases/:id/:action', (context) => context.json(this.view(), 200));
    this.#app.post('/v1/check', (context) => context.json({ problems: [] }));
    this.#app.get('/v1/inventory', (context) => context.json({ items: [] }));
    this.#app.notFound(() => this.#problem({ status: 404, code: 'not-found', detail: 'there is no such thing' }));
  }

  readonly tick = (seconds: number): void => {
    this.seconds = seconds;
  };

  readonly fetch = async (request: Request): Promise<Response> => {
    const [from, until] = this.away ?? [0, 0];
    if (this.seconds >= from && this.seconds < until) {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }) });
    }
    const text = await request.clone().text();
    const url = new URL(request.url);
    this.requests.push({
      method: request.method,
      path: url.pathname + url.search,
      body: text === '' ? undefined : JSON.parse(text),
      authorization: request.headers.get('authorization') ?? undefined,
    });
    return this.refusal === undefined ? this.#app.fetch(request) : this.#problem(this.refusal);
  };

  #problem(problem: Partial<ProblemDetails>): Response {
    const { status = 500, code = 'internal' } = problem;
    const whole = { type: `urn:renga:error:${code}`, title: code, detail: code, ...problem, status, code };
    return new Response(JSON.stringify(whole), { status, headers: { 'content-type': 'application/problem+json' } });
  }

  /** The release as it is now. */
  view(): ReleaseView {
    const deploys = Object.entries(this.script).map(([name, steps], layer) => this.#deploy(name, layer, steps));
    const all = deploys.every(({ state }) => ENDED.has(state));
    const good = deploys.every(({ state }) => state === 'SUCCESS');
    const last = Math.max(...deploys.map(({ endedAt = 0 }) => Date.parse(String(endedAt)) || 0));
    return this.change({
      id: this.id,
      attempt: 1,
      state: all ? (good ? 'SUCCESS' : 'ERROR') : 'PENDING',
      ...(all ? { endedAt: instant(last) } : { phase: 'running' as const }),
      paused: false,
      mode: 'auto',
      start: 'layers',
      onFailure: 'stop',
      deployCount: deploys.length,
      submittedBy: 'kim',
      createdAt: instant(NOON),
      startedAt: instant(NOON),
      since: instant(NOON),
      execution: { arn: 'arn:aws:states:local-1:000000000000:execution:m:e', name: this.id, link: 'http://console/e' },
      deploys,
    });
  }

  #deploy(name: string, layer: number, steps: Script[string]): ReleaseDeploy {
    const past = steps.filter(([second]) => second <= this.seconds);
    const state = past.at(-1)?.[1] ?? 'ENQUEUED';
    const when = (wanted: (state: State) => boolean) => {
      const found = past.find(([, other]) => wanted(other));
      return found === undefined ? undefined : instant(NOON + found[0] * 1000);
    };
    const startedAt = when((other) => other === 'RUNNING');
    const endedAt = when((other) => ENDED.has(other));
    return {
      name,
      id: `${this.id}.${name}`,
      layer,
      application: name,
      environment: 'prod',
      artifact: { type: 'application', name, version: '1' },
      after: [],
      external: [],
      state,
      recorded: true,
      kept: false,
      ...(startedAt !== undefined && { startedAt }),
      ...(endedAt !== undefined && { endedAt }),
      ...(state === 'ERROR' && { error: { code: 'plugin-failed', message: 'exit code 7. The log ends:\nno port 80' } }),
      exports: {},
      rollbackState: 'none',
    };
  }
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
