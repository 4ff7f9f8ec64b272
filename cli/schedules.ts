/** Deploys that are submitted again and again. */
import type { ScheduleView } from '../api/contract.ts';
import { everyPage } from './pages.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { oneLine, table, wrapped } from './text.ts';
import { instant } from './time.ts';

export async function scheduleListCommand(session: Session): Promise<Outcome> {
  const api = await session.api();
  const items = await everyPage((cursor) => api.call('listSchedules', { query: { cursor } }));
  if (items.length === 0) session.say('there are no schedules');
  else {
    const rows = items.map(({ id, cron, timezone, state, next, last }) => [
      id,
      state,
      `${cron} ${timezone}`,
      next[0] === undefined ? '' : instant(next[0]),
      last === undefined ? '' : last.refused === undefined ? (last.deploy ?? '') : `refused: ${last.refused.code}`,
    ]);
    const [first = '', ...lines] = table([['schedule', 'state', 'cron', 'next', 'last'], ...rows]);
    session.say([session.style.paint('dim', first), ...lines].join('\n'));
  }
  return succeeded({ items });
}

export async function scheduleShowCommand(session: Session, id: string): Promise<Outcome> {
  const { answer } = await (await session.api()).call('schedule', { id });
  session.say(scheduleText(session, answer));
  return succeeded(answer);
}

const ROUTES = { pause: 'pauseSchedule', resume: 'resumeSchedule', delete: 'deleteSchedule' } as const;

export async function scheduleActionCommand(
  session: Session,
  action: keyof typeof ROUTES,
  id: string,
): Promise<Outcome> {
  const { answer } = await (await session.api()).call(ROUTES[action], { id });
  session.say(scheduleText(session, answer));
  return succeeded(answer);
}

export function scheduleText({ columns }: Session, view: ScheduleView): string {
  const { id, application, environment, cron, timezone, state, next, last } = view;
  const lines = [`schedule ${id}  ${state}`, `  deploys ${application} to ${environment}: ${cron}, ${timezone}`];
  if (next.length > 0) lines.push(`  next ${next.map(instant).join(', ')}`);
  if (last?.deploy !== undefined) lines.push(`  last ${instant(last.at)} as ${last.deploy}`);
  if (last?.refused !== undefined) {
    lines.push(wrapped(oneLine(`last ${instant(last.at)}, refused: ${last.refused.message}`), columns, '  '));
  }
  return lines.join('\n');
}
