import { BlockList, isIP } from 'node:net';
import type { Leaf } from './event-fields.ts';
import { invalidPattern } from './invalid-pattern.ts';
import { wildcard } from './wildcard.ts';

/** Whether one leaf of an event is what a pattern asks for. */
export type ValueTest = (value: Leaf) => boolean;

/** The tests that look at a value; `exists` is not among them, for it also speaks of fields that are not there. */
const TESTS = {
  exactly: (operand) => exactly(text('exact', operand)),
  prefix: (operand) =>
    isObject(operand) ? ignoringCase('prefix', operand, startsWith) : prefix(text('prefix', operand)),
  suffix: (operand) =>
    isObject(operand) ? ignoringCase('suffix', operand, endsWith) : suffix(text('suffix', operand)),
  'equals-ignore-case': (operand) => equalsIgnoreCase(text('equals-ignore-case', operand)),
  wildcard: (operand) => wildcard(text('wildcard', operand)),
  'anything-but': anythingBut,
  numeric,
  cidr,
} satisfies Record<string, (operand: unknown) => ValueTest>;

/** The names that make an object in a pattern's array an expression rather than a mistake. */
export const EXPRESSIONS: ReadonlySet<string> = new Set([...Object.keys(TESTS), 'exists']);

/** One entry of a pattern's array, `"x"`, `5`, `null`, `{"prefix": "x"}`; values are never converted. */
export function valueTest(entry: unknown): ValueTest {
  if (Array.isArray(entry)) throw invalidPattern('Arrays may not be nested in a pattern');
  if (!isObject(entry)) return exactly(entry as Leaf);
  const [name, operand] = onlyMember(entry);
  const make = Object.hasOwn(TESTS, name) ? TESTS[name as keyof typeof TESTS] : undefined;
  if (make === undefined) throw invalidPattern(`Unrecognized match type ${name}`);
  return make(operand);
}

export function onlyMember(expression: Readonly<Record<string, unknown>>): [name: string, operand: unknown] {
  const [member, ...more] = Object.entries(expression);
  if (member === undefined) throw invalidPattern('Empty objects are not allowed');
  if (more.length > 0) throw invalidPattern('Only one key allowed in match expression');
  return member;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function exactly(wanted: Leaf): ValueTest {
  return (value) => value === wanted;
}

const startsWith = (value: string, part: string) => value.startsWith(part);
const endsWith = (value: string, part: string) => value.endsWith(part);

function prefix(part: string): ValueTest {
  return (value) => typeof value === 'string' && value.startsWith(part);
}

function suffix(part: string): ValueTest {
  return (value) => typeof value === 'string' && value.endsWith(part);
}

function equalsIgnoreCase(wanted: string): ValueTest {
  const folded = foldCase(wanted);
  return (value) => typeof value === 'string' && foldCase(value) === folded;
}

function ignoringCase(
  kind: string,
  operand: Record<string, unknown>,
  holds: (value: string, part: string) => boolean,
): ValueTest {
  const [name, part] = onlyMember(operand);
  if (name !== 'equals-ignore-case') throw invalidPattern(`Unsupported ${kind} pattern: ${name}`);
  const folded = foldCase(text(name, part));
  return (value) => typeof value === 'string' && holds(foldCase(value), folded);
}

function foldCase(value: string): string {
  return value.toUpperCase().toLowerCase();
}

const REFUSABLE: Readonly<Record<string, (operand: string) => ValueTest>> = {
  prefix: (part) => prefix(nonEmpty(part)),
  suffix: (part) => suffix(nonEmpty(part)),
  'equals-ignore-case': equalsIgnoreCase,
  wildcard,
};

/** Holds for every value, of whatever type, that is none of those named; a missing field has no value. */
function anythingBut(operand: unknown): ValueTest {
  if (!isObject(operand)) {
    const values = listOf(operand);
    const types = new Set(values.map((value) => typeof value));
    if ([...types].some((type) => type !== 'string' && type !== 'number')) {
      throw invalidPattern('Inside anything but list, start|null|boolean is not supported.');
    }
    if (types.size > 1) {
      throw invalidPattern(
        'Inside anything but list, either all values are number or string, mixed type is not supported',
      );
    }
    return (value) => !values.includes(value);
  }
  const [name, refused] = onlyMember(operand);
  const make = Object.hasOwn(REFUSABLE, name) ? REFUSABLE[name] : undefined;
  if (make === undefined) throw invalidPattern(`Unsupported anything-but pattern: ${name}`);
  if (isObject(refused)) throw invalidPattern('Value of anything-but must be an array or single string/number value.');
  const tests = listOf(refused).map((one) => make(text(name, one)));
  return (value) => !tests.some((test) => test(value));
}

function listOf(operand: unknown): unknown[] {
  const values = Array.isArray(operand) ? operand : [operand];
  if (values.length === 0) throw invalidPattern('Empty arrays are not allowed');
  return values;
}

const BOUNDS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** Numbers that EventBridge orders; it refuses patterns beyond. */
const LARGEST_NUMBER = 5e9;

/** `["=", x]`, `["<", x]`, or a range that is written from below: `[">", x, "<=", y]`. */
function numeric(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) throw invalidPattern('Value of numeric must be an array.');
  if (operand.length === 0) throw invalidPattern('Invalid member in numeric match: ]');
  const bounds: { operator: string; bound: number }[] = [];
  for (let at = 0; at < operand.length; at += 2) {
    const [operator, bound]: unknown[] = operand.slice(at, at + 2);
    if (typeof operator !== 'string' || !Object.hasOwn(BOUNDS, operator)) {
      throw invalidPattern(`Unrecognized numeric range operator: ${JSON.stringify(operator)}`);
    }
    if (typeof bound !== 'number') throw invalidPattern(`Value of ${operator} must be numeric`);
    if (Math.abs(bound) > LARGEST_NUMBER) throw invalidPattern(`Value must be between -5.0E9 and 5.0E9: ${bound}`);
    bounds.push({ operator, bound });
  }
  const [first, second] = bounds;
  if (first !== undefined && second !== undefined) {
    const isRange = first.operator.startsWith('>') && second.operator.startsWith('<') && first.bound < second.bound;
    if (!isRange || bounds.length > 2) throw invalidPattern('Bad numeric range operator, or bottom not below top');
  }
  return (value) =>
    typeof value === 'number' && bounds.every(({ operator, bound }) => BOUNDS[operator]?.(value, bound));
}

function cidr(operand: unknown): ValueTest {
  const [address = '', mask, ...rest] = text('prefix', operand).split('/');
  const version = isIP(address);
  const bits = Number(mask);
  if (version === 0) throw invalidPattern(`Nonstandard IP address: ${address}`);
  if (rest.length > 0 || !/^\d+$/.test(mask ?? '') || bits > (version === 4 ? 32 : 128)) {
    throw invalidPattern(`Malformed CIDR, one '/' and a mask of at most ${version === 4 ? 32 : 128} bits required`);
  }
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(address, bits, family);
  return (value) => typeof value === 'string' && isIP(value) === version && block.check(value, family);
}

function text(kind: string, operand: unknown): string {
  if (typeof operand !== 'string') throw invalidPattern(`${kind} match pattern must be a string`);
  return operand;
}

function nonEmpty(part: string): string {
  if (part === '') throw invalidPattern('Null prefix/suffix not allowed');
  return part;
}
