import { type Outcome, type Session, succeeded } from './session.ts';
import { signOf } from './style.ts';
import { oneLine, wrapped } from './text.ts';
import { instant, lasted } from './time.ts';

export async function whyCommand(session: Session, id: string): Promise<Outcome> {
  const { answer } = await (await session.api()).call('why', { id });
  const { style, columns, surroundings } = session;
  const lines = [
    style.inState(
      answer.state,
      `${signOf(answer.state)} ${answer.kind} ${answer.id}  ${answer.state} since ${instant(answer.since)}`,
    ),
    '',
    wrapped(oneLine(answer.summary), columns),
  ];
  for (const { text, since, until, unblock } of answer.reasons) {
    lines.push('', bulleted(oneLine(text), columns));
    if (since !== undefined) {
      lines.push(`    since ${instant(since)}, ${lasted(surroundings.now() - Date.parse(since))} ago`);
    }
    if (until !== undefined) lines.push(`    until ${instant(until)} at the latest`);
    if (unblock !== undefined) lines.push(wrapped(oneLine(unblock), columns, '    '));
  }
  session.say(lines.join('\n'));
  return succeeded(answer);
}

function bulleted(text: string, columns: number): string {
  return wrapped(text, columns, '    ').replace(/^ {4}/, '  - ');
}
