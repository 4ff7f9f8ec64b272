/**
 * What a pipeline is told of a deploy or a release that it ran: id, state and exports, in the form that its CI system
 * reads. No message here shows a value.
 */
import { createHash } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { shown } from '../core/documents/shown.ts';
import { RengaError } from '../core/errors.ts';

export const CI_FORMATS = ['github', 'gitlab', 'dotenv', 'json'] as const;
export type CiFormat = (typeof CI_FORMATS)[number];

export interface CiOutcome {
  readonly id: string;
  /** What it is the id of; a deploy when absent. */
  readonly of?: 'deploy' | 'release';
  readonly state: string;
  /** Each export as text; targets as JSON. */
  readonly exports: Readonly<Record<string, string>>;
}

/** Where an outcome goes; without a file, to the standard output. */
export interface CiTarget {
  readonly format: CiFormat;
  readonly file?: string;
}

const STANDARD_OUTPUT = '-';

/**
 * Where the outcome will be written, decided before anything is submitted: what is missing here, or two of `exports`
 * that would get one name, must not be found out after the deploy.
 */
export function ciTarget(
  format: CiFormat,
  env: Readonly<Record<string, string | undefined>>,
  file?: string,
  exports: readonly string[] = [],
): CiTarget {
  variableNames(format, exports);
  if (file === STANDARD_OUTPUT && format === 'json') return { format };
  if (file === STANDARD_OUTPUT || file === '') {
    throw refused(`--ci-file ${shown(file)} is no file, and --ci ${format} is written to one`, 'name a file');
  }
  if (file !== undefined) return { format, file };
  if (format !== 'github') return { format, file: format === 'json' ? 'renga.json' : 'renga.env' };
  const { GITHUB_OUTPUT: output } = env;
  if (output !== undefined && output !== '') return { format, file: output };
  const message = '--ci github writes to the file that GITHUB_OUTPUT names, and GITHUB_OUTPUT is not set';
  throw refused(message, 'run it in a step of GitHub Actions, or name a file with --ci-file');
}

/** Writes an outcome, whole or not at all; answers the text that belongs on the standard output, if it does. */
export async function writeCiOutcome(target: CiTarget, outcome: CiOutcome): Promise<string | undefined> {
  const { format, file } = target;
  const text = ciOutcome(format, outcome);
  if (file === undefined) return text;
  try {
    if (format === 'github') await appendFile(file, (await breaksOff(file)) ? `\n${text}` : text);
    else await writeFile(file, text);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code !== 'string') throw error;
    const message = `${outcome.id} is ${outcome.state}, and its outcome can't be written to ${shown(file)}: ${code}`;
    throw refused(message, 'name a file that can be written with --ci-file');
  }
}

/** Whether a file's last line goes on: what others wrote before must not run into ours. */
async function breaksOff(file: string): Promise<boolean> {
  try {
    const text = await readFile(file, 'utf8');
    return text !== '' && !text.endsWith('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** An outcome in the form of a CI system. Refuses, by the export's name, a value that the form can't hold. */
export function ciOutcome(format: CiFormat, { id, of = 'deploy', state, exports }: CiOutcome): string {
  if (format === 'json') return `${JSON.stringify({ id, state, exports }, undefined, 2)}\n`;
  const names = variableNames(format, Object.keys(exports));
  const write = LINES[format];
  const values = Object.entries(exports).map(([name, value]) => write(names.get(name) ?? name, value, name));
  return [write(`${of}_id`, id), write('state', state), ...values].join('');
}

/** What a name in a file of that form may have; the rest becomes `_`. In JSON every name is one. */
const NOT_IN_NAMES = { github: /[^A-Za-z0-9_-]/g, gitlab: /[^A-Za-z0-9_]/g, dotenv: /[^A-Za-z0-9_]/g, json: undefined };

/** The variable of each export. Two exports of one variable are refused: the second would silently win. */
function variableNames(format: CiFormat, exports: readonly string[]): Map<string, string> {
  const not = NOT_IN_NAMES[format];
  const taken = new Map<string, string>();
  const names = new Map<string, string>();
  for (const name of exports) {
    const variable = not === undefined ? name : `export_${name.replace(not, '_')}`;
    const other = taken.get(variable);
    if (other !== undefined) {
      const message = `the exports ${shown(other)} and ${shown(name)} would both be ${variable} for --ci ${format}`;
      throw refused(message, 'give one of them another name, or use --ci json');
    }
    taken.set(variable, name);
    names.set(name, variable);
  }
  return names;
}

type Write = (variable: string, value: string, name?: string) => string;

const LINES: Readonly<Record<Exclude<CiFormat, 'json'>, Write>> = {
  github: (variable, value) => {
    if (!/[\r\n]/.test(value)) return `${variable}=${value}\n`;
    const end = delimiter(value);
    return `${variable}<<${end}\n${value}\n${end}\n`;
  },
  gitlab: (variable, value, name = variable) => {
    if (/[\r\n]/.test(value)) throw cannotHold('gitlab', name, 'has line breaks');
    // GitLab takes quotes as part of the value, so nothing protects them.
    if (value !== value.trim()) throw cannotHold('gitlab', name, 'begins or ends with white space');
    return `${variable}=${value}\n`;
  },
  dotenv: (variable, value, name = variable) => {
    if (/[\r\n]/.test(value)) throw cannotHold('dotenv', name, 'has line breaks');
    return `${variable}=${quoted(value, name)}\n`;
  },
};

/** As shells and readers of dotenv files both take it literally. */
function quoted(value: string, name: string): string {
  if (/^[A-Za-z0-9_.,:/@%+-]*$/.test(value)) return value;
  if (!value.includes("'")) return `'${value}'`;
  if (!/["$`\\!]/.test(value)) return `"${value}"`;
  throw cannotHold('dotenv', name, 'has a \' together with one of " $ ` \\ !');
}

/** A line that ends a value and is none of its own; from the value itself, so that the same outcome reads the same. */
function delimiter(value: string): string {
  const lines = new Set(value.split(/\r\n|\r|\n/));
  let end = value;
  do end = `renga_${createHash('sha256').update(end).digest('hex').slice(0, 32)}`;
  while (lines.has(end));
  return end;
}

function cannotHold(format: CiFormat, name: string, why: string): RengaError {
  const message = `the export ${shown(name)} ${why}, which a file for --ci ${format} can't hold (value not shown)`;
  return refused(message, 'use --ci json, or export it in another form');
}

function refused(message: string, hint: string): RengaError {
  return new RengaError('invalid-request', message, { hint });
}
