/** One command line, from its words to its exit code. */
import { type Command, CommanderError } from 'commander';
import { commandTable } from './cli.ts';
import { CommandFailure, EXIT, failureOf } from './failure.ts';
import { type GlobalOptions, type Outcome, Session } from './session.ts';
import type { Surroundings } from './surroundings.ts';

/** Runs a command line, given without the program's own name; answers the exit code. */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  // Known before anything is parsed: a command line that is wrong is answered in JSON, too.
  const json = argv.includes('--json');
  let printed = '';
  const program = commandTable({
    columns: () => surroundings.stdout.columns,
    print: (text) => {
      if (json) printed += text;
      else surroundings.stdout.write(text);
    },
    complain: (text) => {
      if (!json) surroundings.stderr.write(text);
    },
    work: async (command, verb) => {
      const session = sessionOf(command, surroundings);
      const outcome = await verb(session);
      exit = concluded(session, outcome);
    },
  });
  let exit: number = EXIT.success;
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    const session = new Session(surroundings, { ...program.opts<GlobalOptions>(), json });
    if (error instanceof CommanderError) return misused(session, error, printed);
    return session.fail(failureOf(error) ?? surprise(session, error));
  }
}

/** Where it happened is for whoever mends it, and goes to the standard error output whatever was asked for. */
function surprise(session: Session, error: unknown): CommandFailure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  session.note(stack ?? message);
  return new CommandFailure(EXIT.unexpected, 'internal', `unexpected: ${message}`, {
    hint: 'this is no mistake of yours; what is above says where it happened',
  });
}

function sessionOf(command: Command, surroundings: Surroundings): Session {
  return new Session(surroundings, command.optsWithGlobals<GlobalOptions>());
}

function concluded(session: Session, outcome: Outcome | undefined): number {
  if (outcome === undefined) return EXIT.success;
  if (session.json) session.document(outcome.document);
  return outcome.exit;
}

/** Commander has printed its message or the help already, except for `--json`. */
function misused(session: Session, error: CommanderError, printed: string): number {
  if (error.exitCode === 0) {
    if (session.json) session.document({ text: printed });
    return EXIT.success;
  }
  if (!session.json) return EXIT.invalid;
  const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
  return session.fail(new CommandFailure(EXIT.invalid, 'usage', message, { hint: 'renga --help lists the commands' }));
}
