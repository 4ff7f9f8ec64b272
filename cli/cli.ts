/** The table of commands. What each does is in the file of its name; what it found is the API's to say. */
import { Command, CommanderError, Option } from 'commander';
import { DeployState, ReleaseState } from '../api/contract.ts';
import packageJson from '../package.json' with { type: 'json' };
import { bindings, count, milliseconds, port, words } from './arguments.ts';
import { checkCommand } from './check.ts';
import { compileCommand } from './compile.ts';
import { completionCommand, SHELLS } from './completion.ts';
import { cancelDeployCommand, deployCommand } from './deploy.ts';
import { CommandFailure, EXIT, failureOf } from './failure.ts';
import { GRAPH_FORMATS, graphCommand } from './graph.ts';
import { inventoryCommand } from './inventory.ts';
import { logCommand } from './log.ts';
import { planCommand } from './plan.ts';
import { type ActionOptions, releaseActionCommand, releaseRetryCommand } from './release-actions.ts';
import { releaseListCommand, releaseStatusCommand } from './release-status.ts';
import { submitReleaseCommand } from './release-submit.ts';
import { DEFAULT_DATA, DEFAULT_SERVER, type GlobalOptions, type Outcome, Session } from './session.ts';
import { startCommand } from './start.ts';
import { statusCommand } from './status.ts';
import type { Surroundings } from './surroundings.ts';
import { whyCommand } from './why.ts';

/** Runs one command line, without the program's own name; answers the exit code. */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  let outcome: { readonly session: Session; readonly result: Outcome | undefined } | undefined;
  const json = argv.includes('--json');
  let printed = '';
  const { program, table } = empty(surroundings, json, (text) => {
    printed += text;
  });
  table((session, result) => {
    outcome = { session, result };
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const session = new Session(surroundings, { ...program.opts<GlobalOptions>(), json });
    if (error instanceof CommanderError) return usage(session, error, printed);
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return session.fail(failure);
  }
  if (outcome?.result === undefined) return EXIT.success;
  if (outcome.session.json) outcome.session.document(outcome.result.document);
  return outcome.result.exit;
}
