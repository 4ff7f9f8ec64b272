/**
 * What we rely on in DynamoDB, through the real SDK clients, over two engines that share no code. Each test takes a
 * partition of its own. Where an engine departs from what AWS documents, the test says so at that place.
 */
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, type KeysAndAttributes } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TABLE, table } from '../local/dynamodb/table.ts';
import { type Engine, engines } from './engines.ts';

describe.each(engines)('DynamoDB, by $name', ({ start }) => {
  let engine: Engine;
  let documents: DynamoDBDocumentClient;

  beforeAll(async () => {
    engine = await start();
    documents = engine.documents;
    await documents.send(new CreateTableCommand(table));
  });

  afterAll(() => engine.close());

  const put = (Item: Record<string, unknown>, condition?: string) =>
    documents.send(new PutCommand({ TableName: TABLE, Item, ConditionExpression: condition }));
  const get = async (Key: Record<string, unknown>) =>
    (await documents.send(new GetCommand({ TableName: TABLE, Key, ConsistentRead: true }))).Item;
  const update = (Key: Record<string, unknown>, UpdateExpression: string, rest: Partial<UpdateCommandInput> = {}) =>
    documents.send(new UpdateCommand({ TableName: TABLE, Key, UpdateExpression, ReturnValues: 'ALL_NEW', ...rest }));
  const query = (input: Partial<QueryCommandInput>) => documents.send(new QueryCommand({ TableName: TABLE, ...input }));
  const failedCondition = { name: 'ConditionalCheckFailedException' };
  const fresh = (sk = 'head') => ({ pk: randomUUID(), sk });

  describe('conditions', () => {
    it('put an absent item once', async () => {
      const key = fresh();
      await put({ ...key, n: 1 }, 'attribute_not_exists(pk)');
      await expect(put({ ...key, n: 2 }, 'attribute_not_exists(pk)')).rejects.toMatchObject(failedCondition);
      expect(await get(key)).toEqual({ ...key, n: 1 });
    });

    it('let one of many concurrent writers win', async () => {
      const key = fresh();
      const writers = Array.from({ length: 20 }, (_, n) => put({ ...key, n }, 'attribute_not_exists(pk)'));
      const outcomes = await Promise.allSettled(writers);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('update only what is in the expected state', async () => {
      const key = fresh();
      await put({ ...key, state: 'RUNNING', version: 7 });
      const conclude = (version: number) =>
        update(key, 'SET #s = :s, version = version + :one', {
          ConditionExpression: '#s = :running AND version = :v',
          ExpressionAttributeNames: { '#s': 'state' },
          ExpressionAttributeValues: { ':s': 'SUCCESS', ':running': 'RUNNING', ':v': version, ':one': 1 },
        });
      await expect(conclude(6)).rejects.toMatchObject(failedCondition);
      expect((await conclude(7)).Attributes).toEqual({ ...key, state: 'SUCCESS', version: 8 });
      await expect(conclude(8)).rejects.toMatchObject(failedCondition);
    });

    it('delete only what is in the expected state, and give it back', async () => {
      const key = fresh();
      await put({ ...key, n: 1 });
      const remove = (n: number) =>
        documents.send(
          new DeleteCommand({
            TableName: TABLE,
            Key: key,
            ConditionExpression: 'n = :n',
            ExpressionAttributeValues: { ':n': n },
            ReturnValues: 'ALL_OLD',
          }),
        );
      await expect(remove(2)).rejects.toMatchObject(failedCondition);
      expect((await remove(1)).Attributes).toEqual({ ...key, n: 1 });
      expect(await get(key)).toBeUndefined();
    });

    it('give back the item that made them fail, when asked', async () => {
      const key = fresh();
      await put({ ...key, state: 'SUCCESS' });
      const asked = { TableName: TABLE, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
      const inItsOwnNotation = { Item: { pk: { S: key.pk }, sk: { S: key.sk }, state: { S: 'SUCCESS' } } };
      const item = { ...asked, Item: key, ConditionExpression: 'attribute_not_exists(pk)' };
      const one = { ...asked, Key: key, ConditionExpression: 'attribute_not_exists(pk)' };
      await expect(documents.send(new PutCommand(item))).rejects.toMatchObject(inItsOwnNotation);
      await expect(documents.send(new DeleteCommand(one))).rejects.toMatchObject(inItsOwnNotation);
      await expect(documents.send(new UpdateCommand({ ...one, UpdateExpression: 'REMOVE x' }))).rejects.toMatchObject(
        inItsOwnNotation,
      );
    });

    it.each([
      ['size(holders) < :n', { ':n': 3 }, true],
      ['size(holders) < :n', { ':n': 2 }, false],
      ['size(emptyList) = :n', { ':n': 0 }, true],
      ['size(absent) < :n', { ':n': 5 }, false],
      ['attribute_not_exists(absent)', undefined, true],
      ['attribute_not_exists(meta.branch)', undefined, false],
      ['attribute_not_exists(meta.tag)', undefined, true],
      ['attribute_exists(meta.branch) AND NOT contains(holders, :x)', { ':x': 'd9' }, true],
      ['contains(holders, :x)', { ':x': 'd1' }, true],
      ['begins_with(title, :x)', { ':x': 'shop-' }, true],
      ['attribute_type(title, :x)', { ':x': 'S' }, true],
      ['version IN (:a, :b)', { ':a': 6, ':b': 7 }, true],
      ['version BETWEEN :a AND :b', { ':a': 8, ':b': 9 }, false],
      ['title <> :x', { ':x': 'other' }, true],
      ['absent <> :x', { ':x': 'other' }, true],
      ['absent = :x OR (version > :v AND version <= :w)', { ':x': 1, ':v': 6, ':w': 7 }, true],
      ['flag = :t', { ':t': true }, true],
      ['nothing = :null', { ':null': null }, true],
    ])('%s with %j is %s', async (ConditionExpression, values, holds) => {
      const key = fresh();
      await put({
        ...key,
        holders: new Set(['d1', 'd2']),
        emptyList: [],
        meta: { branch: 'b' },
        title: 'shop-api',
        version: 7,
        flag: true,
        nothing: null,
      });
      const trying = update(key, 'REMOVE x', { ConditionExpression, ExpressionAttributeValues: values });
      if (holds) await expect(trying).resolves.toBeDefined();
      else await expect(trying).rejects.toMatchObject(failedCondition);
    });
  });

  describe('updates', () => {
    it('make the item when there is none', async () => {
      const key = fresh();
      const { Attributes } = await update(key, 'SET n = if_not_exists(n, :zero) + :one', {
        ExpressionAttributeValues: { ':zero': 0, ':one': 1 },
      });
      expect(Attributes).toEqual({ ...key, n: 1 });
    });

    it('add to a set and take from it, an empty one being no attribute', async () => {
      const key = fresh();
      const change = async (verb: string, ...ids: string[]) =>
        (await update(key, `${verb} waits :ids`, { ExpressionAttributeValues: { ':ids': new Set(ids) } })).Attributes;
      expect(await change('ADD', 'a', 'b')).toEqual({ ...key, waits: new Set(['a', 'b']) });
      expect(await change('ADD', 'b', 'c')).toEqual({ ...key, waits: new Set(['a', 'b', 'c']) });
      expect(await change('DELETE', 'b', 'x')).toEqual({ ...key, waits: new Set(['a', 'c']) });
      expect(await change('DELETE', 'a', 'c')).toEqual(key);
      expect(await change('DELETE', 'a')).toEqual(key);
    });

    it('lose no taking from a set, however concurrent: exactly one empties it', async () => {
      const key = fresh();
      const ids = Array.from({ length: 20 }, (_, n) => `d${n}`);
      await put({ ...key, waits: new Set(ids) });
      const rests = await Promise.all(
        ids.map((id) => update(key, 'DELETE waits :id', { ExpressionAttributeValues: { ':id': new Set([id]) } })),
      );
      expect(rests.filter(({ Attributes }) => Attributes?.waits === undefined)).toHaveLength(1);
    });

    it('append to a list, also to one that is not there yet', async () => {
      const key = fresh();
      const append = async (...log: string[]) =>
        (
          await update(key, 'SET #l = list_append(if_not_exists(#l, :none), :log)', {
            ExpressionAttributeNames: { '#l': 'log' },
            ExpressionAttributeValues: { ':none': [], ':log': log },
          })
        ).Attributes;
      await append('one');
      expect(await append('two', 'three')).toEqual({ ...key, log: ['one', 'two', 'three'] });
    });

    it('set and remove members of nested maps, names with dots and dashes included', async () => {
      const key = fresh();
      await put({ ...key, deploys: { 'shop.api-1': { state: 'RUNNING', tries: 1 }, db: { state: 'SUCCESS' } } });
      const { Attributes } = await update(key, 'SET deploys.#d.#s = :s, deploys.#new = :new REMOVE deploys.db', {
        ExpressionAttributeNames: { '#d': 'shop.api-1', '#s': 'state', '#new': 'web' },
        ExpressionAttributeValues: { ':s': 'ERROR', ':new': {} },
      });
      expect(Attributes).toEqual({ ...key, deploys: { 'shop.api-1': { state: 'ERROR', tries: 1 }, web: {} } });
    });

    it('refuse a path through a map that is not there', async () => {
      const key = fresh();
      await put(key);
      await expect(
        update(key, 'SET deploys.db = :x', { ExpressionAttributeValues: { ':x': 1 } }),
      ).rejects.toMatchObject({ name: 'ValidationException' });
    });

    it.each([
      ['UPDATED_NEW', { n: 2 }],
      ['UPDATED_OLD', { n: 1 }],
      ['NONE', undefined],
    ] as const)('answer with %s', async (ReturnValues, expected) => {
      const key = fresh();
      await put({ ...key, n: 1, other: 'x' });
      const { Attributes } = await update(key, 'SET n = :n', { ReturnValues, ExpressionAttributeValues: { ':n': 2 } });
      expect(Attributes).toEqual(expected);
    });

    it.each([
      ['a key', 'SET sk = :x', { ':x': 'y' }],
      ['an attribute that is a reserved word', 'SET state = :x', { ':x': 'y' }],
      ['one attribute twice', 'SET a = :x, a = :x', { ':x': 'y' }],
      ['with a value it does not use', 'SET a = :x', { ':x': 'y', ':unused': 1 }],
      ['text where it adds', 'SET title = title + :x', { ':x': 1 }],
    ])('refuse %s', async (_, expression, values) => {
      const key = fresh();
      await put({ ...key, title: 'text' });
      await expect(update(key, expression, { ExpressionAttributeValues: values })).rejects.toMatchObject({
        name: 'ValidationException',
      });
    });
  });

  describe('queries', () => {
    const names = ['audit#01', 'audit#02', 'audit#10', 'head', 'wait#a', 'wait#b'];

    async function partition() {
      const { pk } = fresh();
      for (const sk of names) await put({ pk, sk });
      return pk;
    }
    const sortKeys = (items: Record<string, unknown>[] | undefined) => items?.map(({ sk }) => sk);
    const all = (pk: string) => ({
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': pk } as Record<string, unknown>,
    });
    const begin = (pk: string, prefix: string) => ({
      KeyConditionExpression: 'pk = :p AND begins_with(sk, :s)',
      ExpressionAttributeValues: { ':p': pk, ':s': prefix } as Record<string, unknown>,
    });

    it('give a partition in the order of its sort keys, and backwards', async () => {
      const pk = await partition();
      expect(sortKeys((await query(all(pk))).Items)).toEqual(names);
      const backwards = await query({ ...all(pk), ScanIndexForward: false });
      expect(sortKeys(backwards.Items)).toEqual([...names].reverse());
    });

    it('give what begins with a text', async () => {
      const pk = await partition();
      expect(sortKeys((await query(begin(pk, 'audit#'))).Items)).toEqual(['audit#01', 'audit#02', 'audit#10']);
      expect((await query(begin(pk, 'x'))).Items).toEqual([]);
    });

    it('give the newest by a limit, backwards', async () => {
      const pk = await partition();
      const newest = await query({ ...begin(pk, 'audit#'), Limit: 1, ScanIndexForward: false });
      expect(sortKeys(newest.Items)).toEqual(['audit#10']);
    });

    it.each([true, false])('go on page by page, each item once (forward: %s)', async (ScanIndexForward) => {
      const pk = await partition();
      const pages: unknown[][] = [];
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const page = await query({ ...all(pk), Limit: 4, ScanIndexForward, ExclusiveStartKey });
        pages.push(sortKeys(page.Items) ?? []);
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
      expect(pages.flat()).toEqual(ScanIndexForward ? names : [...names].reverse());
      expect(pages.map(({ length }) => length)).toEqual([4, 2]);
    });

    it('count the limit before the filter', async () => {
      const pk = await partition();
      const page = await query({
        ...all(pk),
        Limit: 2,
        FilterExpression: 'attribute_exists(nothing)',
      });
      expect(page).toMatchObject({ Items: [], Count: 0, ScannedCount: 2, LastEvaluatedKey: { pk, sk: 'audit#02' } });
    });

    it('bound the sort key', async () => {
      const pk = await partition();
      const within = await query({
        KeyConditionExpression: 'pk = :p AND sk BETWEEN :a AND :b',
        ExpressionAttributeValues: { ':p': pk, ':a': 'audit#02', ':b': 'head' },
      });
      expect(sortKeys(within.Items)).toEqual(['audit#02', 'audit#10', 'head']);
    });

    it('order sort keys by their UTF-8 bytes', async () => {
      const { pk } = fresh();
      // In UTF-16, the order of JavaScript's own comparison, the last two stand the other way round.
      const ordered = ['A', 'a', 'é', '語', '\uff5e', '\u{1f600}'];
      for (const sk of [...ordered].reverse()) await put({ pk, sk });
      expect(sortKeys((await query(all(pk))).Items)).toEqual(ordered);
    });

    it('give only the attributes asked for, or only the count', async () => {
      const pk = await partition();
      const projected = await query({ ...begin(pk, 'head'), ProjectionExpression: 'sk' });
      expect(projected.Items).toEqual([{ sk: 'head' }]);
      const counted = await query({ ...all(pk), Select: 'COUNT' });
      expect(counted).toMatchObject({ Count: 6 });
      expect(counted.Items).toBeUndefined();
    });

    it('end a page at 1 MB', async () => {
      const { pk } = fresh();
      for (let n = 0; n < 4; n++) await put({ pk, sk: `${n}`, body: 'x'.repeat(350 * 1024) });
      const first = await query(all(pk));
      expect(first.LastEvaluatedKey).toBeDefined();
      const second = await query({ ...all(pk), ExclusiveStartKey: first.LastEvaluatedKey });
      expect(sortKeys([...(first.Items ?? []), ...(second.Items ?? [])])).toEqual(['0', '1', '2', '3']);
      expect(second.LastEvaluatedKey).toBeUndefined();
    });
  });

  describe('a sparse index', () => {
    const inIndex = (gpk: string, rest: Partial<QueryCommandInput> = {}) =>
      query({
        IndexName: 'by-g',
        KeyConditionExpression: 'gpk = :g',
        ExpressionAttributeValues: { ':g': gpk },
        ...rest,
      });

    it('holds an item as long as it has both key attributes', async () => {
      const gpk = randomUUID();
      const key = fresh();
      await put({ ...key, gpk });
      expect((await inIndex(gpk)).Items).toEqual([]);
      await update(key, 'SET gsk = :x', { ExpressionAttributeValues: { ':x': '2026' } });
      expect((await inIndex(gpk)).Items).toEqual([{ ...key, gpk, gsk: '2026' }]);
      await update(key, 'REMOVE gpk, gsk');
      expect((await inIndex(gpk)).Items).toEqual([]);
    });

    it('moves an item when its key changes, and loses it with the item', async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      const key = fresh();
      await put({ ...key, gpk: one, gsk: '1' });
      await put({ ...key, gpk: other, gsk: '1' });
      expect((await inIndex(one)).Items).toEqual([]);
      expect((await inIndex(other)).Items).toHaveLength(1);
      await documents.send(new DeleteCommand({ TableName: TABLE, Key: key }));
      expect((await inIndex(other)).Items).toEqual([]);
    });

    it('pages through items of one index key, each once', async () => {
      const gpk = randomUUID();
      const keys = Array.from({ length: 7 }, () => fresh());
      for (const key of keys) await put({ ...key, gpk, gsk: 'same' });
      const found: unknown[] = [];
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const page = await inIndex(gpk, { Limit: 3, ExclusiveStartKey });
        found.push(...(page.Items ?? []).map(({ pk }) => pk));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
      expect(found.sort()).toEqual(keys.map(({ pk }) => pk).sort());
    });

    it('can not be read strongly', async () => {
      await expect(inIndex('x', { ConsistentRead: true })).rejects.toMatchObject({ name: 'ValidationException' });
    });

    it.each([
      ['empty', ''],
      ['a number', 5],
    ])('refuses a key that is %s', async (_, gpk) => {
      await expect(put({ ...fresh(), gpk, gsk: 'x' })).rejects.toMatchObject({ name: 'ValidationException' });
    });
  });

  describe('batches', () => {
    const batchGet = async (keys: KeysAndAttributes['Keys']) =>
      documents.send(new BatchGetCommand({ RequestItems: { [TABLE]: { Keys: keys, ConsistentRead: true } } }));

    it('read 100 keys at once, those that exist', async () => {
      const keys = Array.from({ length: 100 }, () => fresh());
      await Promise.all(keys.slice(1).map((key) => put(key)));
      const { Responses, UnprocessedKeys } = await batchGet(keys as never);
      expect(new Set(Responses?.[TABLE]?.map(({ pk }) => pk))).toEqual(new Set(keys.slice(1).map(({ pk }) => pk)));
      expect(UnprocessedKeys).toEqual({});
    });

    it('refuse 101 keys, and a key twice', async () => {
      const keys = Array.from({ length: 101 }, () => fresh());
      await expect(batchGet(keys as never)).rejects.toMatchObject({ name: 'ValidationException' });
      const [key] = keys;
      await expect(batchGet([key, key] as never)).rejects.toMatchObject({ name: 'ValidationException' });
    });

    it('leave for a next call what is too much for one, in a form that can be sent again', async () => {
      // AWS stops at 16 MB; the embedded engine already near 1 MB, which a caller must be able to bear as well.
      const keys = Array.from({ length: 50 }, () => fresh());
      await Promise.all(keys.map((key) => put({ ...key, body: 'x'.repeat(350 * 1024) })));
      const found: unknown[] = [];
      let left: Record<string, KeysAndAttributes> = { [TABLE]: { Keys: keys as never, ConsistentRead: true } };
      let calls = 0;
      while (Object.keys(left).length > 0) {
        const answer = await documents.send(new BatchGetCommand({ RequestItems: left }));
        found.push(...(answer.Responses?.[TABLE] ?? []).map(({ pk }) => pk));
        left = (answer.UnprocessedKeys ?? {}) as typeof left;
        calls++;
      }
      expect(calls).toBeGreaterThan(1);
      expect(found.sort()).toEqual(keys.map(({ pk }) => pk).sort());
    });

    it('write and delete up to 25 items, with their index entries', async () => {
      const gpk = randomUUID();
      const keys = Array.from({ length: 25 }, () => fresh());
      const write = (requests: object[]) =>
        documents.send(new BatchWriteCommand({ RequestItems: { [TABLE]: requests } }));
      await write(keys.map((key) => ({ PutRequest: { Item: { ...key, gpk, gsk: 'x' } } })));
      const indexed = () =>
        query({
          IndexName: 'by-g',
          KeyConditionExpression: 'gpk = :g',
          ExpressionAttributeValues: { ':g': gpk },
        });
      expect((await indexed()).Count).toBe(25);
      await write(keys.slice(0, 20).map((Key) => ({ DeleteRequest: { Key } })));
      expect((await indexed()).Count).toBe(5);
      const [key] = keys;
      const twice = [{ PutRequest: { Item: key } }, { DeleteRequest: { Key: key } }];
      await expect(write(twice)).rejects.toMatchObject({ name: 'ValidationException' });
    });
  });

  describe('limits', () => {
    const key = { pk: 'limits', sk: 'head' };
    /** The names of three attributes and the values of two are part of an item's size. */
    const overhead = 'pk'.length + 'limits'.length + 'sk'.length + 'head'.length + 'body'.length;

    it('an item of 400 KB is taken, one byte more is refused', async () => {
      await put({ ...key, body: 'x'.repeat(400 * 1024 - overhead) });
      await expect(put({ ...key, body: 'x'.repeat(400 * 1024 - overhead + 1) })).rejects.toMatchObject({
        name: 'ValidationException',
      });
    });

    it('an item does not grow over 400 KB by updates either', async () => {
      const own = fresh();
      await put({ ...own, body: 'x'.repeat(300 * 1024) });
      const more = { ExpressionAttributeValues: { ':more': 'x'.repeat(200 * 1024) } };
      await expect(update(own, 'SET more = :more', more)).rejects.toMatchObject({ name: 'ValidationException' });
      expect(Object.keys((await get(own)) ?? {})).not.toContain('more');
    });

    it.each([
      ['an empty key', { pk: '', sk: 'x' }],
      ['a sort key of 1,025 bytes', { pk: 'x', sk: 'x'.repeat(1025) }],
      ['a partition key of 2,049 bytes', { pk: 'x'.repeat(2049), sk: 'x' }],
      ['a key of another type', { pk: 5, sk: 'x' }],
      ['a missing key', { pk: 'x' }],
    ])('%s is refused', async (_, Item) => {
      await expect(put(Item)).rejects.toMatchObject({ name: 'ValidationException' });
    });

    it('empty texts and nested empty values are values', async () => {
      const own = { ...fresh(), text: '', deep: { list: [], map: {}, text: '' } };
      await put(own);
      expect(await get(own && { pk: own.pk, sk: own.sk })).toEqual(own);
    });
  });

  it('a scan gives every item once, page by page', async () => {
    const mark = randomUUID();
    const keys = Array.from({ length: 9 }, () => fresh());
    for (const key of keys) await put({ ...key, mark });
    const found: unknown[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const page = await documents.send(
        new ScanCommand({
          TableName: TABLE,
          Limit: 50,
          FilterExpression: 'mark = :m',
          ExpressionAttributeValues: { ':m': mark },
          ExclusiveStartKey,
        }),
      );
      found.push(...(page.Items ?? []).map(({ pk }) => pk));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    expect(found.sort()).toEqual(keys.map(({ pk }) => pk).sort());
  });

  it('a table that is not there is named as such', async () => {
    await expect(
      documents.send(new GetCommand({ TableName: 'absent', Key: { pk: 'x', sk: 'x' } })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});
