import { AwsError } from '../aws-service.ts';
import type { Item } from './consumed-units.ts';

/** One entry of a BatchWriteItem call. */
export interface WriteRequest {
  readonly PutRequest?: { readonly Item: Item };
  readonly DeleteRequest?: { readonly Key: Item };
}

export interface TableKeys {
  readonly KeySchema: readonly { readonly AttributeName: string }[];
}

/** The key that a request writes. @throws AwsError ValidationException when it names none */
export function keyOf({ PutRequest, DeleteRequest }: WriteRequest, keySchema: TableKeys['KeySchema']): unknown {
  const item = PutRequest?.Item ?? DeleteRequest?.Key ?? {};
  const key = keySchema.map(({ AttributeName }) => item[AttributeName]);
  if (key.includes(undefined)) {
    throw new AwsError('ValidationException', 'The provided key element does not match the schema');
  }
  return key;
}
