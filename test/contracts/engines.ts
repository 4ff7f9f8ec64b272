/** The two DynamoDBs that every contract is tried on, through the real SDK clients. They share no code. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { awsClients } from '../../local/aws-clients.ts';
import { openDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { available, startDynoxide } from '../../local/dynamodb/dynoxide.ts';

export interface Engine {
  /** For the store, which converts by itself. */
  readonly client: DynamoDBClient;
  /** For tests that speak plain JavaScript. */
  readonly documents: DynamoDBDocumentClient;
  close(): Promise<void>;
}

const embedded = {
  name: 'the embedded engine',
  async start(): Promise<Engine> {
    const db = await openDynamoDb();
    const { dynamodb, documents } = awsClients([db], 'eu-south-1');
    return { client: dynamodb, documents, close: () => db.close() };
  },
};

const found = available();
const dynoxide = {
  name: 'dynoxide',
  async start(): Promise<Engine> {
    if ('reason' in found) throw new Error(found.reason);
    const { endpoint, close } = await startDynoxide(found.path);
    const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
    const client = new DynamoDBClient({ region: 'eu-south-1', endpoint, credentials, maxAttempts: 1 });
    const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
    return { client, documents, close };
  },
};
if ('reason' in found) console.log(`The contract is not tried on dynoxide: ${found.reason}.`);
export const engines = 'reason' in found ? [embedded] : [embedded, dynoxide];
