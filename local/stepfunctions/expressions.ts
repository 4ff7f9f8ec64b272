import jsonata from 'jsonata';
import { isArray, isObject, type Json, kindOf, textOf } from './json.ts';
import { type EvaluationSource, functionsOver } from './jsonata-functions.ts';

/**
 * JSONata as AWS runs it: `$eval` refused, `$partition $range $hash $uuid $parse` and a seeded `$random` added. Time
 * and randomness come from the caller, so that evaluating again after a restart gives the same value.
 */

export type Bindings = Readonly<Record<string, unknown>>;

/** An expression, or a value that may hold expressions at any depth, as a definition gives it. */
export type Template =
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'expression'; readonly expression: Expression; readonly location: string }
  | { readonly kind: 'array'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Template])[] };

/** An evaluation that failed: AWS's `States.QueryEvaluationError`. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  constructor(
    message: string,
    /** The field, such as `Arguments/Payload`, where one expression is to blame. */
    readonly location?: string,
  ) {
    super(message);
  }
}

/** An expression that does not compile, or uses what AWS refuses. */
export class ExpressionProblem extends Error {
  override readonly name = 'ExpressionProblem';
}

interface Expression {
  readonly text: string;
  readonly compiled: jsonata.Expression;
  /** Variables that the text names: only those are bound. */
  readonly variables: readonly string[];
  /** Set when the text is a variable and names behind it, nothing else. */
  readonly path: readonly string[] | undefined;
}

/** Nested evaluations; JSONata recurses on the JavaScript stack, several frames each. */
const DEPTH = 500;
/** Evaluated nodes. A count, not a time, decides, so that a replay decides the same. */
const STEPS = 500_000;
/** The last resort, for a machine so slow that the count takes too long. */
const MILLISECONDS = 20_000;

const ENTRY = Symbol.for('jsonata.__evaluate_entry');
const EXIT = Symbol.for('jsonata.__evaluate_exit');
const CACHED = 20_000;
const cache = new Map<string, Expression>();

const DELIMITED = /^\{%([\s\S]*)%\}$/;

export function compileTemplate(value: Json, location: string): Template {
  if (typeof value === 'string') {
    const text = DELIMITED.exec(value)?.[1]?.trim();
    if (text === undefined) return { kind: 'constant', value };
    return { kind: 'expression', expression: compile(text, location), location };
  }
  if (isArray(value)) {
    const items = value.map((item, index) => compileTemplate(item, `${location}[${index}]`));
    return items.every((item) => item.kind === 'constant') ? { kind: 'constant', value } : { kind: 'array', items };
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([key, member]) => [key, compileTemplate(member, `${location}/${key}`)] as const,
    );
    if (members.every(([, member]) => member.kind === 'constant')) return { kind: 'constant', value };
    return { kind: 'object', members };
  }
  return { kind: 'constant', value };
}

export async function evaluate(template: Template, bindings: Bindings, source: EvaluationSource): Promise<Json> {
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'expression':
      return evaluateExpression(template.expression, template.location, bindings, source);
    case 'array': {
      const items: Json[] = [];
      for (const item of template.items) items.push(await evaluate(item, bindings, source));
      return items;
    }
    case 'object': {
      const members: [string, Json][] = [];
      for (const [key, member] of template.members) members.push([key, await evaluate(member, bindings, source)]);
      return Object.fromEntries(members);
    }
  }
}

/** Evaluates a template whose value must be of one kind, as `Items` must be an array. */
export async function evaluateAs(
  kind: 'array' | 'boolean' | 'number' | 'string',
  template: Template,
  bindings: Bindings,
  source: EvaluationSource,
): Promise<Json> {
  const value = await evaluate(template, bindings, source);
  if (kindOf(value) === kind || template.kind !== 'expression') return value;
  const { expression, location } = template;
  throw new QueryError(
    `The JSONata expression '${expression.text}' specified for the field '${location}' returned an unexpected result type. ` +
      `Expected '${kind}', but was '${kindOf(value)}' for value: ${textOf(value)}`,
    location,
  );
}

async function evaluateExpression(
  expression: Expression,
  location: string,
  bindings: Bindings,
  source: EvaluationSource,
): Promise<Json> {
  const direct = expression.path === undefined ? undefined : follow(expression.path, bindings);
  if (direct !== undefined) return direct;
  const bound: Record<string, unknown> = { ...functionsOver(source), [BUDGET]: newBudget() };
  for (const name of expression.variables) {
    if (Object.hasOwn(bindings, name)) bound[name] = bindings[name];
  }
  const said = `The JSONata expression '${expression.text}' specified for the field '${location}'`;
  let result: unknown;
  try {
    result = await expression.compiled.evaluate(undefined, bound);
  } catch (error) {
    throw new QueryError(`${said} threw an error during evaluation. ${reasonOf(error)}`, location);
  }
  if (result === undefined) throw new QueryError(`${said} returned nothing (undefined).`, location);
  if (typeof result !== 'object' || result === null) {
    if (typeof result === 'function') throw new QueryError(`${said} returned a function, which is no JSON.`, location);
    return result as Json;
  }
  if ('_jsonata_lambda' in result || '_jsonata_function' in result) {
    throw new QueryError(`${said} returned a function, which is no JSON.`, location);
  }
  // JSONata marks its arrays with further properties: only what JSON can say goes on.
  return JSON.parse(JSON.stringify(result)) as Json;
}

const PATH = /^\$[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;

/**
 * The value of a plain path through objects, which most expressions are: without JSONata and without copying it.
 * Undefined wherever JSONata has more to say: a missing member, an array on the way or at the end.
 */
function follow([variable = '', ...names]: readonly string[], bindings: Bindings): Json | undefined {
  let value: unknown = Object.hasOwn(bindings, variable) ? bindings[variable] : undefined;
  for (const name of names) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value === undefined || Array.isArray(value) ? undefined : (value as Json);
}

function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  const message = 'message' in error ? String(error.message) : String(error);
  return code + message;
}

function compile(text: string, location: string): Expression {
  const known = cache.get(text);
  if (known !== undefined) return known;
  let compiled: jsonata.Expression;
  try {
    compiled = jsonata(text);
  } catch (error) {
    throw new ExpressionProblem(`The JSONata expression '${text}' of '${location}' is not valid. ${reasonOf(error)}`);
  }
  const variables = namesIn(compiled.ast());
  if (variables.has('eval'))
    throw new ExpressionProblem(`The JSONata function $eval is not supported ('${location}').`);
  guard(compiled);
  const path = PATH.test(text) ? text.slice(1).split('.') : undefined;
  const expression = { text, compiled, variables: [...variables], path };
  if (cache.size >= CACHED) cache.clear();
  cache.set(text, expression);
  return expression;
}

function namesIn(ast: unknown): Set<string> {
  const names = new Set<string>();
  const seen = new Set<object>();
  const left: unknown[] = [ast];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    seen.add(node);
    if ('type' in node && node.type === 'variable' && 'value' in node && typeof node.value === 'string') {
      names.add(node.value);
    }
    left.push(...Object.values(node));
  }
  return names;
}

interface Budget {
  depth: number;
  steps: number;
  readonly until: number;
}

function newBudget(): Budget {
  return { depth: 0, steps: 0, until: performance.now() + MILLISECONDS };
}

/** Every evaluation has its own budget, bound under a name that an expression cannot write. */
const BUDGET = ' budget';

function guard(compiled: jsonata.Expression): void {
  const assign = compiled.assign as unknown as (name: symbol, value: unknown) => void;
  assign(ENTRY, (_node: unknown, _input: unknown, environment: jsonata.Environment) => {
    const budget = environment.lookup(BUDGET) as Budget;
    budget.depth++;
    budget.steps++;
    if (budget.depth > DEPTH) throw new Error(`the expression is nested deeper than ${DEPTH} evaluations`);
    if (budget.steps > STEPS) throw new Error(`the expression needs more than ${STEPS} evaluations`);
    if (budget.steps % 1024 === 0 && performance.now() > budget.until) throw new Error('the expression takes too long');
  });
  assign(EXIT, (_node: unknown, _input: unknown, environment: jsonata.Environment) => {
    (environment.lookup(BUDGET) as Budget).depth--;
  });
}
