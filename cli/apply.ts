/** Applying documents that hold from then on, and saying first what that would change. */
import type { AppliedView } from '../api/contract.ts';
import type { StandingDocument } from '../core/documents/check.ts';
import type { Problem } from '../core/errors.ts';
import { readStanding, type Standing } from '../files/read-standing.ts';
import { CommandFailure, EXIT, invalid } from './failure.ts';
import { withPlaces } from './release-submit.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { harmless, wrapped } from './text.ts';

export const ENVIRONMENT_KINDS = ['Environment', 'EnvironmentConfig', 'Pipeline'] as const;
export const ACCESS_KINDS = ['Access'] as const;

type Kinds = readonly StandingDocument['kind'][];

export interface ApplyOptions {
  readonly file: readonly string[];
}

/** Puts every document of the files in place. All files are read before the first is applied. */
export async function applyCommand(session: Session, kinds: Kinds, { file: files }: ApplyOptions): Promise<Outcome> {
  const documents = await readAll(files, kinds);
  // What one of them may not say is found before any of them holds.
  for (const each of documents) await send(session, each, true);
  const applied: AppliedView[] = [];
  for (const each of documents) {
    const answer = await send(session, each, false);
    applied.push(answer);
    say(session, answer);
  }
  return succeeded({ items: applied });
}

/** What applying them would change; exit code 3 when it is anything. */
export async function diffCommand(session: Session, kinds: Kinds, { file: files }: ApplyOptions): Promise<Outcome> {
  const documents = await readAll(files, kinds);
  const items: AppliedView[] = [];
  for (const each of documents) {
    const answer = await send(session, each, true);
    items.push(answer);
    say(session, answer, 'would be ');
  }
  const changes = items.some(({ result }) => result !== 'unchanged');
  return { exit: changes ? EXIT.unsuccessful : EXIT.success, document: { items } };
}

async function readAll(files: readonly string[], kinds: Kinds): Promise<Standing[]> {
  const documents: Standing[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const read = await readStanding(file, kinds);
    if (read.problems !== undefined) problems.push(...read.problems);
    else documents.push(...read.documents);
  }
  if (problems.length > 0) throw invalid(problems);
  return documents;
}

async function send(session: Session, { document, locate }: Standing, dry: boolean): Promise<AppliedView> {
  const route = document.kind === 'Access' ? 'applyAccess' : 'applyEnvironment';
  try {
    const call = { body: document, ...(dry && { query: { dryRun: 'true' } }) };
    return (await (await session.api()).call(route, call)).answer;
  } catch (error) {
    throw error instanceof CommandFailure ? withPlaces(error, locate) : error;
  }
}

function say(session: Session, { kind, name, result, differences }: AppliedView, would = ''): void {
  const sign = result === 'unchanged' ? '=' : result === 'created' ? '+' : '~';
  session.say(`${sign} ${kind} ${name}  ${result === 'unchanged' ? 'unchanged' : `${would}${result}`}`);
  for (const line of differences) session.say(wrapped(harmless(line), session.columns, '    '));
}
