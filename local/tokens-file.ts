/**
 * `tokens.yml` in the data directory: tokens for other people and for pipelines, beside the owner's own. It is looked at with
 * every request and read again when it has changed, so that nobody has to start anew. What is wrong in it is reported,
 * without ever showing a token, and the tokens before it hold.
 */
import { open, stat } from 'node:fs/promises';
import { isNode } from 'yaml';
import * as z from 'zod';
import type { Actor } from '../core/access/actor.ts';
import { decode, SourceText } from '../core/documents/source-text.ts';
import { readYaml } from '../core/documents/yaml-stream.ts';
import { readValue } from '../core/documents/yaml-values.ts';

type Tokens = ReadonlyMap<string, Actor>;
type Stats = Awaited<ReturnType<typeof stat>>;

/** Names nobody could bind: see the subjects of Access documents. */
const Named = z
  .string()
  .max(256, 'is longer than 256 characters')
  .regex(/^[^\s*]+$/, 'is empty, or has spaces or *');

const Entry = z
  .strictObject(
    {
      token: z
        .string()
        .min(20, 'is shorter than 20 characters')
        .max(500, 'is longer than 500 characters')
        .regex(/^[\x21-\x7e]+$/, 'has other characters than printable ASCII without spaces'),
      user: Named.optional(),
      pipeline: Named.optional(),
      groups: z.array(Named).max(100, 'are more than 100').default([]),
    },
    // Never the names of unknown fields: one may be a token that stands where a name belongs.
    {
      error: ({ code }) =>
        code === 'unrecognized_keys' ? 'has a field that is none of: token, user, pipeline, groups' : undefined,
    },
  )
  .refine(({ user, pipeline }) => (user === undefined) !== (pipeline === undefined), 'needs either user or pipeline');

const Entries = z.array(Entry).max(1_000, 'more than 1000 tokens');

/** What the file says can't be taken over; what was read before it holds. */
class TokensUnusable extends Error {
  override readonly name = 'TokensUnusable';
}

export class TokensFile {
  #tokens: Tokens;
  #seen = '';
  #reading: Promise<void> | undefined;

  constructor(
    readonly path: string,
    readonly owner: { readonly token: string; readonly actor: Actor },
    readonly report: (message: string, error: unknown) => void,
  ) {
    this.#tokens = this.#with([]);
  }

  /** All tokens that hold now, the owner's among them. */
  async current(): Promise<Tokens> {
    this.#reading ??= this.#look().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    return this.#tokens;
  }

  async #look(): Promise<void> {
    try {
      const stats = await stat(this.path).catch(absent);
      const seen = stats === undefined ? 'absent' : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
      if (seen === this.#seen) return;
      // Noted before it is read: what is written meanwhile is another change. What is wrong is reported once.
      this.#seen = seen;
      this.#tokens = this.#with(stats === undefined ? [] : tokensIn(await this.#text(), this.path));
    } catch (error) {
      this.report(`${this.path} was not taken over, the tokens before it hold`, error);
    }
  }

  #with(others: readonly (readonly [string, Actor])[]): Tokens {
    const { token, actor } = this.owner;
    const all = new Map([[token, actor], ...others]);
    if (all.size <= others.length)
      throw new TokensUnusable("a token is there twice, or is the owner's: write a new one");
    // What goes on under a name has the rights of that name: with the owner's it would be an administrator's.
    if (others.some(([, { kind, subject }]) => kind === 'user' && subject === actor.subject)) {
      throw new TokensUnusable(`the user ${actor.subject} is the owner of this renga: name others`);
    }
    return all;
  }

  async #text(): Promise<string> {
    const file = await open(this.path, 'r');
    try {
      // Of the file that was opened: its name may be another's by now.
      const wrong = unfit(await file.stat(), this.path);
      if (wrong !== undefined) throw new TokensUnusable(wrong);
      const decoded = decode(await file.readFile(), this.path);
      if ('problem' in decoded) throw new TokensUnusable(decoded.problem.message);
      return decoded.text;
    } finally {
      await file.close();
    }
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function unfit(stats: Stats, path: string): string | undefined {
  if (!stats.isFile()) return `${path} is no file`;
  // Windows has no such bits.
  if (process.platform !== 'win32' && (Number(stats.mode) & 0o077) !== 0) {
    return `others than its owner may read or write it: chmod 600 ${path}`;
  }
  return undefined;
}

/** Problems name the line and what is wrong, never what is written there. */
function tokensIn(text: string, path: string): (readonly [string, Actor])[] {
  const source = new SourceText(text.replace(/^\uFEFF/, ''), path);
  const at = (offset: number) => `line ${source.position(Math.min(offset, source.text.length)).line}`;
  const read = readYaml(source);
  if ('problem' in read) throw new TokensUnusable(`line ${read.problem.position?.line ?? 1}: ${read.problem.code}`);
  const { documents } = read;
  const [syntax] = documents.flatMap(({ errors }) => errors);
  if (syntax !== undefined) throw new TokensUnusable(`${at(syntax.pos[0])} is no YAML`);
  if (documents.length > 1) throw new TokensUnusable('it has several documents: write one list');
  const contents = documents[0]?.contents;
  if (!isNode(contents) || contents.toJSON() === null) return [];
  const { value, places, problems } = readValue(contents, source);
  const [unread] = problems;
  if (unread !== undefined) {
    throw new TokensUnusable(`line ${unread.position?.line ?? 1}: ${unread.code}; write tokens and names in quotes`);
  }
  const entries = Entries.safeParse(value);
  if (!entries.success) {
    const wrong = entries.error.issues.map(({ path: [index, ...rest], message }) => {
      const place = places.get(`[${String(index)}]`)?.value ?? 0;
      return `${[at(place), ...rest.map(String)].join(': ')}: ${message}`;
    });
    throw new TokensUnusable(wrong.join('; '));
  }
  return entries.data.map(({ token, user, pipeline, groups }) => [
    token,
    { subject: user ?? pipeline ?? '', kind: user === undefined ? 'pipeline' : 'user', groups },
  ]);
}
