/** Checks files as a submission would: first what they say themselves, then what only the server knows. */
import { placed } from '../core/documents/parse.ts';
import type { Problem } from '../core/errors.ts';
import { sizeProblems } from '../statemachines/compile.ts';
import { plannedOffline } from './compiled.ts';
import { type Given, readDocument } from './documents.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { renderProblems } from './problems.ts';
import { withPlaces } from './release-submit.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { wrapped } from './text.ts';

export interface CheckOptions {
  readonly file: readonly string[];
  readonly offline?: boolean | undefined;
}

/** What only the server can check. */
const NEEDS_SERVER = [
  'that the ids of its deploys are free',
  'that the deploys outside the release which it waits for exist, and can still succeed',
  'that its plugins are installed, and their parameters right',
];

export async function checkCommand(session: Session, { file: files, offline = false }: CheckOptions): Promise<Outcome> {
  const given: Given[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const read = await readDocument(file);
    if (read.problems !== undefined) problems.push(...read.problems);
    else {
      given.push(read.given);
      problems.push(...tooLarge(read.given));
    }
  }
  if (problems.length === 0 && !offline)
    for (const one of given) problems.push(...(await serverProblems(session, one)));
  const notChecked = offline ? NEEDS_SERVER : [];
  if (problems.length > 0) {
    session.say(renderProblems(problems, session.style, session.columns));
    return { exit: EXIT.invalid, document: { valid: false, problems, notChecked } };
  }
  session.say(session.style.paint('green', `✓ ${files.join(', ')}: nothing is wrong${offline ? ' in itself' : ''}`));
  if (offline) {
    session.say('not checked (--offline):');
    for (const what of NEEDS_SERVER) session.say(wrapped(what, session.columns, '    ').replace(/^ {4}/, '  - '));
  }
  return succeeded({ valid: true, problems, notChecked });
}

function tooLarge({ kind, document, origin }: Given): Problem[] {
  if (kind === 'Deploy') return [];
  return placed(sizeProblems(plannedOffline(document).compiled), origin.locate);
}

async function serverProblems(session: Session, { document, origin }: Given): Promise<readonly Problem[]> {
  try {
    await (await session.api()).call('check', { body: document });
    return [];
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const { code, message, exit, details } = withPlaces(error, origin.locate);
    if (details.problems !== undefined && details.problems.length > 0) return details.problems;
    if (code !== 'unreachable') throw error;
    const hint = `${details.hint}; or add --offline to check only what the files say themselves`;
    throw new CommandFailure(exit, code, `${message}, and part of the check is the server's`, { hint });
  }
}
