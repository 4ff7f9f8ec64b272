/** One run of the CLI: where it speaks, in which form, and to which server. */
import path from 'node:path';
import { Api } from './api.ts';
import { type CommandFailure, EXIT } from './failure.ts';
import { renderProblems } from './problems.ts';
import { Style } from './style.ts';
import type { Surroundings } from './surroundings.ts';
import { harmless, wrapped } from './text.ts';
import { tokenOf } from './token.ts';

export interface GlobalOptions {
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly data?: string | undefined;
  readonly json?: boolean | undefined;
  readonly color?: boolean | undefined;
}

/** What a command says at its end: how it went, and the one document that `--json` prints. */
export interface Outcome {
  readonly exit: number;
  readonly document: unknown;
}

export const DEFAULT_SERVER = 'http://127.0.0.1:4080';
export const DEFAULT_DATA = '.renga';
/** Lines longer than this are hard to read, however wide the terminal is. */
const WIDEST = 120;
const PLAIN_WIDTH = 100;

export class Session {
  readonly json: boolean;
  readonly style: Style;
  readonly server: string;
  readonly dataDirectory: string;
  #api: Promise<Api> | undefined;

  constructor(
    readonly surroundings: Surroundings,
    readonly options: GlobalOptions,
  ) {
    this.json = options.json === true;
    this.style = new Style(surroundings.stdout, surroundings.env, options.color !== false && !this.json);
    this.server = options.server ?? nonEmpty(surroundings.env.RENGA_URL) ?? DEFAULT_SERVER;
    this.dataDirectory = options.data ?? DEFAULT_DATA;
  }

  /** Columns to write in; a file or a pipe gets a fixed width. */
  get columns(): number {
    const { stdout } = this.surroundings;
    return stdout.isTTY ? Math.min(stdout.columns, WIDEST) : PLAIN_WIDTH;
  }

  /** The server's API, with the token that is found when it is first needed. */
  api(): Promise<Api> {
    this.#api ??= tokenOf(this).then((token) => new Api(this.surroundings, this.server, token));
    return this.#api;
  }

  /** The result, for a person. Nothing with `--json`, whose only output is the document. */
  say(text: string): void {
    if (!this.json) this.surroundings.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** What is not the result: it never mixes with what a pipe reads. */
  note(text: string): void {
    this.surroundings.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  document(value: unknown): void {
    this.surroundings.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  fail(failure: CommandFailure): number {
    const { hint, problems = [], differences = [] } = failure.details;
    if (this.json) {
      const found = { ...(problems.length > 0 && { problems }), ...(differences.length > 0 && { differences }) };
      this.document({ error: { code: failure.code, message: failure.message, ...(hint && { hint }), ...found } });
      return failure.exit;
    }
    const style = new Style(this.surroundings.stderr, this.surroundings.env, this.options.color !== false);
    const { stderr } = this.surroundings;
    const columns = stderr.isTTY ? Math.min(stderr.columns, WIDEST) : PLAIN_WIDTH;
    if (problems.length > 0) {
      this.note(renderProblems(problems, style, columns));
      if (failure.code === 'invalid-document') return failure.exit;
    }
    const lines = [`${style.paint('red', 'renga')}: ${harmless(failure.message)}`];
    for (const line of differences) lines.push(`  ${harmless(line)}`);
    if (hint !== undefined) for (const line of harmless(hint).split('\n')) lines.push(wrapped(line, columns, '  '));
    this.note(lines.join('\n'));
    return failure.exit;
  }
}

export function succeeded(document: unknown): Outcome {
  return { exit: EXIT.success, document };
}

export function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

/** The file that holds a local server's token. */
export function tokenFile(session: Session): string {
  return path.join(session.dataDirectory, 'token');
}
