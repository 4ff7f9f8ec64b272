import { type Bindings, evaluate, evaluateAs, QueryError, type Template } from './expressions.ts';
import { type Json, type JsonObject, textOf } from './json.ts';
import { type EvaluationSource, sequence } from './jsonata-functions.ts';
import type { Assignments } from './machine.ts';
import type { Recorder } from './recorder.ts';
import type { Strand } from './strand.ts';

/** What the expressions of one execution see: `$states`, variables, the execution's time and its random numbers. */
export class Sight {
  readonly random: () => number;
  /** `$states.context.Execution`. */
  execution: JsonObject = {};

  constructor(
    private readonly stateMachine: JsonObject,
    secret: string,
    private readonly recorder: Recorder,
  ) {
    this.random = sequence(`random ${secret}`);
  }

  get source(): EvaluationSource {
    return { now: this.recorder.now, random: this.random };
  }

  /**
   * @param context further members of `$states.context`
   * @param further further members of `$states`
   */
  bindings(strand: Strand, context: JsonObject = {}, further: JsonObject = {}): Bindings {
    const { visit, item } = strand;
    const State: Json = {
      Name: visit?.state.name ?? '',
      EnteredTime: new Date(visit?.enteredAt ?? 0).toISOString(),
      RetryCount: visit?.retries ?? 0,
    };
    const own = { Execution: this.execution, StateMachine: this.stateMachine, State };
    const map: JsonObject = item === undefined ? {} : { Map: { Item: item } };
    const states = { input: visit?.input ?? null, context: { ...own, ...map, ...context }, ...further };
    return { ...strand.variables, states };
  }

  async value(template: Template | undefined, bindings: Bindings, absent: Json): Promise<Json> {
    return template === undefined ? absent : evaluate(template, bindings, this.source);
  }

  valueOf(kind: Parameters<typeof evaluateAs>[0], template: Template, bindings: Bindings): Promise<Json> {
    return evaluateAs(kind, template, bindings, this.source);
  }

  async text(template: Template | undefined, bindings: Bindings): Promise<string | undefined> {
    return template === undefined ? undefined : String(await this.valueOf('string', template, bindings));
  }

  /** A positive whole number, of seconds. */
  async seconds(template: Template | undefined, field: string, bindings: Bindings): Promise<number | undefined> {
    if (template === undefined) return undefined;
    const value = await this.valueOf('number', template, bindings);
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
    throw new QueryError(`The ${field} field must be a positive integer but was: ${textOf(value)}`, field);
  }

  /** A number that is not negative. */
  async count(template: Template | undefined, field: string, bindings: Bindings): Promise<number | undefined> {
    if (template === undefined) return undefined;
    const value = await this.valueOf('number', template, bindings);
    if (typeof value === 'number' && value >= 0) return value;
    throw new QueryError(`The ${field} field must be a non-negative number but was: ${textOf(value)}`, field);
  }

  /** New values of variables: each sees the old ones. */
  async assigned(assign: Assignments | undefined, bindings: Bindings): Promise<Strand['variables'] | undefined> {
    if (assign === undefined) return undefined;
    const assigned: Record<string, Json> = {};
    for (const [variable, template] of assign) assigned[variable] = await evaluate(template, bindings, this.source);
    return assigned;
  }
}
