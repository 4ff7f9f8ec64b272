/** What was decided: about one deploy or release in order, or about everything, newest first. */
import type { AuditEntry, AuditItem } from '../api/contract.ts';
import { CommandFailure } from './failure.ts';
import { everyPage } from './pages.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { fitted, harmless, oneLine, table } from './text.ts';
import { instant } from './time.ts';

export interface AuditOptions {
  readonly application?: string | undefined;
  readonly environment?: string | undefined;
  readonly by?: string | undefined;
  readonly limit: number;
}

export async function auditCommand(
  session: Session,
  id: string | undefined,
  { limit, ...filter }: AuditOptions,
): Promise<Outcome> {
  const api = await session.api();
  if (id !== undefined) {
    const answer = await ofOne(session, id);
    session.say(timeline(session, answer.items));
    return succeeded(answer);
  }
  const page = String(Math.min(limit, 200));
  const items = await everyPage((cursor) => api.call('audit', { query: { ...filter, limit: page, cursor } }), limit);
  if (items.length === 0) session.say('nothing has been decided yet that you may read of');
  else session.say(timeline(session, items));
  return succeeded({ items });
}

/** A release is looked for first: its deploys have their own ids. */
async function ofOne(session: Session, id: string) {
  const api = await session.api();
  try {
    return (await api.call('releaseAudit', { id })).answer;
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.code !== 'not-found') throw error;
    return (await api.call('deployAudit', { id })).answer;
  }
}

function timeline({ style, columns }: Session, items: readonly (AuditEntry | AuditItem)[]): string {
  const rows = items.map((entry) => [
    instant(entry.at),
    ...('about' in entry ? [nameOf(entry)] : []),
    entry.action,
    entry.from === undefined || entry.from === entry.to ? entry.to : `${entry.from} → ${entry.to}`,
    `by ${entry.by}`,
  ]);
  const lines = table(rows);
  return items
    .flatMap(({ why }, index) => {
      const line = lines[index] ?? '';
      if (why === undefined) return [line];
      return [line, style.paint('dim', `    ${fitted(oneLine(harmless(why)), columns - 4)}`)];
    })
    .join('\n');
}

function nameOf({ about, to }: AuditItem): string {
  return about.id === '' ? to : about.id;
}
