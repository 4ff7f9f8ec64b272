/** What each route does: parse, call, show. Whatever is refused is thrown and answered in one place. */
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Actor } from '../core/access/actor.ts';
import { type ParsedBody, placed } from '../core/documents/parse.ts';
import { RengaError } from '../core/errors.ts';
import { applySetting } from '../orchestration/apply-setting.ts';
import { cancelDeploy, cancelRelease } from '../orchestration/cancel.ts';
import { checkDeploy } from '../orchestration/check-deploy.ts';
import { checkRelease } from '../orchestration/check-release.ts';
import { pauseRelease, resumeRelease } from '../orchestration/pause-release.ts';
import { permitDeploy, permitRelease } from '../orchestration/permit.ts';
import type { Ports } from '../orchestration/ports.ts';
import { retryRelease } from '../orchestration/retry-release.ts';
import { RECORDED_LATER, readDeploy, readRelease, rightsOf } from '../orchestration/rights.ts';
import { recurs, scheduleProblems, submitSchedule, submittedSchedule } from '../orchestration/schedules.ts';
import { submitDeploy, submittedDeploy } from '../orchestration/submit-deploy.ts';
import { refuseProblems, submitRelease, submittedRelease } from '../orchestration/submit-release.ts';
import { deployView, submittedView } from '../views/deploy.ts';
import type { Links } from '../views/links.ts';
import { listDeploys, listInventory, listReleases } from '../views/lists.ts';
import { logView } from '../views/log.ts';
import { planView } from '../views/plan.ts';
import { releaseView } from '../views/release.ts';
import { scheduleView } from '../views/schedule.ts';
import { asSeen, releaseTimelineSeen, timelineSeen } from '../views/seen.ts';
import { deployTimeline, releaseTimeline } from '../views/timeline.ts';
import { whyDeploy } from '../views/why-deploy.ts';
import { whyRelease } from '../views/why-release.ts';
import { pathOf, ROUTES, type Route, type RouteName } from './contract.ts';
import { eventHandlers } from './handlers/events.ts';
import { goingHandlers } from './handlers/going.ts';
import { scheduleHandlers } from './handlers/schedules.ts';
import { settingsHandlers } from './handlers/settings.ts';
import { expectDeploy, expectRelease, readAction, readDocument } from './request.ts';

/** One request to one route, its path and query already parsed. */
export interface Call<Name extends RouteName> {
  readonly request: Request;
  /** Empty on a route without one. */
  readonly id: string;
  readonly query: z.output<(typeof ROUTES)[Name]['query']>;
  readonly by: Actor;
}

type Answers<Name extends RouteName> = (typeof ROUTES)[Name]['answers'];
type BodyOf<Answer> = Answer extends { readonly schema: infer Schema extends z.ZodType } ? z.input<Schema> : never;

/** A status that the route names, with a body of that status's schema. */
export type Answer<Name extends RouteName> = {
  [Status in keyof Answers<Name>]: {
    readonly status: Status;
    readonly body: BodyOf<Answers<Name>[Status]>;
    readonly location?: string;
  };
}[keyof Answers<Name>];

export type Handlers = { readonly [Name in RouteName]: (call: Call<Name>) => Promise<Answer<Name>> };

export interface HandlerOptions {
  readonly links?: Links | undefined;
  readonly version: string;
  /** The OpenAPI document. */
  readonly openapi: () => Record<string, unknown>;
}

export function handlers(ports: Ports, { links, version, openapi }: HandlerOptions): Handlers {
  const release = async (id: string, by: Actor) => (await readRelease(ports, id, by)).release;
  const ofRelease = async (id: string, by: Actor) => releaseView(ports, await release(id, by), { links, by });
  const ofDeploy = async (id: string, by: Actor) => deployView(ports, await readDeploy(ports, id, by), { links, by });

  return {
    async check({ request, by }) {
      const document = await readDocument(request);
      await positioned(document, () => checkSubmission(ports, document, by));
      return { status: 200, body: { problems: [] } };
    },
    async plan({ request, query, by }) {
      const document = expectRelease(await readDocument(request));
      const body = await positioned(document, () => planView(ports, document.value, query, by));
      return { status: 200, body };
    },
    async submitRelease({ request, by }) {
      const document = expectRelease(await readDocument(request));
      const { release, accepted } = await positioned(document, () => submitRelease(ports, document.value, by));
      const body = await releaseView(ports, release, { links, by });
      return { status: accepted ? 202 : 200, body, location: pathOf('release', body.id) };
    },
    listReleases: async ({ query, by }) => ({ status: 200, body: await listReleases(ports, by, query) }),
    release: async ({ id, by }) => ({ status: 200, body: await ofRelease(id, by) }),
    async cancelRelease({ request, id, by }) {
      const { reason } = await readAction(request);
      await cancelRelease(ports, id, by, reason ?? `cancelled by ${by.subject}`);
      return { status: 202, body: await ofRelease(id, by) };
    },
    async pauseRelease({ request, id, by }) {
      const { reason } = await readAction(request);
      await pauseRelease(ports, id, by, reason);
      return { status: 200, body: await ofRelease(id, by) };
    },
    async resumeRelease({ request, id, by }) {
      const { reason } = await readAction(request);
      await resumeRelease(ports, id, by, reason);
      return { status: 200, body: await ofRelease(id, by) };
    },
    async retryRelease({ request, id, by }) {
      const { reason } = await readAction(request);
      const { accepted } = await retryRelease(ports, id, by, reason);
      return { status: accepted ? 202 : 200, body: await ofRelease(id, by), location: pathOf('release', id) };
    },
    async releaseAudit({ id, by }) {
      const read = await release(id, by);
      const timeline = await releaseTimeline(ports, read);
      const items = await releaseTimelineSeen(ports, await rightsOf(ports, by), read, timeline);
      return { status: 200, body: { id, items } };
    },
    async submitDeploy({ request, by }) {
      const document = expectDeploy(await readDocument(request));
      const { value } = document;
      const newId = () => `${value.application}-${randomBytes(6).toString('hex')}`;
      if (recurs(value)) {
        const { schedule, accepted } = await positioned(document, () => submitSchedule(ports, value, by, newId));
        const status = accepted ? 202 : 200;
        return { status, body: scheduleView(schedule), location: pathOf('schedule', schedule.id) };
      }
      const { row, accepted } = await positioned(document, () => submitDeploy(ports, value, by, newId));
      const body = await submittedView(ports, row, { links, by });
      return { status: accepted ? 202 : 200, body, location: pathOf('deploy', body.id) };
    },
    listDeploys: async ({ query, by }) => ({ status: 200, body: await listDeploys(ports, by, query) }),
    deploy: async ({ id, by }) => ({ status: 200, body: await ofDeploy(id, by) }),
    async cancelDeploy({ request, id, by }) {
      const { reason } = await readAction(request);
      await cancelDeploy(ports, id, by, reason ?? `cancelled by ${by.subject}`);
      return { status: 202, body: await ofDeploy(id, by) };
    },
    async deployAudit({ id, by }) {
      const { deploy } = await readDeploy(ports, id, by);
      const seen = await asSeen(ports, await rightsOf(ports, by), deploy);
      return { status: 200, body: { id, items: timelineSeen(await deployTimeline(ports, deploy), deploy, seen) } };
    },
    async deployLog({ id, query, by }) {
      return { status: 200, body: await logView(ports, await readDeploy(ports, id, by), query.offset ?? 0, query.job) };
    },
    inventory: async ({ query, by }) => ({ status: 200, body: await listInventory(ports, by, query) }),
    async why({ id, query: { kind }, by }) {
      const found = kind === 'deploy' ? undefined : await readable(() => readRelease(ports, id, by));
      if (found !== undefined) return { status: 200, body: await whyRelease(ports, found.release, by) };
      if (kind === 'release') throw missing('release', id);
      const row = await readable(() => readDeploy(ports, id, by));
      if (row === undefined) throw missing(kind ?? 'release or deploy', id, RECORDED_LATER);
      return { status: 200, body: await whyDeploy(ports, row, by) };
    },
    ...goingHandlers(ports, links),
    ...eventHandlers(ports),
    ...scheduleHandlers(ports),
    ...settingsHandlers(ports),
    openapi: async () => ({ status: 200, body: openapi() }),
    health: async () => ({ status: 200, body: { name: 'renga', version } }),
  };
}

/** Throws what a submission would be refused with. What has been submitted before would only be found again. */
async function checkSubmission(ports: Ports, document: ParsedBody, by: Actor): Promise<void> {
  if (document.kind === 'Release') {
    const { value } = document;
    if ((await submittedRelease(ports, value, by)) !== undefined) return;
    await permitRelease(ports, value, by);
    return refuseProblems(await checkRelease(ports, value, by), `the release ${value.id}`);
  }
  if (document.kind !== 'Deploy') {
    await applySetting(ports, document.value, by, { dry: true });
    return;
  }
  if (recurs(document.value)) {
    const { id, ...rest } = document.value;
    if (id !== undefined && (await submittedSchedule(ports, { ...rest, id }, by)) !== undefined) return;
    await permitDeploy(ports, document.value, by);
    const problems = await scheduleProblems(ports, document.value, by);
    return refuseProblems(problems, 'the schedule');
  }
  const { id, ...rest } = document.value;
  if (id !== undefined && (await submittedDeploy(ports, { ...rest, id }, by)) !== undefined) return;
  await permitDeploy(ports, document.value, by);
  refuseProblems(await checkDeploy(ports, document.value, by), `the deploy${id === undefined ? '' : ` ${id}`}`);
}

/** Problems that checking finds know their path; where that stands in the body, the parsed document knows. */
async function positioned<T>(document: ParsedBody, decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    if (!(error instanceof RengaError) || error.details.problems === undefined) throw error;
    const problems = placed(error.details.problems, document.locate);
    throw new RengaError(error.code, error.message, { ...error.details, problems });
  }
}

/** What a read finds, undefined where nothing is to be found by this actor. */
async function readable<Row>(read: () => Promise<Row>): Promise<Row | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RengaError && error.code === 'not-found') return undefined;
    throw error;
  }
}

function missing(what: string, id: string, hint?: string): RengaError {
  return new RengaError('not-found', `there is no ${what} ${id}`, { ...(hint !== undefined && { hint }) });
}

/** Every route with its name, in the contract's order. */
export const ROUTE_LIST = Object.entries(ROUTES) as [RouteName, Route][];
