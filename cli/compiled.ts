/** A release's machine as it is compiled without an account: its functions are named, but exist nowhere. */
import type { OnFailure } from '../core/documents/release.ts';
import type { Plan } from '../core/plan/plan.ts';
import { type CompiledRelease, compile } from '../statemachines/compile.ts';
import { FUNCTION_NAMES, type FunctionArns } from '../statemachines/functions.ts';

const PREFIX = 'arn:aws:lambda:us-east-1:000000000000:function:renga-';

const ARNS = Object.fromEntries(FUNCTION_NAMES.map((name) => [name, `${PREFIX}${name}:1`])) as FunctionArns;

export function compiled(plan: Plan, onFailure: OnFailure): CompiledRelease {
  return compile(plan, onFailure, ARNS);
}
