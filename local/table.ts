import { CreateTableCommand, type DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { INDEXES } from '../store/schema.ts';

/** Creates the one table as infrastructure does on AWS, unless it is there. */
export async function createTable(client: DynamoDBClient, name: string): Promise<void> {
  const attributes = new Map<string, 'S' | 'N'>([
    ['pk', 'S'],
    ['sk', 'S'],
  ]);
  for (const { partition, sort, sortType } of Object.values(INDEXES)) {
    attributes.set(partition, 'S').set(sort, sortType);
  }
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [...attributes].map(([AttributeName, AttributeType]) => ({
          AttributeName,
          AttributeType,
        })),
        GlobalSecondaryIndexes: Object.values(INDEXES).map(({ name: IndexName, partition, sort }) => ({
          IndexName,
          KeySchema: [
            { AttributeName: partition, KeyType: 'HASH' },
            { AttributeName: sort, KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        })),
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}
