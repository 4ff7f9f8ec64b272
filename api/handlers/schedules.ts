import type { Ports } from '../../orchestration/ports.ts';
import { changeSchedule, readSchedule } from '../../orchestration/schedules.ts';
import { listSchedules, scheduleView } from '../../views/schedule.ts';
import type { Handlers } from '../handlers.ts';

type Routes = 'listSchedules' | 'schedule' | 'pauseSchedule' | 'resumeSchedule' | 'deleteSchedule';

export function scheduleHandlers(ports: Ports): Pick<Handlers, Routes> {
  return {
    listSchedules: async ({ query, by }) => ({ status: 200, body: await listSchedules(ports, query, by) }),
    schedule: async ({ id, by }) => ({ status: 200, body: scheduleView(await readSchedule(ports, id, by)) }),
    pauseSchedule: async ({ id, by }) => ({
      status: 200,
      body: scheduleView(await changeSchedule(ports, id, 'paused', by)),
    }),
    resumeSchedule: async ({ id, by }) => ({
      status: 200,
      body: scheduleView(await changeSchedule(ports, id, 'active', by)),
    }),
    deleteSchedule: async ({ id, by }) => ({
      status: 200,
      body: scheduleView(await changeSchedule(ports, id, 'deleted', by)),
    }),
  };
}
