import { EXIT } from './failure.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { harmless } from './text.ts';

/** Milliseconds between two looks at a log that grows. */
const PAUSE = 500;

/**
 * Prints the log of a deploy's last job, or of the one named, as it is; with `--follow` what is added to it, and the logs
 * of the jobs that come after it, until the deploy has ended.
 */
export async function logCommand(
  session: Session,
  id: string,
  { follow, job: named }: { follow?: boolean; job?: string },
): Promise<Outcome> {
  const api = await session.api();
  const { stdout } = session.surroundings;
  const interrupt = new AbortController();
  const listening = follow === true ? session.surroundings.onInterrupt(() => interrupt.abort()) : () => {};
  let log = '';
  const show = (text: string) => {
    if (session.json) log += text;
    else if (text !== '') stdout.write(stdout.isTTY ? harmless(text) : text);
  };
  const read = (offset: number, job: string | undefined) =>
    api.call('deployLog', { id, query: { offset: String(offset), ...(job !== undefined && { job }) } });
  let current: string | undefined;
  try {
    for (let offset = 0; ; ) {
      const { answer } = await read(offset, named);
      if (current !== undefined && answer.job !== undefined && answer.job !== current) {
        // Another job has begun: what is left of the one before first, then that from its beginning.
        for (let rest = await read(offset, current); rest.answer.next > offset; rest = await read(offset, current)) {
          show(rest.answer.text);
          offset = rest.answer.next;
        }
        session.note(`renga: ${answer.job}`);
        current = answer.job;
        offset = 0;
        continue;
      }
      current ??= answer.job;
      show(answer.text);
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
