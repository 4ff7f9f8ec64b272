/**
 * What is kept of the outputs of a deploy's runs until its end: exports that were declared, checked as each run gives
 * them, so that a bad value ends the deploy before the next wave begins, and nothing unchecked is ever written (I8).
 */
import * as z from 'zod';
import type { Export } from '../documents/deploy.ts';
import type { Problem } from '../errors.ts';
import { type CheckedExports, checkExports } from '../exports/check.ts';
import { ExportValue, importedParam } from '../exports/value.ts';
import type { Failure } from '../failure.ts';

type Declared = Readonly<Record<string, Export>>;

/** The checked exports of one run of a step; a wave is a run of the step `deploy`. */
export const KeptRun = z.object({ step: z.string(), values: z.record(z.string(), ExportValue) });
export type KeptRun = z.infer<typeof KeptRun>;

/** The exports that a step gives. */
export function exportsOfStep(declared: Declared, step: string): Declared {
  return Object.fromEntries(Object.entries(declared).filter(([, { from }]) => from.startsWith(`${step}.`)));
}

/**
 * What one run of a step gives of its exports. `lenient`: what it does not give at all is passed over, since a rollback
 * takes that over from what it puts back; what it gives must be valid all the same.
 */
export function checkRun(
  declared: Declared,
  step: string,
  outputs: Readonly<Record<string, string>>,
  lenient: boolean,
): CheckedExports {
  const ofStep = Object.entries(exportsOfStep(declared, step));
  const asked = lenient ? ofStep.filter(([, { from }]) => Object.hasOwn(outputs, from.slice(step.length + 1))) : ofStep;
  return checkExports(Object.fromEntries(asked), { [step]: [outputs] });
}

/**
 * The exports of several runs together, each step's in their order: lists united, texts the same in all. Of exports that
 * no run gave nothing is said: each run was held to them before.
 */
export function uniteRuns(declared: Declared, runs: readonly KeptRun[]): CheckedExports {
  const given = Object.entries(declared).filter(([name]) => runs.some(({ values }) => Object.hasOwn(values, name)));
  // Under the names of exports, since two of them may read the same output in two formats.
  const renamed = given.map(([name, each]) => [name, { ...each, from: `${stepOf(each)}.${name}` }] as const);
  const outputs = new Map<string, Record<string, string>[]>();
  for (const { step, values } of runs) {
    const texts = Object.entries(values).map(([name, value]) => [name, importedParam(value)] as const);
    outputs.set(step, [...(outputs.get(step) ?? []), Object.fromEntries(texts)]);
  }
  return checkExports(Object.fromEntries(renamed), Object.fromEntries(outputs));
}

export function exportsFailure(problems: readonly Problem[], where = ''): Failure {
  const why = problems.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`)).join('; ');
  return { code: 'exports-invalid', message: `exports of the deploy not valid: ${where}${why}` };
}

function stepOf({ from }: Export): string {
  return from.slice(0, from.indexOf('.'));
}
