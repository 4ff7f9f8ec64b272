import { isArray, isObject, type JsonObject } from './json.ts';

/** Which states of one block can come before which, read from a definition that may still be wrong. */
export class Flow {
  readonly #before = new Map<string, string[]>();

  constructor(private readonly states: JsonObject) {
    for (const [name, state] of Object.entries(states)) {
      for (const part of partsOf(state)) {
        for (const target of [part.Next, part.Default]) {
          if (typeof target !== 'string') continue;
          const before = this.#before.get(target) ?? [];
          before.push(name);
          this.#before.set(target, before);
        }
      }
    }
  }

  /** Variables that a state which can come before `name` assigns. */
  assignedBefore(name: string): ReadonlySet<string> {
    const variables = new Set<string>();
    const seen = new Set<string>();
    const left = [...(this.#before.get(name) ?? [])];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      left.push(...(this.#before.get(next) ?? []));
      for (const { Assign } of partsOf(this.states[next])) {
        if (isObject(Assign)) for (const variable of Object.keys(Assign)) variables.add(variable);
      }
    }
    return variables;
  }
}

/** The state itself, its rules and its catchers: whatever has a `Next` and an `Assign`. */
function partsOf(state: unknown): readonly JsonObject[] {
  if (!isObject(state)) return [];
  const rules = [state.Catch, state.Choices].flatMap((list) => (isArray(list) ? list : []));
  return [state, ...rules.filter(isObject)];
}
