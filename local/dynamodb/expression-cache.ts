/**
 * dynalite parses every expression anew, names and values included, which took two thirds of an update. Our expressions are
 * few and only their values differ, so a parse is kept as a template in which the next call's values are put.
 *
 * A template serves a call with the same text, the same names and values of the same types: nothing else decides what the
 * parser gives back, except for BETWEEN and attribute_type, which look into values and are never kept. Nor are errors.
 */
export interface Parser {
  parse(text: string, options: { readonly context: ParseContext }): unknown;
}

interface ParseContext {
  readonly attrNames?: Readonly<Record<string, string>> | null;
  readonly attrVals?: Readonly<Record<string, object>> | null;
  readonly unusedAttrNames: Record<string, true>;
  readonly unusedAttrVals: Record<string, true>;
  readonly isKeyCondition?: boolean;
}

interface Template {
  readonly result: unknown;
  readonly usedNames: readonly string[];
  readonly usedValues: readonly string[];
}

/** Stands in a template for the value of that name. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Enough for every expression we write; beyond that, expressions are built from data and not worth keeping. */
const MOST_TEMPLATES = 2000;

const LOOKS_INTO_VALUES = /between|attribute_type/i;

/** Puts the cache in front of one of dynalite's parsers, once: the parser is dynalite's module object. */
export function keepParses(parser: Parser): void {
  parser.parse = keeping(parser.parse);
}

/** The same parser, with a memory. */
export function keeping(parse: Parser['parse']): Parser['parse'] {
  const templates = new Map<string, Template>();
  return (text, options) => {
    const { context } = options;
    if (LOOKS_INTO_VALUES.test(text)) return parse(text, options);
    const key = keyOf(text, context);
    const known = templates.get(key);
    if (known !== undefined) {
      for (const name of known.usedNames) delete context.unusedAttrNames[name];
      for (const name of known.usedValues) delete context.unusedAttrVals[name];
      return filled(known.result, context.attrVals ?? {});
    }
    const names = Object.keys(context.unusedAttrNames);
    const values = Object.keys(context.unusedAttrVals);
    const result = parse(text, options);
    const given = Object.entries(context.attrVals ?? {});
    const placeholders = new Map(given.map(([name, value]) => [value, new Placeholder(name)]));
    // One object under two names could not be told apart in the result.
    if (placeholders.size < given.length) return result;
    if (templates.size >= MOST_TEMPLATES) templates.clear();
    templates.set(key, {
      result: mapped(result, (part) => placeholders.get(part)),
      usedNames: names.filter((name) => !(name in context.unusedAttrNames)),
      usedValues: values.filter((name) => !(name in context.unusedAttrVals)),
    });
    return result;
  };
}

function keyOf(text: string, { attrNames, attrVals, isKeyCondition }: ParseContext): string {
  const types = Object.entries(attrVals ?? {}).map(([name, value]) => [name, Object.keys(value)]);
  return JSON.stringify([text, attrNames ?? null, types, isKeyCondition ?? false]);
}

function filled(template: unknown, values: Readonly<Record<string, object>>): unknown {
  return mapped(template, (part) => (part instanceof Placeholder ? values[part.name] : undefined));
}

/** A deep copy in which the parts that `replace` knows are replaced. */
function mapped(part: unknown, replace: (part: object) => object | undefined): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const replacement = replace(part);
  if (replacement !== undefined) return replacement;
  if (Array.isArray(part)) return part.map((element) => mapped(element, replace));
  const copy = Object.create(Object.getPrototypeOf(part));
  for (const [name, member] of Object.entries(part)) copy[name] = mapped(member, replace);
  return copy;
}
