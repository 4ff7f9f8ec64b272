/**
 * The HTTP API as data: every route, what it takes and what it answers. The app binds a handler to each, the OpenAPI
 * document is written from it, clients parse answers with it. Pure zod: a client that imports this takes nothing else.
 */
import * as z from 'zod';
import { AccessDocument } from '../core/documents/access.ts';
import { DeployDocument } from '../core/documents/deploy.ts';
import { ReleaseDocument } from '../core/documents/release.ts';
import { DeployList, DeployListQuery, DeployView, LogQuery, LogView } from './contract/deploy.ts';
import {
  CallbackBody,
  CallbackView,
  ConcludeExternalBody,
  EventList,
  EventQuery,
  ReportedView,
  SendEventBody,
  SentView,
  StartExternalBody,
} from './contract/events.ts';
import { ApproveBody, PromoteBody, RejectBody, RevisionList, RevisionQuery, RollbackBody } from './contract/going.ts';
import { InventoryList, InventoryQuery } from './contract/inventory.ts';
import { AuditView, pageQuery } from './contract/parts.ts';
import { PlanQuery, PlanView } from './contract/plan.ts';
import { ProblemItem } from './contract/problem.ts';
import { ReleaseList, ReleaseListQuery, ReleaseView } from './contract/release.ts';
import { ScheduleList, ScheduleView } from './contract/schedules.ts';
import {
  AccessList,
  AccessView,
  AppliedView,
  ApplyQuery,
  AuditList,
  AuditQuery,
  EnvironmentList,
  EnvironmentSetting,
  EnvironmentView,
  MeView,
  PipelineList,
  RemovedView,
} from './contract/settings.ts';
import { WhyView } from './contract/why.ts';

export * from './contract/deploy.ts';
export * from './contract/events.ts';
export * from './contract/going.ts';
export * from './contract/inventory.ts';
export * from './contract/parts.ts';
export * from './contract/plan.ts';
export * from './contract/problem.ts';
export * from './contract/release.ts';
export * from './contract/schedules.ts';
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

/** Of a release, of a deploy, also of one that another pipeline runs, of an environment; or a callback's token. */
const Id = z.strictObject({ id: z.string().min(1).max(256) });
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
    refusals: [400, 403, 409, 413, 415, 422],
  },
  plan: {
    method: 'post',
    path: '/v1/plan',
    summary: 'Plans a release: layers, waits, approvals, queues, rollback order, size and cost; stores nothing',
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
    refusals: [400, 403, 409, 413, 415, 422],
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
    refusals: [400, 403, 404, 409, 413, 415],
  },
  pauseRelease: {
    method: 'post',
    path: '/v1/releases/{id}/pause',
    summary: 'Pauses a release: nothing new starts, what runs finishes',
    params: Id,
    query: nothing,
    body: action,
    answers: ok(ReleaseView, 'It is paused.'),
    refusals: [400, 403, 404, 409, 413, 415],
  },
  resumeRelease: {
    method: 'post',
    path: '/v1/releases/{id}/resume',
    summary: 'Resumes a paused release',
    params: Id,
    query: nothing,
    body: action,
    answers: ok(ReleaseView, 'It goes on.'),
    refusals: [400, 403, 404, 409, 413, 415],
  },
  retryRelease: {
    method: 'post',
    path: '/v1/releases/{id}/retry',
    summary: 'Tries a release that ended without success again; what succeeded and is current stays',
    params: Id,
    query: nothing,
    body: action,
    answers: accepted(ReleaseView, 'The next attempt has begun.', 'Somebody else began it in the same moment.'),
    refusals: [400, 403, 404, 409, 413, 415],
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
    answers: accepted(
      z.union([DeployView, ScheduleView]),
      'Accepted: it runs from now on. With schedule.cron the answer is a schedule.',
      'The same was submitted before.',
    ),
    refusals: [400, 403, 409, 413, 415, 422],
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
    refusals: [400, 403, 404, 409, 413, 415],
  },
  approveDeploy: {
    method: 'post',
    path: '/v1/deploys/{id}/approve',
    summary: 'Approves a deploy that asks for it',
    params: Id,
    query: nothing,
    body: { kind: 'action', schema: ApproveBody },
    answers: ok(DeployView, 'It has been noted; with enough approvals it goes on.'),
    refusals: [400, 403, 404, 409, 413, 415],
  },
  rejectDeploy: {
    method: 'post',
    path: '/v1/deploys/{id}/reject',
    summary: 'Rejects a deploy that asks for approval: it ends',
    params: Id,
    query: nothing,
    body: { kind: 'action', schema: RejectBody },
    answers: ok(DeployView, 'It has ended REJECTED.'),
    refusals: [400, 403, 404, 409, 413, 415],
  },
  rollbackDeploy: {
    method: 'post',
    path: '/v1/deploys/{id}/rollback',
    summary: 'Puts the version before a current deploy back, or another that was there',
    params: Id,
    query: nothing,
    body: { kind: 'action', schema: RollbackBody },
    answers: accepted(DeployView, 'Accepted: a deploy of its own.', 'The same rollback was submitted before.'),
    refusals: [400, 403, 404, 409, 413, 415, 422],
  },
  promoteDeploy: {
    method: 'post',
    path: '/v1/deploys/{id}/promote',
    summary: 'Deploys what succeeded in one environment to another',
    params: Id,
    query: nothing,
    body: { kind: 'action', schema: PromoteBody },
    answers: accepted(DeployView, 'Accepted: a deploy of its own.', 'The same was submitted before.'),
    refusals: [400, 403, 404, 409, 413, 415, 422],
  },
  revisions: {
    method: 'get',
    path: '/v1/revisions',
    summary: 'What was deployed to an application in an environment, newest first',
    query: RevisionQuery,
    answers: ok(RevisionList, 'One page; its cursor is the `before` of the next.'),
    refusals: [400, 404],
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
  listSchedules: {
    method: 'get',
    path: '/v1/schedules',
    summary: 'Lists schedules, newest first',
    query: z.strictObject(pageQuery),
    answers: ok(ScheduleList, 'One page.'),
    refusals: [400],
  },
  schedule: {
    method: 'get',
    path: '/v1/schedules/{id}',
    summary: 'A deploy that is submitted again and again',
    params: Id,
    query: nothing,
    answers: ok(ScheduleView, 'The schedule.'),
    refusals: [404],
  },
  pauseSchedule: {
    method: 'post',
    path: '/v1/schedules/{id}/pause',
    summary: 'Submits nothing until it is resumed',
    params: Id,
    query: nothing,
    answers: ok(ScheduleView, 'The schedule.'),
    refusals: [403, 404, 409],
  },
  resumeSchedule: {
    method: 'post',
    path: '/v1/schedules/{id}/resume',
    summary: 'Goes on; what was missed is not made up for',
    params: Id,
    query: nothing,
    answers: ok(ScheduleView, 'The schedule.'),
    refusals: [403, 404, 409],
  },
  deleteSchedule: {
    method: 'post',
    path: '/v1/schedules/{id}/delete',
    summary: 'Submits nothing any more; its id stays taken',
    params: Id,
    query: nothing,
    answers: ok(ScheduleView, 'The schedule.'),
    refusals: [403, 404, 409],
  },
  startExternal: {
    method: 'post',
    path: '/v1/external',
    summary: 'Says that another pipeline has started a deploy; like the event Deploy Started',
    query: nothing,
    body: { kind: 'action', schema: StartExternalBody },
    answers: accepted(ReportedView, 'It may be waited for.', 'It had been said before.'),
    refusals: [400, 403, 409, 413, 415],
  },
  concludeExternal: {
    method: 'post',
    path: '/v1/external/{id}/conclude',
    summary: 'Says how a deploy of another pipeline ended; like the event Deploy Concluded',
    params: Id,
    query: nothing,
    body: { kind: 'action', schema: ConcludeExternalBody },
    answers: ok(ReportedView, 'It is known now, also when the start is said later.'),
    refusals: [400, 403, 409, 413, 415],
  },
  answerCallback: {
    method: 'post',
    path: '/v1/callbacks/{id}',
    summary: 'Answers for a job of the plugin callback, with its token',
    params: Id,
    query: nothing,
    body: { kind: 'action', schema: CallbackBody },
    answers: ok(CallbackView, 'The deploy goes on.'),
    refusals: [400, 404, 409, 413, 415],
  },
  callbackHeartbeat: {
    method: 'post',
    path: '/v1/callbacks/{id}/heartbeat',
    summary: 'Says that a job of the plugin callback is still under way',
    params: Id,
    query: nothing,
    answers: ok(CallbackView, 'It has been heard.'),
    refusals: [404, 409],
  },
  listEvents: {
    method: 'get',
    path: '/v1/events',
    summary: 'Lists the events that came in, newest first, with what became of each',
    query: EventQuery,
    answers: ok(EventList, 'One page.'),
    refusals: [400, 403],
  },
  sendEvent: {
    method: 'post',
    path: '/v1/events',
    summary: 'Puts an event on the bus, to try what it does; for administrators',
    query: nothing,
    body: { kind: 'action', schema: SendEventBody },
    answers: { 202: { description: 'It is on the bus.', schema: SentView } },
    refusals: [400, 403, 409, 413, 415],
  },
  applyEnvironment: {
    method: 'post',
    path: '/v1/environments',
    summary: 'Puts an Environment, an EnvironmentConfig or a Pipeline in the place of the one before',
    query: ApplyQuery,
    body: document(EnvironmentSetting),
    answers: ok(AppliedView, 'It holds from now on; or, with dryRun, what it would change.'),
    refusals: [400, 403, 413, 415, 422],
  },
  listEnvironments: {
    method: 'get',
    path: '/v1/environments',
    summary: 'Lists environments by name',
    query: z.strictObject(pageQuery),
    answers: ok(EnvironmentList, 'One page.'),
    refusals: [400],
  },
  environment: {
    method: 'get',
    path: '/v1/environments/{id}',
    summary: 'An environment: its documents, its freeze, who runs in it and who waits',
    params: Id,
    query: nothing,
    answers: ok(EnvironmentView, 'The environment.'),
    refusals: [404],
  },
  removeConfiguration: {
    method: 'post',
    path: '/v1/environments/{id}/remove-configuration',
    summary: 'Takes the configuration of an application in this environment away',
    params: Id,
    query: z.strictObject({
      application: z.string().min(1).max(63),
      tenant: z.string().min(1).max(63).optional(),
    }),
    answers: ok(RemovedView, 'It holds no longer.'),
    refusals: [400, 403, 404],
  },
  listPipelines: {
    method: 'get',
    path: '/v1/pipelines',
    summary: 'Lists the other pipelines whose runs count as deploys',
    query: nothing,
    answers: ok(PipelineList, 'All of them that the caller may read.'),
    refusals: [],
  },
  removePipeline: {
    method: 'post',
    path: '/v1/pipelines/{id}/remove',
    summary: 'Runs of this pipeline count as deploys no longer',
    params: Id,
    query: nothing,
    answers: ok(RemovedView, 'It holds no longer.'),
    refusals: [403, 404],
  },
  applyAccess: {
    method: 'post',
    path: '/v1/access',
    summary: 'Puts a document of access in the place of the one of its name',
    query: ApplyQuery,
    body: document(AccessDocument),
    answers: ok(AppliedView, 'It holds from now on; or, with dryRun, what it would change.'),
    refusals: [400, 403, 413, 415, 422],
  },
  listAccess: {
    method: 'get',
    path: '/v1/access',
    summary: 'Lists the documents of access; for whoever may write them',
    query: nothing,
    answers: ok(AccessList, 'All of them.'),
    refusals: [403],
  },
  access: {
    method: 'get',
    path: '/v1/access/{id}',
    summary: 'A document of access; for whoever may write them',
    params: Id,
    query: nothing,
    answers: ok(AccessView, 'The document.'),
    refusals: [403, 404],
  },
  removeAccess: {
    method: 'post',
    path: '/v1/access/{id}/remove',
    summary: 'Takes a document of access away, and with it what it gives',
    params: Id,
    query: nothing,
    answers: ok(RemovedView, 'It gives nothing any more.'),
    refusals: [403, 404],
  },
  me: {
    method: 'get',
    path: '/v1/me',
    summary: 'Who asks, and what they may',
    query: nothing,
    answers: ok(MeView, 'The caller.'),
    refusals: [],
  },
  audit: {
    method: 'get',
    path: '/v1/audit',
    summary: 'Every decision that the caller may read of, newest first',
    query: AuditQuery,
    answers: ok(AuditList, 'One page.'),
    refusals: [400],
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
