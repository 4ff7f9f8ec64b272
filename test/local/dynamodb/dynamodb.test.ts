import { describe, expect, it } from 'vitest';
import { openDynamoDb } from '../../../local/dynamodb/dynamodb.ts';
import { fence } from '../../../local/fence.ts';
import { TABLE, table } from './table.ts';

const key = { pk: { S: 'release#r1' }, sk: { S: 'head' } };

async function opened() {
  const db = await openDynamoDb();
  await db.call('CreateTable', table);
  return db;
}

describe('the embedded DynamoDB', () => {
  it('lets exactly one of fifty concurrent put-if-absent win', async () => {
    const db = await opened();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, writer) =>
        db.call('PutItem', {
          TableName: TABLE,
          Item: { ...key, writer: { N: String(writer) } },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(outcomes.filter((one) => one.status === 'rejected').map((one) => one.reason.code)).toEqual(
      Array(49).fill('ConditionalCheckFailedException'),
    );
  });

  it('loses none of fifty concurrent additions to one counter', async () => {
    const db = await opened();
    await Promise.all(
      Array.from({ length: 50 }, () =>
        db.call('UpdateItem', {
          TableName: TABLE,
          Key: key,
          UpdateExpression: 'ADD n :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
        }),
      ),
    );
    expect(await db.call('GetItem', { TableName: TABLE, Key: key })).toMatchObject({ Item: { n: { N: '50' } } });
  });

  it('gives the item that made a condition fail to whoever asks for it', async () => {
    const db = await opened();
    await db.call('PutItem', { TableName: TABLE, Item: { ...key, state: { S: 'SUCCESS' } } });
    const conclude = {
      TableName: TABLE,
      Key: key,
      UpdateExpression: 'SET #s = :error',
      ConditionExpression: '#s = :running',
      ExpressionAttributeNames: { '#s': 'state' },
      ExpressionAttributeValues: { ':error': { S: 'ERROR' }, ':running': { S: 'RUNNING' } },
    };
    await expect(
      db.call('UpdateItem', { ...conclude, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    ).rejects.toMatchObject({
      code: 'ConditionalCheckFailedException',
      members: { Item: { state: { S: 'SUCCESS' } } },
    });
    await expect(db.call('UpdateItem', conclude)).rejects.toMatchObject({ members: {} });
  });

  it.each([
    ['empty', { PutItem: { gpk: { S: '' }, gsk: { S: 'x' } } }],
    ['of another type', { PutItem: { gpk: { N: '5' }, gsk: { S: 'x' } } }],
    ['longer than 2,048 bytes', { PutItem: { gpk: { S: 'x'.repeat(2049) }, gsk: { S: 'x' } } }],
  ])('refuses an index key that is %s', async (_, { PutItem }) => {
    const db = await opened();
    await expect(db.call('PutItem', { TableName: TABLE, Item: { ...key, ...PutItem } })).rejects.toMatchObject({
      code: 'ValidationException',
    });
    expect(await db.call('GetItem', { TableName: TABLE, Key: key })).toEqual({});
  });

  it('refuses an index key whose wrong type comes from another attribute, and goes on', async () => {
    const db = await opened();
    await db.call('PutItem', { TableName: TABLE, Item: { ...key, gsk: { S: 'x' }, count: { N: '5' } } });
    const copy = {
      TableName: TABLE,
      Key: key,
      UpdateExpression: 'SET gpk = #c',
      ExpressionAttributeNames: { '#c': 'count' },
    };
    await expect(db.call('UpdateItem', copy)).rejects.toMatchObject({ code: 'ValidationException' });
    await expect(db.call('UpdateItem', copy)).rejects.toMatchObject({ code: 'ValidationException' });
  });

  it('keeps every item in an index where all have the same index key', async () => {
    const db = await opened();
    const ids = Array.from({ length: 6000 }, (_, n) => `deploy-${n}`);
    for (const id of ids) {
      const Item = { pk: { S: id }, sk: { S: 'head' }, gpk: { S: 'undone' }, gsk: { S: 'now' } };
      await db.call('PutItem', { TableName: TABLE, Item });
    }
    const found: string[] = [];
    let ExclusiveStartKey: unknown;
    do {
      const page = (await db.call('Query', {
        TableName: TABLE,
        IndexName: 'by-g',
        KeyConditionExpression: 'gpk = :g',
        ExpressionAttributeValues: { ':g': { S: 'undone' } },
        Limit: 1000,
        ExclusiveStartKey,
      })) as { Items: { pk: { S: string } }[]; LastEvaluatedKey?: unknown };
      found.push(...page.Items.map(({ pk }) => pk.S));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    expect(found.sort()).toEqual(ids.sort());
  });

  it('remembers a time to live, and forgets it with its table', async () => {
    const db = await opened();
    const describeIt = () => db.call('DescribeTimeToLive', { TableName: TABLE });
    const disabled = { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } };
    expect(await describeIt()).toEqual(disabled);
    const TimeToLiveSpecification = { AttributeName: 'expires', Enabled: true };
    await db.call('UpdateTimeToLive', { TableName: TABLE, TimeToLiveSpecification });
    expect(await describeIt()).toEqual({
      TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' },
    });
    await db.call('DeleteTable', { TableName: TABLE });
    await db.call('CreateTable', table);
    expect(await describeIt()).toEqual(disabled);
  });

  it('names the operation that it does not offer', async () => {
    const db = await opened();
    await expect(db.call('TransactWriteItems', {})).rejects.toMatchObject({
      code: 'UnknownOperationException',
      message: expect.stringContaining('TransactWriteItems'),
    });
  });

  it('holds what was written when the engine around it is killed and another takes its place', async () => {
    const db = await opened();
    const first = fence(db);
    await first.service.call('PutItem', { TableName: TABLE, Item: key });
    first.kill();
    const second = fence(db);
    expect(await second.service.call('GetItem', { TableName: TABLE, Key: key })).toEqual({ Item: key });
  });
});

describe('what the calls cost', () => {
  const big = { ...key, text: { S: 'x'.repeat(2500) } };
  const put = (Item: object) => ['PutItem', { TableName: TABLE, Item }] as const;
  const indexed = { ...key, gpk: { S: 'g' }, gsk: { S: 'a' } };

  it.each([
    ['a small item', [], put(key), { readUnits: 0, writeUnits: 1 }],
    ['an item of 2.5 KB', [], put(big), { readUnits: 0, writeUnits: 3 }],
    ['a small item over one of 2.5 KB', [put(big)], put(key), { readUnits: 0, writeUnits: 3 }],
    ['an item with an index entry', [], put(indexed), { readUnits: 0, writeUnits: 2 }],
    ['the same item again', [put(indexed)], put(indexed), { readUnits: 0, writeUnits: 1 }],
    [
      'an item whose index key changes',
      [put(indexed)],
      put({ ...indexed, gsk: { S: 'b' } }),
      { readUnits: 0, writeUnits: 3 },
    ],
    [
      'a strong read of nothing',
      [],
      ['GetItem', { TableName: TABLE, Key: key, ConsistentRead: true }],
      { readUnits: 1, writeUnits: 0 },
    ],
    ['an eventual read', [put(big)], ['GetItem', { TableName: TABLE, Key: key }], { readUnits: 0.5, writeUnits: 0 }],
  ] as const)('%s', async (_, before, [operation, input], expected) => {
    const db = await opened();
    for (const [name, members] of before) await db.call(name, members);
    db.counters.reset();
    await db.call(operation, input);
    expect(db.counters.of(operation)).toEqual({ calls: 1, ...expected });
    expect(db.counters.total()).toEqual({ calls: 1, ...expected });
  });

  it('a condition that fails is paid for by the item that is there', async () => {
    const db = await opened();
    await db.call('PutItem', { TableName: TABLE, Item: big });
    db.counters.reset();
    const again = { TableName: TABLE, Item: key, ConditionExpression: 'attribute_not_exists(pk)' };
    await expect(db.call('PutItem', again)).rejects.toMatchObject({ code: 'ConditionalCheckFailedException' });
    expect(db.counters.of('PutItem')).toEqual({ calls: 1, readUnits: 0, writeUnits: 3 });
  });
});
