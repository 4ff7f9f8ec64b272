import { describe, expect, it } from 'vitest';
import { openDynamoDb } from '../../../local/dynamodb/dynamodb.ts';
import { keeping } from '../../../local/dynamodb/expression-cache.ts';
import { TABLE, table } from './table.ts';

describe('kept parses', () => {
  /** Gives back where the values stand, and marks what it used, as dynalite's parsers do. */
  function counting() {
    let calls = 0;
    const parse = keeping((text, { context }) => {
      calls++;
      const used = text.split(' ').filter((word) => word in context.unusedAttrVals);
      for (const name of used) delete context.unusedAttrVals[name];
      return { args: used.map((name) => context.attrVals?.[name]), text };
    });
    const ask = (text: string, attrVals: Record<string, object>, attrNames: Record<string, string> = {}) => {
      const unusedAttrVals = Object.fromEntries(Object.keys(attrVals).map((name) => [name, true as const]));
      const result = parse(text, { context: { attrNames, attrVals, unusedAttrNames: {}, unusedAttrVals } });
      return { result, unused: Object.keys(unusedAttrVals) };
    };
    return { ask, calls: () => calls };
  }

  it('serve the next call with its own values, and mark what it used', () => {
    const { ask, calls } = counting();
    ask('n = :a', { ':a': { N: '1' }, ':b': { N: '2' } });
    expect(ask('n = :a', { ':a': { N: '3' }, ':b': { N: '4' } })).toEqual({
      result: { args: [{ N: '3' }], text: 'n = :a' },
      unused: [':b'],
    });
    expect(calls()).toBe(1);
  });

  it.each([
    ['another text', 'm = :a', { ':a': { N: '1' } }, {}],
    ['a value of another type', 'n = :a', { ':a': { S: '1' } }, {}],
    ['another name', 'n = :a', { ':a': { N: '1' } }, { '#n': 'x' }],
  ])('do not serve %s', (_, text, values, names) => {
    const { ask, calls } = counting();
    ask('n = :a', { ':a': { N: '1' } });
    ask(text, values, names);
    expect(calls()).toBe(2);
  });

  it('are not changed by what a call does to its result', () => {
    const { ask } = counting();
    const values = { ':a': { N: '1' } };
    ask('n = :a', values);
    const second = ask('n = :a', values).result as { args: unknown[] };
    second.args.length = 0;
    expect(ask('n = :a', values).result).toMatchObject({ args: [{ N: '1' }] });
  });

  it('leave expressions alone that depend on what a value holds', async () => {
    const db = await openDynamoDb();
    await db.call('CreateTable', table);
    const between = (low: string, high: string) =>
      db.call('Query', {
        TableName: TABLE,
        KeyConditionExpression: 'pk = :p AND sk BETWEEN :a AND :b',
        ExpressionAttributeValues: { ':p': { S: 'p' }, ':a': { S: low }, ':b': { S: high } },
      });
    await expect(between('a', 'b')).resolves.toMatchObject({ Count: 0 });
    await expect(between('b', 'a')).rejects.toMatchObject({ code: 'ValidationException' });
  });

  it('turn a key condition the right way round every time', async () => {
    const db = await openDynamoDb();
    await db.call('CreateTable', table);
    for (const sk of ['1', '2', '3']) {
      await db.call('PutItem', { TableName: TABLE, Item: { pk: { S: 'p' }, sk: { S: sk } } });
    }
    const above = (sk: string) =>
      db.call('Query', {
        TableName: TABLE,
        KeyConditionExpression: 'pk = :p AND :a < sk',
        ExpressionAttributeValues: { ':p': { S: 'p' }, ':a': { S: sk } },
      });
    expect(await above('1')).toMatchObject({ Count: 2 });
    expect(await above('2')).toMatchObject({ Count: 1 });
    expect(await above('1')).toMatchObject({ Count: 2 });
  });
});
