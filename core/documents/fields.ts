/** Looks into a document as it was written, before its shape is known. */

/** The fields of a mapping; none when it is something else. */
export function fields(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** A field of a mapping, never an inherited one. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** The items of a list; none when it is something else. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
