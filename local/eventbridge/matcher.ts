import { agree, type EventField, fieldsOf } from './event-fields.ts';
import { invalidPattern } from './invalid-pattern.ts';
import { EXPRESSIONS, isObject, onlyMember, type ValueTest, valueTest } from './value-test.ts';

/** What a pattern asks of one path. */
interface Requirement {
  readonly path: string;
  readonly tests: readonly ValueTest[];
  /** A field that must be absent counts as met. */
  readonly mayBeAbsent: boolean;
}

/** Requirements that must hold together. */
type Conjunction = readonly Requirement[];

/** As many alternatives as AWS allows a pattern's `$or` to spread into. */
const MOST_ALTERNATIVES = 1000;

/**
 * Compiles a pattern in EventBridge's language, parsed from JSON.
 * @throws AwsError InvalidEventPatternException, with AWS's kind of reason
 */
export function compilePattern(pattern: unknown): (event: unknown) => boolean {
  if (!isObject(pattern)) throw invalidPattern('Filter is not an object');
  const alternatives = alternativesOf(pattern, '').map(absencesLast);
  return (event) => {
    const fields = fieldsOf(event);
    return alternatives.some((requirements) => satisfied(requirements, 0, fields, new Map()));
  };
}

function alternativesOf(pattern: Readonly<Record<string, unknown>>, path: string): readonly Conjunction[] {
  const members = Object.entries(pattern);
  if (members.length === 0) throw invalidPattern('Empty objects are not allowed');
  let alternatives: readonly Conjunction[] = [[]];
  for (const [name, member] of members) {
    alternatives = together(alternatives, alternativesOfMember(name, member, path));
  }
  return alternatives;
}

function alternativesOfMember(name: string, member: unknown, parent: string): readonly Conjunction[] {
  if (name === '$or' && isDisjunction(member)) return member.flatMap((branch) => alternativesOf(branch, parent));
  const path = parent === '' ? name : `${parent}.${name}`;
  if (isObject(member)) return alternativesOf(member, path);
  if (!Array.isArray(member)) throw invalidPattern(`"${name}" must be an object or an array`);
  if (member.length === 0) throw invalidPattern('Empty arrays are not allowed');
  return [[requirementOf(path, member)]];
}

/** Elsewhere `$or` is a field like any other: fewer than two branches, or expressions in place of branches. */
function isDisjunction(member: unknown): member is Record<string, unknown>[] {
  return (
    Array.isArray(member) &&
    member.length >= 2 &&
    member.every(
      (branch) =>
        isObject(branch) &&
        Object.keys(branch).length > 0 &&
        !Object.keys(branch).some((name) => EXPRESSIONS.has(name)),
    )
  );
}

function together(some: readonly Conjunction[], others: readonly Conjunction[]): readonly Conjunction[] {
  if (some.length * others.length > MOST_ALTERNATIVES) {
    throw invalidPattern(`$or gives more than ${MOST_ALTERNATIVES} combinations`);
  }
  return some.flatMap((one) => others.map((other) => [...one, ...other]));
}

function requirementOf(path: string, entries: readonly unknown[]): Requirement {
  const tests: ValueTest[] = [];
  let mayBeAbsent = false;
  for (const entry of entries) {
    if (!isObject(entry) || !('exists' in entry)) {
      tests.push(valueTest(entry));
      continue;
    }
    const [, wanted] = onlyMember(entry);
    if (typeof wanted !== 'boolean') throw invalidPattern('exists match pattern must be either true or false.');
    if (wanted) tests.push(() => true);
    else mayBeAbsent = true;
  }
  return { path, tests, mayBeAbsent };
}

/** What must be absent is looked for in the array elements that the other requirements have settled on. */
function absencesLast(requirements: Conjunction): Conjunction {
  return [...requirements].sort((one, other) => Number(one.mayBeAbsent) - Number(other.mayBeAbsent));
}

/** Looks for one field per requirement such that no array of objects is entered at two places. */
function satisfied(
  requirements: Conjunction,
  at: number,
  fields: ReadonlyMap<string, readonly EventField[]>,
  within: ReadonlyMap<object, number>,
): boolean {
  const requirement = requirements[at];
  if (requirement === undefined) return true;
  const candidates = (fields.get(requirement.path) ?? []).filter((field) => agree(field.within, within));
  if (requirement.mayBeAbsent && candidates.length === 0 && satisfied(requirements, at + 1, fields, within)) {
    return true;
  }
  return candidates.some(
    (field) =>
      requirement.tests.some((test) => test(field.value)) &&
      satisfied(requirements, at + 1, fields, new Map([...within, ...field.within])),
  );
}
