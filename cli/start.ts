/** Runs the embedded server until it is told to stop. */
import type { Session } from './session.ts';
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
    const server = await surroundings.startServer({ port, dataDirectory });
    // Said now and not at its end, which may be days away: whoever started it needs to know where it is.
    if (session.json) {
      const { url, dataDirectory, tokenFile, tokensFile, otherTokens } = server;
      session.document({ url, dataDirectory, tokenFile, tokensFile, otherTokens });
    } else session.say(greeting(session, server));
    await stopped;
    session.note('stopping; what runs goes on at the next start');
    await server.close();
    return undefined;
  } finally {
    listening();
  }
}

function greeting(
  { style }: Session,
  { url, dataDirectory, tokenFile, tokensFile, otherTokens }: StartedServer,
): string {
  const rows = table([
    ['', 'API', `${url}/v1`],
    ['', 'data', dataDirectory],
    ['', 'token', tokenFile],
    ...(otherTokens > 0 ? [['', 'tokens', `${otherTokens} more in ${tokensFile}`]] : []),
    ['', 'aws', `aws --endpoint-url ${url} stepfunctions list-state-machines`],
  ]);
  return [`${style.paint('bold', 'renga is up')}; Ctrl-C stops it`, ...rows].join('\n');
}
