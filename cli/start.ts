/** Runs the embedded server until it is told to stop. */
import { CommandFailure, EXIT, failureOf } from './failure.ts';
import { type Session, tokenFile } from './session.ts';
import type { StartedServer } from './surroundings.ts';
import { table } from './text.ts';

export async function startCommand(session: Session, { port }: { port: number }): Promise<undefined> {
  const { surroundings, dataDirectory } = session;
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  // From before it listens: a signal meanwhile must not cut it off in the middle of opening its data.
  const listening = surroundings.onInterrupt(() => stop());
  try {
    const server = await started(session, port);
    // Said now and not at its end, which may be days away: whoever started it needs to know where it is.
    if (session.json) session.document({ url: server.url, dataDirectory, tokenFile: tokenFile(session) });
    else session.say(greeting(session, server.url));
    await stopped;
    session.note('stopping; what runs goes on at the next start');
    await server.close();
    return undefined;
  } finally {
    listening();
  }
}

function greeting({ style, dataDirectory }: Session, url: string): string {
  const rows = table([
    ['', 'API', `${url}/v1`],
    ['', 'data', dataDirectory],
    ['', 'token', `${dataDirectory}/token`],
    ['', 'aws', `aws --endpoint-url ${url} stepfunctions list-state-machines`],
  ]);
  return [`${style.paint('bold', 'renga is up')}; Ctrl-C stops it`, ...rows].join('\n');
}

async function started(session: Session, port: number): Promise<StartedServer> {
  const { surroundings, dataDirectory } = session;
  try {
    return await surroundings.startServer({ port, dataDirectory });
  } catch (error) {
    throw failureOf(error) ?? systemFailure(error, port, dataDirectory) ?? error;
  }
}

/** What the system says, when the server has not said it itself. */
function systemFailure(error: unknown, port: number, directory: string): CommandFailure | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    // Another moment may find it free, so it is no mistake in what was asked.
    return new CommandFailure(EXIT.unexpected, 'port-in-use', `port ${port} is in use by another process`, {
      hint: `is renga running already? Else choose another with --port, such as --port ${port + 1}`,
    });
  }
  if (code === 'EACCES' && (error as { syscall?: string }).syscall === 'listen') {
    return new CommandFailure(EXIT.invalid, 'port-refused', `port ${port} is not for this user`, {
      hint: 'choose one above 1023 with --port',
    });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') {
    return new CommandFailure(
      EXIT.invalid,
      'data-unusable',
      `the data directory ${directory} can not be written (${code})`,
      {
        hint: 'name another one with --data',
      },
    );
  }
  return undefined;
}
