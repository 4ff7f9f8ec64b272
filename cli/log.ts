import { EXIT } from './failure.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { harmless } from './text.ts';

/** Milliseconds between two looks at a log that grows. */
const PAUSE = 500;

/** Prints a deploy's log as it is, and with `--follow` what is added to it until the deploy has ended. */
export async function logCommand(session: Session, id: string, { follow }: { follow?: boolean }): Promise<Outcome> {
  const api = await session.api();
  const { stdout } = session.surroundings;
  const interrupt = new AbortController();
  const listening = follow === true ? session.surroundings.onInterrupt(() => interrupt.abort()) : () => {};
  let log = '';
  try {
    for (let offset = 0; ; ) {
      const { answer } = await api.call('deployLog', { id, query: { offset: String(offset) } });
      if (session.json) log += answer.text;
      else if (answer.text !== '') stdout.write(stdout.isTTY ? harmless(answer.text) : answer.text);
      const more = answer.next > offset;
      offset = answer.next;
      if (more) continue;
      if (follow !== true || answer.ended) {
        if (offset === 0) session.note(answer.ended ? `${id} has no log` : `${id} has no log yet`);
        return succeeded({ deploy: id, log, next: offset, ended: answer.ended });
      }
      await session.surroundings.sleep(PAUSE, interrupt.signal);
      if (interrupt.signal.aborted) {
        session.note(`renga: no longer followed; the deploy ${id} goes on`);
        return { exit: EXIT.stillRunning, document: { deploy: id, log, next: offset, ended: false } };
      }
    }
  } finally {
    listening();
  }
}
