/**
 * From a request to a process: `COMMAND`, `CWD` and `GRACE` say how to run, every other parameter becomes an environment
 * variable of its own name.
 */
import { statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Operation, PluginRequest } from '../contract.ts';
import type { Invocation } from './job-directory.ts';

type Params = PluginRequest['params'];
type Param = Params[string];

const DEFAULT_GRACE_SECONDS = 5;
const LONGEST_GRACE_SECONDS = 600;
/** The only variables that a command has from the process that runs renga. */
export const INHERITED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER'] as const;
const RESERVED_PREFIX = 'RENGA_';
/** A command that was written for these must not be run to destroy. */
const OPERATIONS: ReadonlySet<Operation> = new Set(['plan', 'deploy', 'rollback', 'observe']);
const HOW_TO_RUN = new Set(['COMMAND', 'CWD', 'GRACE']);

/** What is wrong with the parameters, as sentences that name the parameter and never its value. */
export function problemsOf(params: Params, workingDirectory: string): readonly string[] {
  const problems: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    if (name.startsWith(RESERVED_PREFIX)) {
      problems.push(`${name}: names that begin with ${RESERVED_PREFIX} are renga's own; use another name.`);
    }
    if (name === '' || /[=\0]/.test(name)) problems.push('A parameter name is empty or holds "=" or a NUL character.');
    if (textsOf(value).some((text) => text.includes('\0'))) {
      problems.push(`${name}: holds a NUL character, which no process can be given.`);
    }
  }
  if (argvOf(params.COMMAND) === undefined) {
    problems.push(
      params.COMMAND === undefined
        ? 'COMMAND is missing: give the executable and its arguments as a list, such as [./deploy.sh, --all].'
        : 'COMMAND must be a list of strings that begins with the executable, or the executable alone as one string.',
    );
  }
  if (graceOf(params.GRACE) === undefined) {
    problems.push(`GRACE must be a number of seconds from 0 to ${LONGEST_GRACE_SECONDS}.`);
  }
  const cwd = directoryOf(params.CWD, workingDirectory);
  if (typeof cwd === 'object') problems.push(cwd.problem);
  return problems;
}

/** The process for a request, or why there can be none. */
export function invocationOf(
  request: PluginRequest,
  workingDirectory: string,
): Invocation | { readonly refused: string } {
  if (!OPERATIONS.has(request.operation)) {
    return { refused: `The command plugin does not carry out the operation ${request.operation}.` };
  }
  const problems = problemsOf(request.params, workingDirectory);
  const argv = argvOf(request.params.COMMAND);
  const graceSeconds = graceOf(request.params.GRACE);
  const cwd = directoryOf(request.params.CWD, workingDirectory);
  if (problems.length > 0 || argv === undefined || graceSeconds === undefined || typeof cwd === 'object') {
    return { refused: problems.join(' ') };
  }
  return { argv, cwd, graceSeconds, environment: environmentOf(request) };
}

function environmentOf(request: PluginRequest): Record<string, string> {
  const { deploy, artifact } = request;
  const given = Object.entries(request.params).filter(([name]) => !HOW_TO_RUN.has(name));
  const own: readonly (readonly [string, string | undefined])[] = [
    ['RENGA_OPERATION', request.operation],
    ['RENGA_DEPLOY', deploy.id],
    ['RENGA_RELEASE', deploy.release],
    ['RENGA_APPLICATION', deploy.application],
    ['RENGA_ENVIRONMENT', deploy.environment],
    ['RENGA_ARTIFACT_NAME', artifact.name],
    ['RENGA_ARTIFACT_TYPE', artifact.type],
    ['RENGA_ARTIFACT_SOURCE', artifact.source],
    ['RENGA_VERSION', artifact.version],
    ['RENGA_PREVIOUS_VERSION', request.previous?.version],
    ['RENGA_STEP', request.step],
    ['RENGA_WAVE', request.wave && String(request.wave.number)],
    ['RENGA_WAVES', request.wave && String(request.wave.of)],
    ['RENGA_TOKEN', request.idempotencyToken],
  ];
  return Object.fromEntries([
    ...given.map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : String(value)] as const),
    ...own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  ]);
}

function argvOf(command: Param | undefined): readonly [string, ...string[]] | undefined {
  if (typeof command === 'string') return command === '' ? undefined : [command];
  if (!Array.isArray(command)) return undefined;
  const [executable, ...args] = command;
  return executable === undefined || executable === '' ? undefined : [executable, ...args];
}

function graceOf(grace: Param | undefined): number | undefined {
  if (grace === undefined) return DEFAULT_GRACE_SECONDS;
  if (typeof grace === 'boolean' || Array.isArray(grace) || grace === '') return undefined;
  const seconds = Number(grace);
  return seconds >= 0 && seconds <= LONGEST_GRACE_SECONDS ? seconds : undefined;
}

function directoryOf(cwd: Param | undefined, workingDirectory: string): string | { readonly problem: string } {
  if (cwd === undefined) return workingDirectory;
  if (typeof cwd !== 'string' || cwd === '' || isAbsolute(cwd)) {
    return { problem: 'CWD must be a directory, written relative to the working directory.' };
  }
  const path = resolve(workingDirectory, cwd);
  const way = relative(workingDirectory, path);
  if (way === '..' || way.startsWith(`..${sep}`)) return { problem: 'CWD leads out of the working directory.' };
  // A NUL has its own sentence, and `stat` throws on it.
  if (cwd.includes('\0')) return path;
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    ? path
    : { problem: `CWD is no directory: there is none at ${path}.` };
}

function textsOf(value: Param): readonly string[] {
  return Array.isArray(value) ? value : [String(value)];
}
