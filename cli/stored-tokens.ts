/** Tokens that `renga login` keeps, one a server, in a file that its owner alone reads. */
import path from 'node:path';
import * as z from 'zod';
import { CommandFailure, EXIT } from './failure.ts';
import { nonEmpty, type Session } from './session.ts';

const Stored = z.record(z.string(), z.string());

/** Undefined where neither XDG_CONFIG_HOME nor HOME says where a user's files are. */
function storeOf({ surroundings: { env } }: Session): string | undefined {
  const home = nonEmpty(env.HOME) ?? nonEmpty(env.USERPROFILE);
  const directory = nonEmpty(env.XDG_CONFIG_HOME) ?? (home === undefined ? undefined : path.join(home, '.config'));
  return directory === undefined ? undefined : path.join(directory, 'renga', 'tokens.json');
}

/** A server by its address, however it was written. */
function nameOf(server: string): string {
  if (!URL.canParse(server)) return server;
  const { origin, pathname } = new URL(server);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

export async function storedToken(session: Session): Promise<string | undefined> {
  const file = storeOf(session);
  if (file === undefined) return undefined;
  const tokens = await read(session, file);
  const name = nameOf(session.server);
  return Object.hasOwn(tokens, name) ? tokens[name] : undefined;
}

/** Answers the file. */
export async function storeToken(session: Session, token: string): Promise<string> {
  const file = storeOf(session);
  if (file === undefined) {
    throw new CommandFailure(EXIT.invalid, 'no-home', 'there is no directory to keep a token in', {
      hint: 'set HOME or XDG_CONFIG_HOME, or give the token by RENGA_TOKEN',
    });
  }
  await write(session, file, { ...(await read(session, file)), [nameOf(session.server)]: token });
  return file;
}

/** Answers whether there was one. */
export async function forgetToken(session: Session): Promise<boolean> {
  const file = storeOf(session);
  if (file === undefined) return false;
  const { [nameOf(session.server)]: token, ...rest } = await read(session, file);
  if (token === undefined) return false;
  await write(session, file, rest);
  return true;
}

function write({ surroundings }: Session, file: string, tokens: Readonly<Record<string, string>>): Promise<void> {
  return surroundings.writePrivate(file, `${JSON.stringify(tokens, null, 2)}\n`);
}

async function read({ surroundings }: Session, file: string): Promise<Readonly<Record<string, string>>> {
  let text: string;
  try {
    text = await surroundings.readFile(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new CommandFailure(EXIT.refused, 'unauthenticated', `${file} can not be read (${code ?? String(error)})`, {
      hint: 'it holds the tokens of renga login; mend its permissions, or give a token with --token or RENGA_TOKEN',
    });
  }
  const tokens = Stored.safeParse(jsonOf(text));
  if (tokens.success) return tokens.data;
  throw new CommandFailure(EXIT.invalid, 'invalid-tokens', `${file} is not what renga login writes`, {
    hint: 'remove it and log in again',
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Nor is it anything else: the schema refuses it.
    return undefined;
  }
}
