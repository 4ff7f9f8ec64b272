import { extendPath } from '../documents/path.ts';
import type { Position } from '../documents/source-text.ts';

/** A document of another tool, as it was written. */
export interface SourceDocument {
  readonly file: string;
  readonly value: unknown;
  /** `named`: the place of the field's name instead of its value. */
  readonly locate: (path: string, named?: boolean) => Position;
}

/** A value in a document of another tool that knows where it stands. */
export class Place {
  constructor(
    readonly document: SourceDocument,
    readonly path: string,
    readonly value: unknown,
  ) {}

  static root(document: SourceDocument): Place {
    return new Place(document, '', document.value);
  }

  get position(): Position {
    return this.document.locate(this.path);
  }

  /** Where the field's name stands. */
  get named(): Position {
    return this.document.locate(this.path, true);
  }

  /** A field that has a value; one that is empty says nothing in any of these tools. */
  field(name: string): Place | undefined {
    const { value } = this;
    if (!isMapping(value) || !Object.hasOwn(value, name)) return undefined;
    const inner = value[name];
    return inner === null || inner === undefined ? undefined : this.#at(name, inner);
  }

  /** Whether it has a field, with or without a value. */
  has(name: string): boolean {
    return isMapping(this.value) && Object.hasOwn(this.value, name);
  }

  /** The fields of a mapping; none when it is something else. */
  fields(): [string, Place][] {
    const { value } = this;
    if (!isMapping(value)) return [];
    return Object.entries(value).map(([key, inner]) => [key, this.#at(key, inner)]);
  }

  /** The items of a list; none when it is something else. */
  items(): Place[] {
    return Array.isArray(this.value) ? this.value.map((item: unknown, index) => this.#at(index, item)) : [];
  }

  get isMapping(): boolean {
    return isMapping(this.value);
  }

  get isList(): boolean {
    return Array.isArray(this.value);
  }

  /** Text, also of a number or a boolean that stands where these tools want text. */
  get text(): string | undefined {
    const { value } = this;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;
  }

  /** True or false, in the spellings that YAML readers of Go take for them. */
  get truth(): boolean | undefined {
    const text = this.text?.toLowerCase();
    if (text === 'true' || text === 'yes' || text === 'on') return true;
    return text === 'false' || text === 'no' || text === 'off' ? false : undefined;
  }

  #at(step: string | number, value: unknown): Place {
    return new Place(this.document, extendPath(this.path, step), value);
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
