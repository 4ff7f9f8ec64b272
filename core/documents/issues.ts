/** The one place where what zod found becomes problems: a code, the wrong value, and what to do about it. */
import type { z } from 'zod';
import type { Problem } from '../errors.ts';
import { LIMITS } from './limits.ts';
import { formatPath, type Path } from './path.ts';
import { shown } from './shown.ts';
import { suggestion } from './spelling.ts';

type Schema = z.core.$ZodType;
type Issue = z.core.$ZodIssue;

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
};

/** Problems of a value that a schema refused; `value` is what was parsed, without prototypes or with. */
export function problemsOf(error: z.core.$ZodError, schema: Schema, value: unknown): Problem[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    return problemsOfIssue(issue, path, schema, at(value, path));
  });
}

function problemsOfIssue(issue: Issue, path: Path, schema: Schema, value: unknown): Problem[] {
  const problem = (code: string, message: string, hint?: string): Problem[] => [
    { code, path: formatPath(path), message, hint },
  ];
  switch (issue.code) {
    case 'unrecognized_keys':
      // Looking for near names takes time, and a hostile file may have very many.
      return issue.keys.slice(0, LIMITS.problemsTold + 1).map((key) => {
        const known = fieldsAt(schema, path);
        return {
          code: 'unknown-field',
          path: formatPath([...path, key]),
          message: `there is no field ${shown(key)} here`,
          hint: known.includes(key)
            ? 'it goes with other fields than those that stand here; write the fields of one form'
            : suggestion(key, known),
        };
      });
    case 'invalid_type':
      return [wrongType(path, value, TYPES[issue.expected] ?? issue.expected)];
    case 'invalid_union':
      return problemsOfUnion(issue, path, schema, value);
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      if (value === undefined) return [missing(path, allowed.length === 1 ? `write ${allowed[0]}` : undefined)];
      const hint = typeof value === 'string' ? suggestion(value, allowed) : undefined;
      return problem('invalid-value', `${shown(value)} is none of: ${allowed.join(', ')}`, hint);
    }
    case 'too_big':
    case 'too_small':
      return [size(issue, path, value)];
    case 'invalid_format':
      return problem('invalid-name', `${shown(value)}: ${issue.message}`, spelling(String(value), issue));
    case 'invalid_key': {
      const key = String(path.at(-1));
      const [inner] = issue.issues;
      const why = inner?.message ?? 'it is refused';
      return problem('invalid-name', `${shown(key)}: ${why}`, spelling(key, inner));
    }
    case 'custom':
      return problem(told(issue.params?.code) ?? 'invalid-value', issue.message, told(issue.params?.hint));
    default:
      return problem('invalid-value', `${shown(value)}: ${issue.message}`);
  }
}

function wrongType(path: Path, value: unknown, expected: string): Problem {
  if (value === undefined) return missing(path, `it must be ${expected}`);
  const place = formatPath(path);
  if (expected === 'text' && (typeof value === 'number' || typeof value === 'boolean')) {
    return {
      code: 'must-be-quoted',
      path: place,
      message: `${String(value)} is read as a ${typeof value}, and this must be text`,
      hint: `write "${String(value)}"`,
    };
  }
  return { code: 'wrong-type', path: place, message: `this must be ${expected}, not ${shown(value)}` };
}

type Union = Issue & { code: 'invalid_union' };

function isType(issue: Issue): issue is Issue & { code: 'invalid_type' } {
  return issue.code === 'invalid_type';
}

/**
 * Of several forms that a value may have, those of another type were not meant; of the others it is the one that it fits
 * best, the first of those when several fit as well.
 */
function problemsOfUnion(issue: Union, path: Path, schema: Schema, value: unknown): Problem[] {
  const types = issue.errors.map((own) => own.find((one) => one.path.length === 0 && isType(one)));
  const sameType = issue.errors.filter((_, form) => types[form] === undefined);
  if (sameType.length === 0) {
    const expected = types.flatMap((one) =>
      one !== undefined && isType(one) ? [TYPES[one.expected] ?? one.expected] : [],
    );
    return [wrongType(path, value, inWords([...new Set(expected)]))];
  }
  const weight = (issues: readonly Issue[]) =>
    issues.reduce((sum, one) => sum + (one.code === 'unrecognized_keys' ? one.keys.length : 1), 0);
  const [likeliest = []] = [...sameType].sort((one, other) => weight(one) - weight(other));
  return likeliest.flatMap((inner) => {
    const steps = inner.path.map((step) => (typeof step === 'number' ? step : String(step)));
    return problemsOfIssue(inner, [...path, ...steps], schema, at(value, steps));
  });
}

function inWords(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}

/** What a check of our own says beside its message. */
function told(param: unknown): string | undefined {
  return typeof param === 'string' ? param : undefined;
}

function missing(path: Path, hint: string | undefined): Problem {
  return { code: 'missing-field', path: formatPath(path), message: `the field ${shown(path.at(-1))} is missing`, hint };
}

function size(issue: Issue & { code: 'too_big' | 'too_small' }, path: Path, value: unknown): Problem {
  const big = issue.code === 'too_big';
  const limit = big ? issue.maximum : issue.minimum;
  const place = formatPath(path);
  if (Array.isArray(value)) {
    const message = `${shown(value)}; ${big ? 'at most' : 'at least'} ${limit}`;
    return { code: big ? 'too-many' : 'too-few', path: place, message };
  }
  if (typeof value === 'number') {
    const message = `${shown(value)} is too ${big ? 'large' : 'small'}; the ${big ? 'limit' : 'least'} is ${limit}`;
    return { code: 'out-of-range', path: place, message };
  }
  const length = typeof value === 'string' ? value.length : 0;
  const message = `${shown(value)} has ${length} characters; the ${big ? 'limit' : 'least'} is ${limit}`;
  return { code: big ? 'too-long' : 'too-short', path: place, message };
}

/** A valid name close to one that is refused, if only capitals, spaces and marks are in the way. */
function spelling(text: string, issue: Issue | undefined): string | undefined {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '');
  return name === '' || name === text || !fits(name, issue) ? undefined : `write ${name}`;
}

/** Whether what a schema refused a text for would let another one through. */
function fits(text: string, issue: Issue | undefined): boolean {
  if (issue?.code !== 'invalid_format' || issue.pattern === undefined) return true;
  const [, source = '', flags] = /^\/(.*)\/([a-z]*)$/s.exec(issue.pattern) ?? [];
  return new RegExp(source, flags).test(text);
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, step) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined;
    return Reflect.get(inner, step);
  }, value);
}

/** The fields that a schema knows at a path. */
function fieldsAt(schema: Schema, path: Path): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [step, ...rest] = path;
  switch (def.type) {
    case 'default':
    case 'prefault':
    case 'optional':
      return fieldsAt(def.innerType, path);
    case 'pipe':
      return fieldsAt(def.in, path);
    case 'union':
      return [...new Set(def.options.flatMap((option) => fieldsAt(option, path)))];
    case 'array':
      return fieldsAt(def.element, rest);
    case 'record':
      return fieldsAt(def.valueType, rest);
    case 'object': {
      if (step === undefined) return Object.keys(def.shape);
      const inner = Object.hasOwn(def.shape, step) ? def.shape[step] : undefined;
      return inner === undefined ? [] : fieldsAt(inner, rest);
    }
    default:
      return [];
  }
}
