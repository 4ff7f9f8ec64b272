import { plannedOffline } from './compiled.ts';
import { givenRelease, type Picked } from './documents.ts';
import { type Outcome, type Session, succeeded } from './session.ts';

/** Prints the state machine of a release: JSON with and without `--json`. */
export async function compileCommand(
  session: Session,
  { file, ...picked }: { file: string } & Picked,
): Promise<Outcome> {
  const { release } = await givenRelease(file, picked);
  const definition: unknown = JSON.parse(plannedOffline(release).compiled.definition);
  session.say(JSON.stringify(definition, null, 2));
  return succeeded(definition);
}
