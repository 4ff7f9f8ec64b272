/** The environment that infrastructure gives to every function: the contract between the two, in one place. */
import * as z from 'zod';
import { Administrators } from '../core/access/administrators.ts';
import { PinnedSources } from '../core/access/event-actor.ts';
import { FUNCTION_NAMES, type FunctionArns } from '../statemachines/functions.ts';

const Text = z.string().min(1);

const Environment = z.object({
  RENGA_TABLE: Text,
  RENGA_BUS: Text,
  /** ARN of the machine that is the life of a deploy. */
  RENGA_DEPLOY_MACHINE: Text,
  /** First part of the names of the machines that are compiled from plans. */
  RENGA_MACHINE_PREFIX: Text,
  /** Role that compiled machines run under. */
  RENGA_MACHINE_ROLE: Text,
  RENGA_MACHINE_LOG_GROUP: Text.optional(),
  RENGA_MACHINE_TRACING: z.enum(['true', 'false']).default('false'),
  /** `arn:<partition>:lambda:<region>:<account>:function:<prefix>`: a function's ARN is this, `-`, its name and `:live`. */
  RENGA_FUNCTION_PREFIX: Text,
  /** Subjects, separated by commas, that may do everything; nobody when absent. */
  RENGA_ADMINISTRATORS: Administrators.default([]),
  /** `<account>/<source>`, separated by commas: sources of events that the bus's policy keeps for one pipeline each. */
  RENGA_PINNED_SOURCES: PinnedSources.default([]),
  /** Names of claims of a JWT: who it is, and the groups they are in. */
  RENGA_JWT_SUBJECT_CLAIM: Text.default('sub'),
  RENGA_JWT_GROUPS_CLAIM: Text.optional(),
});
export type Environment = z.infer<typeof Environment>;
export type EnvironmentName = keyof Environment;

/** What infrastructure gives: texts, of which those that a function can do without may be absent. */
export type EnvironmentTexts = { readonly [Name in EnvironmentName]: TextOf<Name> };
type TextOf<Name extends EnvironmentName> = Extract<z.input<typeof Environment>[Name], string | undefined>;

/** What the ARN of every machine of this account and region begins with, up to its name. */
export function machinesArn({ RENGA_DEPLOY_MACHINE }: Pick<Environment, 'RENGA_DEPLOY_MACHINE'>): string {
  return RENGA_DEPLOY_MACHINE.slice(0, RENGA_DEPLOY_MACHINE.lastIndexOf(':') + 1);
}

/** Throws naming every variable that is missing or wrong. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const read = Environment.safeParse(env);
  if (read.success) return read.data;
  const wrong = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new Error(`this function's environment is not complete: ${wrong}`);
}

/**
 * Definitions name functions by this alias, and a deployment moves it, also under executions that run: a function takes
 * the inputs that the release before it was given. An execution may wait for weeks, and a definition that named versions
 * would need each of them kept as long, and a new machine of every plan at every deployment.
 */
export const ALIAS = 'live';

export function functionArns(prefix: string): FunctionArns {
  return Object.fromEntries(FUNCTION_NAMES.map((name) => [name, `${prefix}-${name}:${ALIAS}`])) as FunctionArns;
}
