/** The HTTP API as the CLI calls it: answers parsed by the contract, refusals as failures of the command. */
import * as z from 'zod';
import {
  AccessList,
  AccessView,
  AppliedView,
  AuditList,
  AuditView,
  CheckView,
  DeployView,
  EnvironmentList,
  EnvironmentView,
  EventList,
  InventoryList,
  LogView,
  MeView,
  PipelineList,
  PlanView,
  ProblemDetails,
  pathOf,
  ReleaseList,
  ReleaseView,
  RemovedView,
  RevisionList,
  ROUTES,
  type RouteName,
  ScheduleList,
  ScheduleView,
  SentView,
  WhyView,
} from '../api/contract.ts';
import { CommandFailure, EXIT } from './failure.ts';
import type { Surroundings } from './surroundings.ts';

interface Call {
  readonly id?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** What the routes that the CLI calls answer with, whichever their status. */
const ANSWERS = {
  check: CheckView,
  plan: PlanView,
  submitRelease: ReleaseView,
  listReleases: ReleaseList,
  release: ReleaseView,
  cancelRelease: ReleaseView,
  pauseRelease: ReleaseView,
  resumeRelease: ReleaseView,
  retryRelease: ReleaseView,
  submitDeploy: z.union([DeployView, ScheduleView]),
  listSchedules: ScheduleList,
  schedule: ScheduleView,
  pauseSchedule: ScheduleView,
  resumeSchedule: ScheduleView,
  deleteSchedule: ScheduleView,
  deploy: DeployView,
  cancelDeploy: DeployView,
  approveDeploy: DeployView,
  rejectDeploy: DeployView,
  rollbackDeploy: DeployView,
  promoteDeploy: DeployView,
  revisions: RevisionList,
  listEvents: EventList,
  sendEvent: SentView,
  deployLog: LogView,
  inventory: InventoryList,
  releaseAudit: AuditView,
  deployAudit: AuditView,
  audit: AuditList,
  applyEnvironment: AppliedView,
  listEnvironments: EnvironmentList,
  environment: EnvironmentView,
  removeConfiguration: RemovedView,
  listPipelines: PipelineList,
  removePipeline: RemovedView,
  applyAccess: AppliedView,
  listAccess: AccessList,
  access: AccessView,
  removeAccess: RemovedView,
  me: MeView,
  why: WhyView,
} as const satisfies Partial<Record<RouteName, z.ZodType>>;
type Called = keyof typeof ANSWERS;

export class Api {
  constructor(
    private readonly surroundings: Pick<Surroundings, 'fetch'>,
    readonly server: string,
    private readonly token: string | undefined,
  ) {}

  /** Calls a route. Whatever it does not answer with success is thrown as a {@link CommandFailure}. */
  async call<R extends Called>(
    route: R,
    call: Call = {},
  ): Promise<{ readonly status: number; readonly answer: z.infer<(typeof ANSWERS)[R]> }> {
    const response = await this.#send(route, call);
    const text = await this.#text(response);
    if (!response.ok) throw this.#refusal(response.status, text);
    const json = jsonOf(text);
    if (json === undefined) throw this.#notRenga(response.status);
    const parsed = tolerant(ANSWERS[route], json.value);
    if (!parsed.success) throw this.#notRenga(response.status, parsed.error);
    return { status: response.status, answer: parsed.data as z.infer<(typeof ANSWERS)[R]> };
  }

  async #send(route: Called, { id, query = {}, body, signal }: Call): Promise<Response> {
    const url = this.#url(pathOf(route, id));
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const request = new Request(url, {
      method: ROUTES[route].method.toUpperCase(),
      headers: {
        accept: 'application/json, application/problem+json',
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    try {
      return await this.surroundings.fetch(request);
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  #url(path: string): URL {
    const url = this.server.replace(/\/+$/, '') + path;
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return new URL(url);
    throw new CommandFailure(EXIT.invalid, 'invalid-request', `"${this.server}" is no address of a server`, {
      hint: 'write --server http://127.0.0.1:4080, or set RENGA_URL',
    });
  }

  async #text(response: Response): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      // It went away in the middle of its answer.
      throw this.#unreachable(error);
    }
  }

  #unreachable(error: unknown): CommandFailure {
    const message = `no server answers at ${this.server} (${reasonOf(error)})`;
    return new CommandFailure(EXIT.unexpected, 'unreachable', message, {
      hint: 'start one with `renga start`, or say where it is with --server or RENGA_URL',
    });
  }

  #refusal(status: number, text: string): CommandFailure {
    const parsed = tolerant(ProblemDetails, jsonOf(text)?.value);
    if (!parsed.success) return this.#notRenga(status);
    const { code, detail, hint, problems, differences, instance } = parsed.data;
    const message = instance === undefined ? detail : `${detail} (${instance})`;
    const exit = exitOf(status);
    const details = { hint: status === 401 ? TOKEN_HINT : hint, problems, differences };
    return new CommandFailure(exit, code, message, details);
  }

  #notRenga(status: number, error?: z.ZodError): CommandFailure {
    // A proxy's page in front of a server that is gone.
    if (status === 503) {
      const message = `the server at ${this.server} is starting or overloaded (HTTP 503)`;
      return new CommandFailure(EXIT.unexpected, 'unreachable', message, { hint: 'try again in a moment' });
    }
    if (status === 502 || status === 504) return this.#unreachable(new Error(`HTTP ${status}`));
    const first = error?.issues[0];
    const where = first === undefined ? '' : `, at ${first.path.join('.') || 'its top'}: ${first.message}`;
    const message = `the answer of ${this.server} (HTTP ${status}) is not what this version of renga expects${where}`;
    const hint = 'is it a renga server, and of the same version as this command?';
    return new CommandFailure(EXIT.unexpected, 'unexpected-answer', message, { hint });
  }
}

/** The exit code for a refusal, from its HTTP status: the same pairs as in the table of errors. */
function exitOf(status: number): number {
  if (status === 401 || status === 403 || status === 409) return EXIT.refused;
  return status >= 400 && status < 500 ? EXIT.invalid : EXIT.unexpected;
}

const TOKEN_HINT =
  'a local server keeps its token in the file `token` of its data directory: run this where .renga/ is, or name the ' +
  'directory with --data; or give the token with --token, RENGA_TOKEN or renga login';

/** Node's fetch says only that it failed; what happened is the cause, or one of several. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const one = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  if (!(one instanceof Error)) return String(one);
  return 'code' in one && typeof one.code === 'string' ? one.code : one.message;
}

function jsonOf(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Whatever it was, it was no answer of the API; the caller says so.
    return undefined;
  }
}

/** Parses an answer; fields that a newer server has added are left out. */
function tolerant<Schema extends z.ZodType>(schema: Schema, value: unknown): z.ZodSafeParseResult<z.infer<Schema>> {
  const first = schema.safeParse(value);
  const issues = first.error?.issues ?? [];
  if (issues.length === 0 || issues.some(({ code }) => code !== 'unrecognized_keys')) return first;
  const copy: unknown = structuredClone(value);
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = issue.path.reduce<unknown>((inner, step) => Reflect.get(Object(inner), step), copy);
    for (const key of issue.keys) Reflect.deleteProperty(Object(holder), key);
  }
  return schema.safeParse(copy);
}
