import { compileTemplate, ExpressionProblem, type Template } from './expressions.ts';
import { isArray, isObject, type Json, type JsonObject } from './json.ts';

/** One thing that is wrong with a definition, as `ValidateStateMachineDefinition` reports it. */
export interface Diagnostic {
  readonly severity: 'ERROR';
  readonly code: string;
  readonly message: string;
  /** A JSON pointer. */
  readonly location: string;
}

const JSONPATH_FIELDS: ReadonlySet<string> = new Set([
  ...['InputPath', 'OutputPath', 'ResultPath', 'ResultSelector', 'Parameters', 'Result', 'Variable', 'ItemsPath'],
  ...['SecondsPath', 'TimestampPath', 'TimeoutSecondsPath', 'HeartbeatSecondsPath', 'MaxConcurrencyPath'],
  ...['ErrorPath', 'CausePath', 'ToleratedFailureCountPath', 'ToleratedFailurePercentagePath'],
]);

/** Reads members of a definition, and collects everything that is wrong with it. */
export class Checker {
  readonly diagnostics: Diagnostic[] = [];

  list(value: JsonObject, field: string, at: string): readonly JsonObject[] {
    const list = value[field];
    if (list === undefined) return [];
    const rules = isArray(list) ? list.filter(isObject) : [];
    if (!isArray(list) || rules.length !== list.length) {
      this.refuse('SCHEMA_VALIDATION_FAILED', `${field} must be a list of objects`, `${at}/${field}`);
    }
    return rules;
  }

  template(
    value: Json | undefined,
    field: string,
    at: string,
    kind?: 'array' | 'boolean' | 'number' | 'string',
    location = field,
  ): Template | undefined {
    if (value === undefined) return undefined;
    try {
      const template = compileTemplate(value, location);
      const right = template.kind === 'array' ? 'array' : template.kind === 'constant' ? typeOf(template.value) : kind;
      if (kind !== undefined && right !== kind) {
        const expected = `${kind === 'array' ? 'an array' : `a ${kind}`} or a JSONata expression`;
        this.refuse('SCHEMA_VALIDATION_FAILED', `${field} must be ${expected}`, `${at}/${field}`);
      }
      return template;
    } catch (error) {
      if (!(error instanceof ExpressionProblem)) throw error;
      this.refuse('INVALID_JSONATA_EXPRESSION', error.message, `${at}/${field}`);
      return undefined;
    }
  }

  number(value: JsonObject, field: string, at: string, absent: number, least: number, whole = true): number {
    const given = value[field] ?? absent;
    if (typeof given === 'number' && given >= least && (!whole || Number.isInteger(given))) return given;
    const kind = whole ? 'an integer' : 'a number';
    this.refuse('SCHEMA_VALIDATION_FAILED', `${field} must be ${kind} of at least ${least}`, `${at}/${field}`);
    return absent;
  }

  text(value: JsonObject, field: string, at: string): string | undefined {
    const text = value[field];
    if (typeof text === 'string') return text;
    this.refuse('SCHEMA_VALIDATION_FAILED', `${field} must be a string`, `${at}/${field}`);
    return undefined;
  }

  fields(value: JsonObject, known: readonly string[], at: string): void {
    for (const field of Object.keys(value)) {
      if (known.includes(field)) continue;
      const why = JSONPATH_FIELDS.has(field) ? 'belongs to JSONPath, which is not supported' : 'is not supported here';
      this.refuse('UNSUPPORTED', `The field ${field} ${why}`, `${at}/${pointer(field)}`);
    }
  }

  refuse(code: string, message: string, location: string): void {
    this.diagnostics.push({ severity: 'ERROR', code, message, location: location === '' ? '/' : location });
  }
}

function typeOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A name as a part of a JSON pointer. */
export function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
