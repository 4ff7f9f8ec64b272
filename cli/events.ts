/** Events that came in from other pipelines, and sending one to see what it does. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { SendEventBody } from '../api/contract.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { everyPage } from './pages.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { fitted, harmless, oneLine, table } from './text.ts';
import { instant } from './time.ts';

export async function eventsCommand(
  session: Session,
  { refused, limit }: { readonly refused?: boolean; readonly limit: number },
): Promise<Outcome> {
  const api = await session.api();
  const query = { ...(refused === true && { refused: 'true' }), limit: String(Math.min(limit, 200)) };
  const items = await everyPage((cursor) => api.call('listEvents', { query: { ...query, cursor } }), limit);
  if (items.length === 0) session.say('no events have come in');
  else {
    const rows = items.map(({ at, type, about, outcome, account, source }) => [
      instant(at),
      outcome,
      type,
      about ?? '',
      `${account}/${source}`,
    ]);
    const lines = table(rows);
    const text = items.flatMap(({ reason }, index) => {
      const why = reason === undefined ? [] : [`    ${fitted(oneLine(harmless(reason)), session.columns - 4)}`];
      return [lines[index] ?? '', ...why.map((line) => session.style.paint('dim', line))];
    });
    session.say(text.join('\n'));
  }
  return succeeded({ items });
}

/** The file has `source`, `detail-type` and `detail`, as EventBridge shows events; what else it has is the bus's to say. */
export async function sendEventCommand(
  session: Session,
  { file, bus }: { readonly file: string; readonly bus?: 'renga' | 'default' },
): Promise<Outcome> {
  const event = SendEventBody.safeParse({ ...(await eventOf(file)), ...(bus !== undefined && { bus }) });
  if (!event.success) {
    const [issue] = event.error.issues;
    throw new CommandFailure(EXIT.invalid, 'invalid-event', `${file}: ${issue?.path.join('.')}: ${issue?.message}`, {
      hint: 'an event has source, detail-type and detail; examples/events has one of each type',
    });
  }
  const { answer } = await (await session.api()).call('sendEvent', { body: event.data });
  session.say(`${answer.id} is on the bus\n  renga events`);
  return succeeded(answer);
}

async function eventOf(file: string): Promise<object> {
  let read: unknown;
  try {
    read = parse(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new CommandFailure(EXIT.invalid, 'unreadable', `${file} can't be read: ${reason}`);
  }
  if (typeof read !== 'object' || read === null) {
    throw new CommandFailure(EXIT.invalid, 'invalid-event', `${file} holds no event`);
  }
  const { source, detail, bus } = read as Record<string, unknown>;
  return { source, 'detail-type': Reflect.get(read, 'detail-type'), detail, ...(bus !== undefined && { bus }) };
}
