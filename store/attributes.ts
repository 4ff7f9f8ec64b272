/**
 * Items between plain values and DynamoDB's notation, `{ pk: { S: 'a' } }`: text, finite numbers, booleans, null, bytes, sets
 * of text, lists and maps. What is undefined is left out. Done here and not by the SDK's document client, whose middleware
 * is built anew for every request and costs more than the conversion.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Attributes = Record<string, AttributeValue>;

export function toAttributes(values: Readonly<Record<string, unknown>>): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) own(attributes, name, toAttribute(value));
  }
  return attributes;
}

function toAttribute(value: unknown): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'boolean':
      return { BOOL: value };
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} can not be stored`);
      return { N: String(value) };
    case 'object':
      if (value === null) return { NULL: true };
      if (value instanceof Uint8Array) return { B: value };
      if (value instanceof Set) return { SS: [...(value as Set<string>)] };
      if (Array.isArray(value)) return { L: value.filter((item) => item !== undefined).map(toAttribute) };
      return { M: toAttributes(value as Record<string, unknown>) };
    default:
      throw new TypeError(`a ${typeof value} can not be stored`);
  }
}

export function fromAttributes(attributes: Attributes): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    own(values, name, fromAttribute(attribute));
  }
  return values;
}

function fromAttribute(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.M !== undefined) return fromAttributes(attribute.M);
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.L !== undefined) return attribute.L.map(fromAttribute);
  if (attribute.SS !== undefined) return new Set(attribute.SS);
  if (attribute.B !== undefined) return attribute.B;
  if (attribute.NULL !== undefined) return null;
  throw new TypeError(`an attribute of type ${Object.keys(attribute).join()} is none of ours`);
}

/** Names may come from the outside; none of them is to reach a prototype. */
function own<Value>(record: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}
