import { createHash } from 'node:crypto';

/** Step Functions ends names of machines and executions at 80 characters. */
const LONGEST = 80;

/**
 * Name of the machine of a plan: `<prefix>-<release's base name>-<hash>`. The base name is the release's id without its trailing
 * date or number, for a person to recognise; the hash covers everything that makes a machine what it is.
 */
export function machineName(prefix: string, release: string, parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
  const base = release.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/(?:[-_]?\d+)+$/, '') || 'release';
  return `${prefix}-${base.slice(0, LONGEST - prefix.length - hash.length - 2)}-${hash}`;
}

/** An execution is named by its id if that fits; else by its first 60 characters, `-` and 16 hex digits of its SHA-256. */
export function executionName(id: string): string {
  if (id.length <= LONGEST) return id;
  return `${id.slice(0, 60)}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}

/** ARN of an execution, which follows from its machine's and its name. */
export function executionArn(machineArn: string, name: string): string {
  return `${machineArn.replace(':stateMachine:', ':execution:')}:${name}`;
}

/** Two attempts of a release are two executions of the same machine. */
export function releaseExecutionName(release: string, attempt: number): string {
  return executionName(attempt === 1 ? release : `${release}.r${attempt}`);
}
