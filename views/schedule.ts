import type { ScheduleList, ScheduleView } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import { nextRun, type Schedule } from '../core/schedule/schedule.ts';
import type { Ports } from '../orchestration/ports.ts';
import { rightsOf } from '../orchestration/rights.ts';
import { iso } from './instant.ts';
import { type PageQuery, pageOf } from './pages.ts';

const SHOWN = 3;

export function scheduleView(schedule: Schedule): ScheduleView {
  const { id, application, environment, tenant, cron, timezone, state, submitter, createdAt, last } = schedule;
  return {
    kind: 'schedule',
    id,
    application,
    environment,
    ...(tenant !== undefined && { tenant }),
    cron,
    timezone,
    state,
    submittedBy: submitter.subject,
    createdAt: iso(createdAt),
    next: nextTimes(schedule),
    ...(last !== undefined && {
      last: {
        at: iso(last.at),
        ...(last.deploy !== undefined && { deploy: last.deploy }),
        ...(last.refused !== undefined && { refused: last.refused }),
      },
    }),
  };
}

function nextTimes(schedule: Schedule): string[] {
  const times: string[] = [];
  for (let at = schedule.nextAt; at !== undefined && times.length < SHOWN; at = nextRun(schedule, at)) {
    times.push(iso(at));
  }
  return times;
}

/** Newest first; those that are deleted are left out. */
export async function listSchedules(ports: Ports, query: PageQuery, actor: Actor): Promise<ScheduleList> {
  const rights = await rightsOf(ports, actor);
  return pageOf(
    'schedules',
    query,
    async (limit, cursor) => {
      const page = await ports.store.lists.page('byTime', 'schedule', limit, cursor);
      if (page === undefined) return undefined;
      const found = await ports.store.schedules.readMany(page.ids);
      return { ...page, rows: page.ids.flatMap((id) => found.get(id) ?? []) };
    },
    (schedule) =>
      schedule.state !== 'deleted' && rights.may('deployment.read', schedule) ? [scheduleView(schedule)] : [],
  );
}
