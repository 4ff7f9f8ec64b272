import { compiled } from './compiled.ts';
import { givenRelease, type Picked } from './documents.ts';
import { type Outcome, type Session, succeeded } from './session.ts';

/** Prints the state machine of a release: JSON with and without `--json`. */
export async function compileCommand(
  session: Session,
  { file, ...picked }: { file: string } & Picked,
): Promise<Outcome> {
  const { plan, release } = await givenRelease(file, picked);
  const definition: unknown = JSON.parse(compiled(plan, release.onFailure).definition);
  session.say(JSON.stringify(definition, null, 2));
  return succeeded(definition);
}
