/** A value of an event that is neither object nor array. */
export type Leaf = string | number | boolean | null;

/** One leaf: its dotted path, and which element of which arrays of objects it lies in. */
export interface EventField {
  readonly path: string;
  readonly value: Leaf;
  readonly within: ReadonlyMap<object, number>;
}

/**
 * An event as its leaves. Arrays leave no mark in a path, so a pattern sees the elements of an array as alternatives;
 * `within` lets it insist that fields matched together come from one element.
 */
export function fieldsOf(event: unknown): ReadonlyMap<string, readonly EventField[]> {
  const fields = new Map<string, EventField[]>();
  const visit = (value: unknown, path: string, within: ReadonlyMap<object, number>) => {
    if (Array.isArray(value)) {
      for (const [index, element] of value.entries()) {
        const compound = typeof element === 'object' && element !== null;
        visit(element, path, compound ? new Map([...within, [value, index]]) : within);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) visit(member, path === '' ? name : `${path}.${name}`, within);
    } else {
      const field = { path, value: value as Leaf, within };
      const others = fields.get(path);
      if (others === undefined) fields.set(path, [field]);
      else others.push(field);
    }
  };
  visit(event, '', new Map());
  return fields;
}

/** Whether two fields can belong to one reading of the event: no array is entered at two places. */
export function agree(one: ReadonlyMap<object, number>, other: ReadonlyMap<object, number>): boolean {
  for (const [array, index] of one) {
    const elsewhere = other.get(array);
    if (elsewhere !== undefined && elsewhere !== index) return false;
  }
  return true;
}
