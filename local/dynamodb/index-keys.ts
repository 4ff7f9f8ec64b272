import type { Item } from './consumed-units.ts';

interface Index {
  readonly IndexName: string;
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: 'HASH' | 'RANGE' }[];
}

/** What is needed of a table's description. */
export interface IndexedTable {
  readonly TableName: string;
  readonly TableStatus: string;
  readonly AttributeDefinitions: readonly { readonly AttributeName: string; readonly AttributeType: 'S' | 'N' | 'B' }[];
  readonly GlobalSecondaryIndexes?: readonly Index[];
  readonly LocalSecondaryIndexes?: readonly Index[];
}

const LARGEST = { HASH: 2048, RANGE: 1024 };

/** Every attribute that is part of an index's key, with that index. */
export function indexKeys(table: IndexedTable) {
  return [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])].flatMap((index) =>
    index.KeySchema.map((key) => ({
      index: index.IndexName,
      attribute: key.AttributeName,
      role: key.KeyType,
      type: table.AttributeDefinitions.find((one) => one.AttributeName === key.AttributeName)?.AttributeType,
    })),
  );
}

/**
 * Why DynamoDB would refuse the item for one of the table's indexes: an index key of another type, empty, or too long.
 * Absent is no fault; the index is sparse.
 */
export function indexKeyProblem(item: Item, table: IndexedTable): string | undefined {
  for (const { index, attribute, role, type } of indexKeys(table)) {
    const value = item[attribute];
    if (value === undefined || type === undefined) continue;
    const actual = Object.keys(value)[0];
    if (actual !== type) return typeMismatch(attribute, type, actual ?? 'NULL', index);
    if (type === 'N') continue;
    const bytes = Buffer.byteLength(Object.values(value)[0] as string, type === 'S' ? 'utf8' : 'base64');
    const where = `IndexName: ${index}, IndexKey: ${attribute}`;
    if (bytes === 0) {
      const kind = type === 'S' ? 'string' : 'binary';
      return (
        'One or more parameter values are not valid. A value specified for a secondary index key is not supported. ' +
        `The AttributeValue for a key attribute cannot contain an empty ${kind} value. ${where}`
      );
    }
    if (bytes > LARGEST[role]) {
      return `One or more parameter values were invalid: Size of a secondary index key has exceeded the maximum size limit of ${LARGEST[role]} bytes. ${where}`;
    }
  }
  return undefined;
}

export function typeMismatch(attribute: string, expected: string, actual: string, index: string): string {
  return `One or more parameter values were invalid: Type mismatch for Index Key ${attribute} Expected: ${expected} Actual: ${actual} IndexName: ${index}`;
}
