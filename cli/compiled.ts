/** A release's machine as it is compiled without an account: its functions are named, but exist nowhere. */
import type { ReleaseDocument } from '../core/documents/release.ts';
import { FUNCTION_NAMES, type FunctionArns } from '../statemachines/functions.ts';
import { planned } from '../views/planned.ts';

const PREFIX = 'arn:aws:lambda:us-east-1:000000000000:function:renga-';

const ARNS = Object.fromEntries(FUNCTION_NAMES.map((name) => [name, `${PREFIX}${name}:1`])) as FunctionArns;

export function plannedOffline(release: ReleaseDocument): ReturnType<typeof planned> {
  return planned(release, ARNS);
}
