/** Keeping a token for a server, so that later commands need none. It comes by the standard input: no list of processes shows it. */
import { Api } from './api.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { forgetToken, storeToken } from './stored-tokens.ts';

export async function loginCommand(session: Session): Promise<Outcome> {
  const token = (await session.surroundings.readInput()).trim();
  if (!/^[\x21-\x7e]{1,8192}$/.test(token)) {
    const what =
      token === '' ? 'there is no token on the standard input' : 'the standard input holds more than one token';
    throw new CommandFailure(EXIT.invalid, 'invalid-token', what, {
      hint: 'renga login --token-stdin < token.txt',
    });
  }
  // A token that the server does not take would only be found out by the next command.
  const { answer } = await new Api(session.surroundings, session.server, token).call('me');
  const file = await storeToken(session, token);
  session.say(`logged in to ${session.server} as ${answer.kind} ${answer.subject}\n  the token is in ${file}`);
  return succeeded({ server: session.server, subject: answer.subject, kind: answer.kind, file });
}

export async function logoutCommand(session: Session): Promise<Outcome> {
  const removed = await forgetToken(session);
  session.say(removed ? `the token for ${session.server} is removed` : `no token is kept for ${session.server}`);
  return succeeded({ server: session.server, removed });
}
