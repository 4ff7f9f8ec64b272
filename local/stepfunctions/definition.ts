import { Checker, type Diagnostic, pointer } from './checker.ts';
import { Flow } from './flow.ts';
import { isArray, isObject, type Json, type JsonObject } from './json.ts';
import type { Assignments, Block, Catcher, Choice, Machine, Result, Retrier, State, Task } from './machine.ts';

/** Bytes of a definition, AWS's quota. */
const DEFINITION_BYTES = 1024 * 1024;
const NAME_LENGTH = 80;

export type Parsed =
  | { readonly ok: true; readonly machine: Machine }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Checks a definition and makes it runnable. Whatever the runtime does not do is refused here, by its name. */
export function parseMachine(text: string): Parsed {
  if (Buffer.byteLength(text) > DEFINITION_BYTES) {
    return refused('DEFINITION_TOO_LARGE', `The definition is larger than ${DEFINITION_BYTES} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused('INVALID_JSON_DESCRIPTION', `The definition is not JSON: ${String(error)}`);
  }
  if (!isObject(value)) return refused('INVALID_JSON_DESCRIPTION', 'The definition is not a JSON object');
  const check = new Checker();
  const machine = new Parser(check).machine(value);
  return check.diagnostics.length === 0 ? { ok: true, machine } : { ok: false, diagnostics: check.diagnostics };
}

function refused(code: string, message: string): Parsed {
  return { ok: false, diagnostics: [{ severity: 'ERROR', code, message, location: '/' }] };
}

const COMMON = ['Type', 'Comment', 'QueryLanguage'];
const GOING = ['Next', 'End'];
const RESULT = ['Output', 'Assign'];
const RECOVERING = ['Retry', 'Catch'];

const FIELDS: Readonly<Record<State['type'], readonly string[]>> = {
  Task: [
    ...[...COMMON, ...GOING, ...RESULT, ...RECOVERING],
    ...['Resource', 'Arguments', 'TimeoutSeconds', 'HeartbeatSeconds'],
  ],
  Pass: [...COMMON, ...GOING, ...RESULT],
  Choice: [...COMMON, ...RESULT, 'Choices', 'Default'],
  Wait: [...COMMON, ...GOING, ...RESULT, 'Seconds', 'Timestamp'],
  Parallel: [...COMMON, ...GOING, ...RESULT, ...RECOVERING, 'Arguments', 'Branches'],
  Map: [
    ...[...COMMON, ...GOING, ...RESULT, ...RECOVERING, 'Items', 'ItemSelector', 'ItemProcessor', 'MaxConcurrency'],
    ...['ToleratedFailureCount', 'ToleratedFailurePercentage'],
  ],
  Succeed: [...COMMON, 'Output'],
  Fail: [...COMMON, 'Error', 'Cause'],
};

const FUNCTION_ARN = /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_<>-]+(:[A-Za-z0-9_$-]+)?$/;
const VARIABLE = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

class Parser {
  readonly #names = new Set<string>();

  constructor(private readonly check: Checker) {}

  machine(value: JsonObject): Machine {
    if (value.QueryLanguage !== 'JSONata') {
      const found = value.QueryLanguage === undefined ? 'JSONPath, the default,' : String(value.QueryLanguage);
      this.check.refuse('UNSUPPORTED', `QueryLanguage: ${found} is not supported, only JSONata`, '/QueryLanguage');
    }
    this.check.fields(value, ['Comment', 'QueryLanguage', 'StartAt', 'States', 'TimeoutSeconds', 'Version'], '');
    const block = this.#block(value, '', new Set());
    const seconds = value.TimeoutSeconds;
    if (seconds === undefined) return { block };
    if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0)
      return { block, timeoutSeconds: seconds };
    this.check.refuse('SCHEMA_VALIDATION_FAILED', 'TimeoutSeconds must be a positive integer', '/TimeoutSeconds');
    return { block };
  }

  /** @param outer variables of the enclosing blocks that may be set when it starts: it may read but not assign them */
  #block(value: JsonObject, at: string, outer: ReadonlySet<string>): Block {
    const states = new Map<string, State>();
    const startAt = this.check.text(value, 'StartAt', at) ?? '';
    if (!isObject(value.States) || Object.keys(value.States).length === 0) {
      this.check.refuse('SCHEMA_VALIDATION_FAILED', 'States must be an object with at least one state', `${at}/States`);
      return { startAt, states };
    }
    const flow = new Flow(value.States);
    for (const [name, state] of Object.entries(value.States)) {
      const path = `${at}/States/${pointer(name)}`;
      if ([...name].length > NAME_LENGTH || name === '') {
        this.check.refuse(
          'SCHEMA_VALIDATION_FAILED',
          `The name of a state has 1 to ${NAME_LENGTH} characters: ${name}`,
          path,
        );
      }
      if (this.#names.has(name))
        this.check.refuse('DUPLICATE_STATE_NAME', `The state name ${name} is used twice`, path);
      this.#names.add(name);
      if (!isObject(state)) {
        this.check.refuse('SCHEMA_VALIDATION_FAILED', `The state ${name} must be an object`, path);
        continue;
      }
      const parsed = this.#state(name, state, path, outer, flow);
      if (parsed !== undefined) states.set(name, parsed);
    }
    this.#transitions(value.States, startAt, at);
    return { startAt, states };
  }

  #state(name: string, value: JsonObject, at: string, outer: ReadonlySet<string>, flow: Flow): State | undefined {
    const type = value.Type;
    if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type)) {
      this.check.refuse(
        'UNSUPPORTED',
        `The state type ${JSON.stringify(type) ?? 'undefined'} is not supported`,
        `${at}/Type`,
      );
      return undefined;
    }
    const known = type as State['type'];
    this.check.fields(value, FIELDS[known], at);
    if (value.QueryLanguage !== undefined && value.QueryLanguage !== 'JSONata') {
      this.check.refuse(
        'UNSUPPORTED',
        `QueryLanguage: ${String(value.QueryLanguage)} is not supported`,
        `${at}/QueryLanguage`,
      );
    }
    const result = this.#result(value, at, outer);
    switch (known) {
      case 'Task':
        return this.#task(name, value, at, outer, result);
      case 'Pass':
        return { type: known, name, ...this.#going(value, at), ...result };
      case 'Choice':
        return this.#choice(name, value, at, outer, result);
      case 'Wait': {
        const given = (['Seconds', 'Timestamp'] as const).filter((field) => value[field] !== undefined);
        const field = given[0] ?? 'Seconds';
        if (given.length !== 1) {
          this.check.refuse('SCHEMA_VALIDATION_FAILED', 'A Wait needs exactly one of Seconds and Timestamp', at);
        }
        const until = this.check.template(value[field], field, at, field === 'Seconds' ? 'number' : 'string');
        return {
          ...{ type: known, name, ...this.#going(value, at), ...result },
          until: {
            kind: field === 'Seconds' ? 'seconds' : 'timestamp',
            value: until ?? { kind: 'constant', value: 0 },
          },
        };
      }
      case 'Parallel': {
        const assigned = new Set([...outer, ...flow.assignedBefore(name)]);
        const branches = isArray(value.Branches) ? value.Branches : [];
        if (branches.length === 0) {
          this.check.refuse(
            'SCHEMA_VALIDATION_FAILED',
            'Branches must be an array with at least one branch',
            `${at}/Branches`,
          );
        }
        return {
          ...{ type: known, name, ...this.#going(value, at), ...result, ...this.#recovering(value, at, outer) },
          arguments: this.check.template(value.Arguments, 'Arguments', at),
          branches: branches.map((branch, index) => this.#inner(branch, `${at}/Branches/${index}`, [], assigned)),
        };
      }
      case 'Map':
        return {
          ...{ type: known, name, ...this.#going(value, at), ...result, ...this.#recovering(value, at, outer) },
          items: this.check.template(value.Items, 'Items', at, 'array'),
          itemSelector: this.check.template(value.ItemSelector, 'ItemSelector', at),
          processor: this.#processor(
            value.ItemProcessor,
            `${at}/ItemProcessor`,
            new Set([...outer, ...flow.assignedBefore(name)]),
          ),
          maxConcurrency: this.check.template(value.MaxConcurrency, 'MaxConcurrency', at, 'number'),
          toleratedCount: this.check.template(value.ToleratedFailureCount, 'ToleratedFailureCount', at, 'number'),
          toleratedPercentage: this.check.template(
            value.ToleratedFailurePercentage,
            'ToleratedFailurePercentage',
            at,
            'number',
          ),
        };
      case 'Succeed':
        return { type: known, name, output: result.output };
      case 'Fail':
        return {
          ...{ type: known, name },
          error: this.check.template(value.Error, 'Error', at, 'string'),
          cause: this.check.template(value.Cause, 'Cause', at, 'string'),
        };
    }
  }

  #task(name: string, value: JsonObject, at: string, outer: ReadonlySet<string>, result: Result): Task {
    this.#limits(value, at);
    return {
      ...{ type: 'Task', name, ...this.#going(value, at), ...result, ...this.#recovering(value, at, outer) },
      resource: this.#resource(value, at),
      arguments: this.check.template(value.Arguments, 'Arguments', at),
      timeoutSeconds: this.check.template(value.TimeoutSeconds, 'TimeoutSeconds', at, 'number'),
      heartbeatSeconds: this.check.template(value.HeartbeatSeconds, 'HeartbeatSeconds', at, 'number'),
    };
  }

  /** A constant number of seconds is a positive integer, and a heartbeat comes before the timeout. */
  #limits(value: JsonObject, at: string): void {
    for (const field of ['TimeoutSeconds', 'HeartbeatSeconds']) {
      if (typeof value[field] === 'number') this.check.number(value, field, at, 1, 1);
    }
    const { TimeoutSeconds: timeout, HeartbeatSeconds: heartbeat } = value;
    if (typeof timeout === 'number' && typeof heartbeat === 'number' && heartbeat >= timeout) {
      const message = 'HeartbeatSeconds must be smaller than TimeoutSeconds';
      this.check.refuse('SCHEMA_VALIDATION_FAILED', message, `${at}/HeartbeatSeconds`);
    }
  }

  #resource(value: JsonObject, at: string): Task['resource'] {
    const resource = this.check.text(value, 'Resource', at) ?? '';
    if (FUNCTION_ARN.test(resource)) return { kind: 'function', arn: resource };
    const token = resource === 'arn:aws:states:::lambda:invoke.waitForTaskToken';
    if (!token && resource !== 'arn:aws:states:::lambda:invoke') {
      this.check.refuse('UNSUPPORTED', `The resource ${resource} is not supported`, `${at}/Resource`);
    }
    const given = value.Arguments;
    if (given === undefined || (isObject(given) && given.FunctionName === undefined)) {
      this.check.refuse(
        'SCHEMA_VALIDATION_FAILED',
        'The field FunctionName is required in Arguments',
        `${at}/Arguments`,
      );
    }
    if (isObject(given)) this.check.fields(given, ['FunctionName', 'Payload'], `${at}/Arguments`);
    return { kind: 'invoke', token };
  }

  #choice(name: string, value: JsonObject, at: string, outer: ReadonlySet<string>, result: Result): Choice {
    const rules = isArray(value.Choices) ? value.Choices : [];
    if (rules.length === 0) {
      this.check.refuse('SCHEMA_VALIDATION_FAILED', 'Choices must be an array with at least one rule', `${at}/Choices`);
    }
    const choices = rules.flatMap((rule, index) => {
      const path = `${at}/Choices/${index}`;
      if (!isObject(rule)) {
        this.check.refuse('SCHEMA_VALIDATION_FAILED', 'A rule must be an object', path);
        return [];
      }
      this.check.fields(rule, ['Condition', 'Next', 'Comment', ...RESULT], path);
      const condition = this.check.template(
        rule.Condition,
        'Condition',
        path,
        'boolean',
        `Choices[${index}]/Condition`,
      );
      if (condition === undefined) this.check.refuse('SCHEMA_VALIDATION_FAILED', 'A rule needs a Condition', path);
      return [
        {
          ...this.#result(rule, path, outer, `Choices[${index}]/`),
          condition: condition ?? { kind: 'constant' as const, value: false },
          next: this.check.text(rule, 'Next', path) ?? '',
        },
      ];
    });
    const fallback = value.Default === undefined ? undefined : this.check.text(value, 'Default', at);
    return { type: 'Choice', name, ...result, choices, fallback };
  }

  #processor(value: Json | undefined, at: string, assigned: ReadonlySet<string>): Block {
    const config = isObject(value) ? value.ProcessorConfig : undefined;
    if (isObject(config)) {
      this.check.fields(config, ['Mode'], `${at}/ProcessorConfig`);
      if (config.Mode !== undefined && config.Mode !== 'INLINE') {
        const path = `${at}/ProcessorConfig/Mode`;
        this.check.refuse('UNSUPPORTED', `A Map in mode ${String(config.Mode)} is not supported, only INLINE`, path);
      }
    }
    return this.#inner(value, at, ['ProcessorConfig'], assigned);
  }

  #inner(value: Json | undefined, at: string, further: readonly string[], outer: ReadonlySet<string>): Block {
    if (!isObject(value)) {
      this.check.refuse('SCHEMA_VALIDATION_FAILED', 'An object with StartAt and States is required', at);
      return { startAt: '', states: new Map() };
    }
    this.check.fields(value, ['StartAt', 'States', 'Comment', 'QueryLanguage', ...further], at);
    return this.#block(value, at, outer);
  }

  #result(value: JsonObject, at: string, outer: ReadonlySet<string>, prefix = ''): Result {
    return {
      output: this.check.template(value.Output, 'Output', at, undefined, `${prefix}Output`),
      assign: this.#assign(value.Assign, at, outer, prefix),
    };
  }

  #assign(value: Json | undefined, at: string, outer: ReadonlySet<string>, prefix: string): Assignments | undefined {
    if (value === undefined) return undefined;
    const path = `${at}/Assign`;
    if (!isObject(value)) {
      this.check.refuse('SCHEMA_VALIDATION_FAILED', 'Assign must be an object', path);
      return undefined;
    }
    return Object.entries(value).flatMap(([variable, template]) => {
      if (
        !VARIABLE.test(variable) ||
        [...variable].length > NAME_LENGTH ||
        ['states', '__proto__'].includes(variable)
      ) {
        this.check.refuse('INVALID_VARIABLE_NAME', `${variable} is no name for a variable`, path);
      }
      if (outer.has(variable)) {
        const message = `The variable ${variable} belongs to an outer scope and cannot be assigned here`;
        this.check.refuse('INVALID_ASSIGNMENT', message, path);
      }
      const compiled = this.check.template(template, variable, path, undefined, `${prefix}Assign/${variable}`);
      return compiled === undefined ? [] : [[variable, compiled] as const];
    });
  }

  #going(value: JsonObject, at: string): { next: string | undefined } {
    const next = value.Next === undefined ? undefined : this.check.text(value, 'Next', at);
    if (value.End !== undefined && typeof value.End !== 'boolean') {
      this.check.refuse('SCHEMA_VALIDATION_FAILED', 'End must be true or false', `${at}/End`);
    }
    if ((next !== undefined) === (value.End === true)) {
      this.check.refuse('SCHEMA_VALIDATION_FAILED', 'A state needs either Next or End', at);
    }
    return { next };
  }

  #recovering(value: JsonObject, at: string, outer: ReadonlySet<string>) {
    return {
      retry: this.check.list(value, 'Retry', at).map((rule, index) => this.#retrier(rule, `${at}/Retry/${index}`)),
      catch: this.check
        .list(value, 'Catch', at)
        .map((rule, index) => this.#catcher(rule, `${at}/Catch/${index}`, outer, `Catch[${index}]/`)),
    };
  }

  #retrier(value: JsonObject, at: string): Retrier {
    const fields = ['IntervalSeconds', 'MaxAttempts', 'BackoffRate', 'MaxDelaySeconds', 'JitterStrategy'];
    this.check.fields(value, ['ErrorEquals', 'Comment', ...fields], at);
    const jitter = value.JitterStrategy ?? 'NONE';
    if (jitter !== 'NONE' && jitter !== 'FULL') {
      this.check.refuse('SCHEMA_VALIDATION_FAILED', 'JitterStrategy must be FULL or NONE', `${at}/JitterStrategy`);
    }
    const longest = value.MaxDelaySeconds;
    return {
      errors: this.#errors(value, at),
      intervalSeconds: this.check.number(value, 'IntervalSeconds', at, 1, 1),
      maxAttempts: this.check.number(value, 'MaxAttempts', at, 3, 0),
      backoffRate: this.check.number(value, 'BackoffRate', at, 2, 1, false),
      maxDelaySeconds: longest === undefined ? undefined : this.check.number(value, 'MaxDelaySeconds', at, 1, 1),
      jitter: jitter === 'FULL' ? 'FULL' : 'NONE',
    };
  }

  #catcher(value: JsonObject, at: string, outer: ReadonlySet<string>, prefix: string): Catcher {
    this.check.fields(value, ['ErrorEquals', 'Next', 'Comment', ...RESULT], at);
    return {
      errors: this.#errors(value, at),
      next: this.check.text(value, 'Next', at) ?? '',
      ...this.#result(value, at, outer, prefix),
    };
  }

  #errors(value: JsonObject, at: string): readonly string[] {
    const errors = isArray(value.ErrorEquals) ? value.ErrorEquals : [];
    const texts = errors.filter((error) => typeof error === 'string');
    if (texts.length === 0 || texts.length !== errors.length) {
      this.check.refuse('SCHEMA_VALIDATION_FAILED', 'ErrorEquals must be a list of error names', `${at}/ErrorEquals`);
    }
    if (texts.includes('States.ALL') && texts.length > 1) {
      this.check.refuse('SCHEMA_VALIDATION_FAILED', 'States.ALL must stand alone in ErrorEquals', `${at}/ErrorEquals`);
    }
    return texts;
  }

  /** `Next`, `Default` and `StartAt` name states of their own block. */
  #transitions(states: JsonObject, startAt: string, at: string): void {
    const check = (target: Json | undefined, path: string) => {
      if (typeof target === 'string' && !Object.hasOwn(states, target)) {
        this.check.refuse('MISSING_TRANSITION_TARGET', `There is no state ${target} to go to`, path);
      }
    };
    check(startAt, `${at}/StartAt`);
    for (const [name, state] of Object.entries(states)) {
      if (!isObject(state)) continue;
      const path = `${at}/States/${pointer(name)}`;
      check(state.Next, `${path}/Next`);
      check(state.Default, `${path}/Default`);
      for (const field of ['Catch', 'Choices']) {
        const rules = state[field];
        if (!isArray(rules)) continue;
        for (const [index, rule] of rules.entries())
          if (isObject(rule)) check(rule.Next, `${path}/${field}/${index}/Next`);
      }
    }
  }
}
