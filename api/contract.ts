/**
 * The HTTP API as data: every route, what it takes and what it answers. The app binds a handler to each, the OpenAPI
 * document is written from it, clients parse answers with it. Pure zod: a client that imports this takes nothing else.
 */
import * as z from 'zod';
import { DeployDocument } from '../core/documents/deploy.ts';
import { ReleaseDocument } from '../core/documents/release.ts';
import { DeployList, DeployListQuery, DeployView, LogQuery, LogView } from './contract/deploy.ts';
import { InventoryList, InventoryQuery } from './contract/inventory.ts';
import { AuditView } from './contract/parts.ts';
import { PlanQuery, PlanView } from './contract/plan.ts';
import { ProblemItem } from './contract/problem.ts';
import { ReleaseList, ReleaseListQuery, ReleaseView } from './contract/release.ts';
import { WhyView } from './contract/why.ts';

export * from './contract/deploy.ts';
export * from './contract/inventory.ts';
export * from './contract/parts.ts';
export * from './contract/plan.ts';
export * from './contract/problem.ts';
export * from './contract/release.ts';
export * from './contract/settings.ts';
export * from './contract/why.ts';

/** What may be said with an action; the body may also be absent. */
export const ActionBody = z
  .strictObject({ reason: z.string().min(1).max(500).optional().describe('Kept in the audit.') })
  .meta({ id: 'Action' });
export type ActionBody = z.infer<typeof ActionBody>;

export const CheckView = z.strictObject({ problems: z.array(ProblemItem).max(0) }).meta({ id: 'Check' });
const HealthView = z.strictObject({ name: z.literal('renga'), version: z.string() }).meta({ id: 'Health' });

/** A `Deploy` or a `Release`, complete in itself: `descriptor` instead of `file`, no `includes`. JSON, at most 1 MiB. */
const AnyDocument = z.union([ReleaseDocument, DeployDocument]);

const Id = z.strictObject({ id: z.string().min(1).max(160) });
const nothing = z.strictObject({});

export interface Route {
  readonly method: 'get' | 'post';
  /** With `{id}`, as OpenAPI writes it. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly params?: z.ZodObject;
  /** Parameters that are not named here are refused. */
  readonly query: z.ZodObject;
  /** `document` must be there; an `action`'s body may be absent. */
  readonly body?: { readonly kind: 'document' | 'action'; readonly schema: z.ZodType };
  /** Answers by status; every other is `problem+json`. */
  readonly answers: Readonly<
    Record<number, { readonly description: string; readonly schema: z.ZodType; readonly location?: true }>
  >;
  /** Statuses of the refusals that are this route's own. */
  readonly refusals: readonly number[];
  /** Answers anybody. */
  readonly open?: true;
}

const document = (schema: z.ZodType) => ({ kind: 'document', schema }) as const;
const action = { kind: 'action', schema: ActionBody } as const;
const ok = (schema: z.ZodType, description: string) => ({ 200: { description, schema } }) as const;
const accepted = (schema: z.ZodType, description: string, before: string) =>
  ({
    202: { description, schema, location: true },
    200: { description: before, schema, location: true },
  }) as const;

export const ROUTES = {
  check: {
    method: 'post',
    path: '/v1/check',
    summary: 'Checks a deploy or a release as a submission would; stores nothing',
    query: nothing,
    body: document(AnyDocument),
    answers: ok(CheckView, 'Nothing is wrong.'),
    refusals: [400, 409, 413, 415, 422],
  },
  plan: {
    method: 'post',
    path: '/v1/plan',
    summary: 'Plans a release: layers, waits, rollback order, size and cost; stores nothing',
    query: PlanQuery,
    body: document(ReleaseDocument),
    answers: ok(PlanView, 'The plan.'),
    refusals: [400, 413, 415, 422],
  },
  submitRelease: {
    method: 'post',
    path: '/v1/releases',
    summary: 'Submits a release; its id is the idempotency key',
    query: nothing,
    body: document(ReleaseDocument),
    answers: accepted(ReleaseView, 'Accepted: it runs from now on.', 'The same release was submitted before.'),
    refusals: [400, 409, 413, 415, 422],
  },
  listReleases: {
    method: 'get',
    path: '/v1/releases',
    summary: 'Lists releases, newest first',
    query: ReleaseListQuery,
    answers: ok(ReleaseList, 'One page.'),
    refusals: [400],
  },
  release: {
    method: 'get',
    path: '/v1/releases/{id}',
    summary: 'A release and each of its deploys',
    params: Id,
    query: nothing,
    answers: ok(ReleaseView, 'The release.'),
    refusals: [404],
  },
  cancelRelease: {
    method: 'post',
    path: '/v1/releases/{id}/cancel',
    summary: 'Cancels a release: nothing new starts, and what runs is stopped',
    params: Id,
    query: nothing,
    body: action,
    answers: { 202: { description: 'It is being cancelled, or has been.', schema: ReleaseView } },
    refusals: [400, 404, 409, 413, 415],
  },
  pauseRelease: {
    method: 'post',
    path: '/v1/releases/{id}/pause',
    summary: 'Pauses a release: nothing new starts, what runs finishes',
    params: Id,
    query: nothing,
    body: action,
    answers: ok(ReleaseView, 'It is paused.'),
    refusals: [400, 404, 409, 413, 415],
  },
  resumeRelease: {
    method: 'post',
    path: '/v1/releases/{id}/resume',
    summary: 'Resumes a paused release',
    params: Id,
    query: nothing,
    body: action,
    answers: ok(ReleaseView, 'It goes on.'),
    refusals: [400, 404, 409, 413, 415],
  },
  retryRelease: {
    method: 'post',
    path: '/v1/releases/{id}/retry',
    summary: 'Tries a release that ended without success again; what succeeded and is current stays',
    params: Id,
    query: nothing,
    body: action,
    answers: accepted(ReleaseView, 'The next attempt has begun.', 'Somebody else began it in the same moment.'),
    refusals: [400, 404, 409, 413, 415],
  },
  releaseAudit: {
    method: 'get',
    path: '/v1/releases/{id}/audit',
    summary: 'Every decision about a release, in order',
    params: Id,
    query: nothing,
    answers: ok(AuditView, 'The timeline.'),
    refusals: [404],
  },
  submitDeploy: {
    method: 'post',
    path: '/v1/deploys',
    summary: 'Submits a deploy of its own; without an id it is given one',
    query: nothing,
    body: document(DeployDocument),
    answers: accepted(DeployView, 'Accepted: it runs from now on.', 'The same deploy was submitted before.'),
    refusals: [400, 409, 413, 415, 422],
  },
  listDeploys: {
    method: 'get',
    path: '/v1/deploys',
    summary: 'Lists deploys, newest first; those of releases and rollbacks among them',
    query: DeployListQuery,
    answers: ok(DeployList, 'One page.'),
    refusals: [400],
  },
  deploy: {
    method: 'get',
    path: '/v1/deploys/{id}',
    summary: 'A deploy, what it waits for, what it is doing and what it did',
    params: Id,
    query: nothing,
    answers: ok(DeployView, 'The deploy.'),
    refusals: [404],
  },
  cancelDeploy: {
    method: 'post',
    path: '/v1/deploys/{id}/cancel',
    summary: 'Cancels a deploy; one that runs is stopped',
    params: Id,
    query: nothing,
    body: action,
    answers: { 202: { description: 'It is being cancelled, or has been.', schema: DeployView } },
    refusals: [400, 404, 409, 413, 415],
  },
  deployAudit: {
    method: 'get',
    path: '/v1/deploys/{id}/audit',
    summary: 'Every decision about a deploy, in order',
    params: Id,
    query: nothing,
    answers: ok(AuditView, 'The timeline.'),
    refusals: [404],
  },
  deployLog: {
    method: 'get',
    path: '/v1/deploys/{id}/log',
    summary: "The log of a deploy's job, from a byte offset",
    params: Id,
    query: LogQuery,
    answers: ok(LogView, 'What there is of it from the offset on.'),
    refusals: [400, 404],
  },
  inventory: {
    method: 'get',
    path: '/v1/inventory',
    summary: 'What is current, per application, environment and artifact',
    query: InventoryQuery,
    answers: ok(InventoryList, 'One page; `limit` counts applications in their environments.'),
    refusals: [400],
  },
  why: {
    method: 'get',
    path: '/v1/why/{id}',
    summary: 'In words: what a deploy or a release waits for, since when, and who can unblock it',
    params: Id,
    query: z.strictObject({
      kind: z
        .enum(['deploy', 'release'])
        .optional()
        .describe('When there is one of each with this id; the release otherwise.'),
    }),
    answers: ok(WhyView, 'The answer.'),
    refusals: [400, 404],
  },
  openapi: {
    method: 'get',
    path: '/v1/openapi.json',
    summary: 'This API as OpenAPI 3.1',
    query: nothing,
    answers: ok(z.record(z.string(), z.unknown()), 'The document.'),
    refusals: [],
  },
  health: {
    method: 'get',
    path: '/v1/health',
    summary: 'Says that it is there, and its version',
    query: nothing,
    answers: ok(HealthView, 'It is there.'),
    refusals: [],
    open: true,
  },
} as const satisfies Record<string, Route>;
export type RouteName = keyof typeof ROUTES;

/** Path of a route with its id filled in. */
export function pathOf(route: RouteName, id?: string): string {
  return ROUTES[route].path.replace('{id}', id === undefined ? '' : encodeURIComponent(id));
}
