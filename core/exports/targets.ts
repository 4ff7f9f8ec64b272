/** A list of targets as a plugin's output has it: JSON, hosts or mappings. No answer here shows any part of it (I8). */
import { canonicalJson } from '../documents/content.ts';
import { field, fields } from '../documents/fields.ts';
import { shown } from '../documents/shown.ts';
import { Host, Target, targetOf } from '../documents/target.ts';
import { matchesWhole } from './pattern.ts';
import { type Flaw, isBroken, isMasked, MASKED } from './text.ts';

export type ReadTargets =
  | { readonly targets: readonly Target[]; readonly flaw?: undefined }
  | { readonly flaw: Flaw; readonly targets?: undefined };

const EXAMPLE = 'write ["10.20.0.1", {"host": "10.20.0.2", "port": 22}]';
const NO_LIST = 'is no JSON list of targets';
/** Bad targets that are told one by one. */
const TOLD = 3;

/** The targets in a text, in their order. One bad target refuses them all. */
export function readTargets(text: string, pattern: string | undefined): ReadTargets {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The reason of the parser quotes the text.
    return notList('it is plain text, or JSON that breaks off', EXAMPLE);
  }
  if (!Array.isArray(read)) return notList(...otherType(read));
  const written: readonly unknown[] = read;
  if (written.some((item) => isMaskedTarget(item))) return { flaw: MASKED };
  const bad = written.flatMap((item, index) => {
    const reason = targetFlaw(item, pattern);
    return reason === undefined ? [] : [`target ${index + 1} ${reason}`];
  });
  if (bad.length === 0) return { targets: written.map((item) => Target.parse(targetOf(item as Target | string))) };
  const rest = bad.length - TOLD;
  const told = rest > 0 ? [...bad.slice(0, TOLD), `and ${rest} more`] : bad;
  return { flaw: { code: 'export-bad-target', what: `has targets that are none: ${told.join('; ')} (not shown)` } };
}

function notList(why: string, hint: string): ReadTargets {
  return { flaw: { code: 'export-not-targets', what: `${NO_LIST}: ${why} (not shown)`, hint } };
}

function otherType(value: unknown): [why: string, hint: string] {
  if (typeof value === 'string') {
    return isListText(value)
      ? [
          'it is a list inside a JSON text, encoded twice',
          'encode it once: give the list itself, without quotes around it',
        ]
      : ['it is one JSON text', `put it into a list: ${EXAMPLE}`];
  }
  const isMapping = typeof value === 'object' && value !== null;
  return isMapping ? ['it is one mapping', `put it into a list: ${EXAMPLE}`] : ['it is another JSON value', EXAMPLE];
}

function isListText(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

function isMaskedTarget(item: unknown): boolean {
  const texts = [
    item,
    ...fields(item).map(([, value]) => value),
    ...fields(field(item, 'labels')).map(([, value]) => value),
  ];
  return texts.some((text) => typeof text === 'string' && isMasked(text));
}

/** Why an item is no target. Only names of fields that a target has are told: others are part of the value. */
function targetFlaw(item: unknown, pattern: string | undefined): string | undefined {
  const isMapping = typeof item === 'object' && item !== null && !Array.isArray(item);
  if (typeof item !== 'string' && !isMapping) return 'is neither a host nor {host, port, user, labels}';
  if (fields(item).some(([name]) => !Object.hasOwn(Target.shape, name))) {
    return 'has a field that is none of host, port, user, labels';
  }
  const host = typeof item === 'string' ? item : field(item, 'host');
  if (host === undefined) return 'has no host';
  if (!Host.safeParse(host).success) return 'has a host that is no host name and no address';
  if (fields(field(item, 'labels')).some(([name, label]) => name === '__proto__' || isBroken(String(label)))) {
    return WRONG.labels;
  }
  const wrong = Target.safeParse(typeof item === 'string' ? targetOf(item) : item).error?.issues[0]?.path[0];
  if (wrong !== undefined) return WRONG[wrong as keyof typeof WRONG];
  if (pattern !== undefined && !matchesWhole(pattern, String(host))) {
    return `has a host that does not match the pattern ${shown(pattern)}`;
  }
  return undefined;
}

const WRONG = {
  host: 'has a host that is no host name and no address',
  port: 'has a port that is no whole number from 1 to 65535',
  user: 'has a user that is no user name',
  labels: 'has labels that are no mapping of names to texts of at most 256 characters, without control characters',
};

/**
 * Lists of one wave after another as one, in order. A target is all that it says: the same host with another port, user
 * or other labels is another target, and a plugin may be meant to act on both; only exact repetitions are dropped.
 */
export function united(lists: readonly (readonly Target[])[]): Target[] {
  const byContent = new Map<string, Target>();
  for (const target of lists.flat()) {
    const content = canonicalJson(target);
    if (!byContent.has(content)) byContent.set(content, target);
  }
  return [...byContent.values()];
}
