/** Moves ten items about in their index without end, and prints the number of each move that was acknowledged. */
import { openDynamoDb } from '../../../local/dynamodb/dynamodb.ts';
import { TABLE, table } from './table.ts';

const db = await openDynamoDb({ path: process.argv[2] ?? '' });
await db.call('CreateTable', table);
let move = 0;

async function moveForEver(item: number): Promise<never> {
  for (;;) {
    const number = ++move;
    const Item = {
      pk: { S: `item-${item}` },
      sk: { S: 'head' },
      gpk: { S: `group-${number % 3}` },
      gsk: { S: String(number) },
    };
    await db.call('PutItem', { TableName: TABLE, Item });
    process.stdout.write(`${number}\n`);
  }
}

await Promise.all(Array.from({ length: 10 }, (_, item) => moveForEver(item)));
