/** Deploys that are submitted again and again: stored, changed by people, and carried out by the sweep. */
import type { Actor } from '../core/access/actor.ts';
import type { Decision } from '../core/deploy/deploy.ts';
import { contentHash, differences } from '../core/documents/content.ts';
import { DeployDocument } from '../core/documents/deploy.ts';
import { RengaError } from '../core/errors.ts';
import { dueRun, nextRun, runId, type Schedule } from '../core/schedule/schedule.ts';
import { keys } from '../store/schema.ts';
import { checkDeploy } from './check-deploy.ts';
import { permitDeploy } from './permit.ts';
import type { Ports } from './ports.ts';
import { actorOf, demand, mayRead } from './rights.ts';
import { submitDeploy } from './submit-deploy.ts';
import { refuseProblems } from './submit-release.ts';

type Named = DeployDocument & { readonly id: string };

/** Whether a document asks for a schedule instead of one deploy. */
export function recurs({ schedule }: DeployDocument): boolean {
  return schedule !== undefined && 'cron' in schedule;
}

/** Throws `invalid-document`, `forbidden`, or `id-taken`. */
export async function submitSchedule(
  ports: Ports,
  document: DeployDocument,
  by: Actor,
  newId: () => string,
): Promise<{ readonly schedule: Schedule; readonly accepted: boolean }> {
  const named: Named = { ...document, id: document.id ?? newId() };
  const before = await submittedSchedule(ports, named, by);
  if (before !== undefined) return { schedule: before, accepted: false };
  await permitDeploy(ports, named, by);
  refuseProblems(await scheduleProblems(ports, named, by), `the schedule ${named.id}`);
  if (named.schedule === undefined || !('cron' in named.schedule)) throw new Error(`${named.id} does not recur`);

  const [hash = ''] = await ports.store.bodies.put(named);
  const now = ports.now();
  const { cron, timezone } = named.schedule;
  const nextAt = nextRun({ cron, timezone }, now);
  const schedule = decided(
    {
      id: named.id,
      application: named.application,
      environment: named.environment,
      ...(named.tenant !== undefined && { tenant: named.tenant }),
      cron,
      timezone,
      document: hash,
      submitter: { subject: by.subject, kind: by.kind, groups: [...by.groups] },
      createdAt: now,
      state: 'active',
      ...(nextAt !== undefined && { nextAt }),
      seq: 1,
      pending: [],
    },
    { at: now, by: by.subject, action: 'schedule.created' },
  );
  if (!(await ports.store.schedules.create(schedule))) {
    const winner = await submittedSchedule(ports, named, by);
    if (winner === undefined) throw new Error(`the schedule ${named.id} was there and is gone`);
    return { schedule: winner, accepted: false };
  }
  await settleSchedule(ports, schedule);
  return { schedule, accepted: true };
}

/** What a submission of the deploy would be refused for; not a freeze, which will be over some time. */
export async function scheduleProblems(ports: Ports, document: DeployDocument, by: Actor) {
  const { schedule: _, ...once } = document;
  const problems = await checkDeploy(ports, once, by);
  const longest = document.id === undefined ? 0 : runId(document.id, 0).length;
  if (longest > 80) {
    const message = `"${document.id}" is too long for a schedule: its deploys add 17 characters, and an id ends at 80`;
    problems.push({ code: 'id-too-long', path: 'id', message, hint: 'use at most 63 characters' });
  }
  return problems.filter(({ code }) => code !== 'frozen');
}

/** The same schedule, when it has been submitted before. Throws like `submittedDeploy`. */
export async function submittedSchedule(ports: Ports, document: Named, by: Actor): Promise<Schedule | undefined> {
  const schedule = await ports.store.schedules.read(document.id);
  if (schedule === undefined) {
    const deploy = await ports.store.deploys.read(document.id);
    if (deploy === undefined) return undefined;
    if (!(await mayRead(ports, by, deploy.deploy.identity))) await permitDeploy(ports, document, by);
    throw taken(document.id);
  }
  const readable = await mayRead(ports, by, schedule);
  if (!readable) await permitDeploy(ports, document, by);
  if (readable && schedule.document === contentHash(document) && schedule.state !== 'deleted') return schedule;
  throw taken(
    document.id,
    readable ? differences(await ports.store.bodies.get(schedule.document), document) : undefined,
  );
}

function taken(id: string, differs?: readonly string[]): RengaError {
  return new RengaError('id-taken', `the id ${id} is taken, with other content`, {
    hint: 'give this schedule another id',
    ...(differs !== undefined && { differences: differs }),
  });
}

/** Throws `not-found`, whether it does not exist or is not theirs to see. */
export async function readSchedule(ports: Ports, id: string, by: Actor): Promise<Schedule> {
  const schedule = await ports.store.schedules.read(id);
  if (schedule !== undefined && (await mayRead(ports, by, schedule))) return schedule;
  throw new RengaError('not-found', `there is no schedule ${id}`);
}

/** Throws `not-found`, `forbidden`, and `conflict` for one that is deleted. */
export async function changeSchedule(ports: Ports, id: string, to: Schedule['state'], by: Actor): Promise<Schedule> {
  await demand(ports, by, 'deployment.submit', await readSchedule(ports, id, by));
  for (;;) {
    const before = await readSchedule(ports, id, by);
    if (before.state === to) return before;
    if (before.state === 'deleted') throw new RengaError('conflict', `the schedule ${id} is deleted`);
    const { nextAt: _, ...rest } = before;
    // What was missed while it was paused is not made up for.
    const nextAt = to === 'active' ? nextRun(before, sinceLast(before, ports.now())) : undefined;
    const actions = { active: 'schedule.resumed', paused: 'schedule.paused', deleted: 'schedule.deleted' } as const;
    const next = decided(
      { ...rest, state: to, seq: before.seq + 1, ...(nextAt !== undefined && { nextAt }) },
      { at: ports.now(), by: by.subject, action: actions[to] },
    );
    if (!(await ports.store.schedules.replace(next))) continue;
    await settleSchedule(ports, next);
    return next;
  }
}

/** Clocks go back: a time that was submitted for is over, whatever they say now. */
function sinceLast({ last }: Schedule, now: number): number {
  return Math.max(now, last?.at ?? now);
}

/**
 * Submits what is due of a schedule. The deploy's id is made of the instant, so that two sweeps, or one that is cut off
 * and comes again, submit it once; only then does the schedule go on.
 */
export async function runSchedule(ports: Ports, id: string): Promise<void> {
  const schedule = await ports.store.schedules.read(id);
  // Whoever decided was cut off before that was in the audit.
  if (schedule !== undefined && schedule.pending.length > 0) await settleSchedule(ports, schedule);
  const due = schedule && dueRun(schedule, ports.now());
  if (schedule === undefined || due === undefined) return;
  const last = await submitRun(ports, schedule, due);
  await noteRun(ports, schedule, last);
}

/** Notes what came of an instant, once, also when somebody has paused or deleted the schedule meanwhile. */
async function noteRun(ports: Ports, from: Schedule, last: NonNullable<Schedule['last']>): Promise<void> {
  for (let now: Schedule | undefined = from; now !== undefined; now = await ports.store.schedules.read(from.id)) {
    if (now.last !== undefined && now.last.at >= last.at) return;
    const nextAt = now.state === 'active' ? nextRun(now, Math.max(ports.now(), last.at)) : undefined;
    const { nextAt: _, ...rest } = now;
    const action = last.refused === undefined ? 'schedule.submitted' : 'schedule.refused';
    const why = last.refused?.message ?? last.deploy;
    const next = decided(
      { ...rest, last, seq: now.seq + 1, ...(nextAt !== undefined && { nextAt }) },
      { at: ports.now(), by: from.submitter.subject, action, ...(why !== undefined && { why }) },
    );
    if (!(await ports.store.schedules.replace(next))) continue;
    return settleSchedule(ports, next);
  }
}

async function submitRun(ports: Ports, schedule: Schedule, due: number): Promise<NonNullable<Schedule['last']>> {
  const document = DeployDocument.parse(await ports.store.bodies.get(schedule.document));
  const { schedule: _, ...once } = document;
  const id = runId(schedule.id, due);
  // Submitted by a sweep that was cut off: what has changed since, rights or a freeze, is not asked again.
  const before = await ports.store.deploys.read(id);
  if (before?.deploy.identity.schedule === schedule.id) return { at: due, deploy: id };
  const by = actorOf(ports, schedule.submitter);
  try {
    await submitDeploy(ports, { ...once, id }, by, () => id, { schedule: schedule.id });
    return { at: due, deploy: id };
  } catch (error) {
    if (!(error instanceof RengaError) || error.code === 'unavailable' || error.code === 'internal') throw error;
    const told = (error.details.problems ?? []).map(({ message }) => message);
    return { at: due, refused: { code: error.code, message: [error.message, ...told].join('; ').slice(0, 2_000) } };
  }
}

/** A schedule with one decision more, which is written in the same moment as what it changes. */
function decided(schedule: Schedule, decision: Pick<Decision, 'at' | 'by' | 'action' | 'why'>): Schedule {
  const { seq, state, pending } = schedule;
  return { ...schedule, pending: [...pending, { seq, to: state, ...decision }] };
}

async function settleSchedule(ports: Ports, schedule: Schedule): Promise<void> {
  const { id, application, environment, pending } = schedule;
  await ports.store.audit.append(keys.schedule(id), pending, { application, environment });
  await ports.store.schedules.settle(schedule);
}
