/** Who the CLI says it is: `--token`, RENGA_TOKEN, what `renga login` kept, then the token file of a local server's data directory. */
import { CommandFailure, EXIT } from './failure.ts';
import { nonEmpty, type Session, tokenFile } from './session.ts';
import { storedToken } from './stored-tokens.ts';

export async function tokenOf(session: Session): Promise<string | undefined> {
  const given = nonEmpty(session.options.token) ?? nonEmpty(session.surroundings.env.RENGA_TOKEN);
  if (given !== undefined) return given;
  const stored = await storedToken(session);
  if (stored !== undefined) return stored;
  const file = tokenFile(session);
  try {
    return nonEmpty(await session.surroundings.readFile(file));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // No token file: the server may be elsewhere, and says itself whether it wants one.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code !== 'EACCES' && code !== 'EISDIR') throw error;
    throw new CommandFailure(EXIT.refused, 'unauthenticated', `the token file ${file} can not be read (${code})`, {
      hint: 'give a token with --token or RENGA_TOKEN, or run as the user who runs renga start',
    });
  }
}
