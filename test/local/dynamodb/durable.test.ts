import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDynamoDb } from '../../../local/dynamodb/dynamodb.ts';
import { LevelStore, StorageUnavailable, storageFault } from '../../../local/dynamodb/level-store.ts';
import { TABLE, table } from './table.ts';

const Item = { pk: { S: 'a' }, sk: { S: 'b' }, gpk: { S: 'g' }, gsk: { S: '1' } };
type Written = Record<'pk' | 'gpk' | 'gsk', { S: string }>;

let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'dynamodb-'));
});

afterEach(async () => {
  await rm(path, { recursive: true, force: true });
});

describe('the durable DynamoDB', () => {
  it('has its tables, items and index entries after it was closed and opened', async () => {
    const first = await openDynamoDb({ path });
    await first.call('CreateTable', table);
    await first.call('PutItem', { TableName: TABLE, Item });
    await first.close();
    const second = await openDynamoDb({ path });
    expect(await second.call('GetItem', { TableName: TABLE, Key: { pk: Item.pk, sk: Item.sk } })).toEqual({ Item });
    expect(
      await second.call('Query', {
        TableName: TABLE,
        IndexName: 'by-g',
        KeyConditionExpression: 'gpk = :g',
        ExpressionAttributeValues: { ':g': { S: 'g' } },
      }),
    ).toMatchObject({ Items: [Item] });
    await second.close();
  });

  it('has each item in the index as it is in the table, wherever the process was killed', {
    timeout: 60_000,
  }, async () => {
    const script = join(import.meta.dirname, 'busy-writer.ts');
    const writer = spawn(process.execPath, ['--import', 'tsx', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let acknowledged = 0;
    for await (const line of createInterface({ input: writer.stdout })) {
      acknowledged = Number(line);
      if (acknowledged === 300) writer.kill('SIGKILL');
    }
    const db = await openDynamoDb({ path });
    const inTable = (await db.call('Scan', { TableName: TABLE, ConsistentRead: true })) as { Items: Written[] };
    const inIndex = (await db.call('Scan', { TableName: TABLE, IndexName: 'by-g' })) as { Items: Written[] };
    await db.close();
    const byKey = (items: Written[]) => items.map((item) => `${item.pk.S} ${item.gpk.S} ${item.gsk.S}`).sort();
    expect(byKey(inIndex.Items)).toEqual(byKey(inTable.Items));
    expect(inTable.Items).toHaveLength(10);
    expect(Math.max(...inTable.Items.map(({ gsk }) => Number(gsk.S)))).toBeGreaterThanOrEqual(acknowledged);
  });

  it('finishes what a crash left of a table that was being created or deleted', async () => {
    const first = await openDynamoDb({ path });
    await first.call('CreateTable', table);
    await first.call('PutItem', { TableName: TABLE, Item });
    await first.close();
    const store = await LevelStore.open(path);
    const whole = JSON.parse(store.get('table', TABLE) ?? '');
    const half = (TableName: string, TableStatus: string) => ({
      space: 'table',
      key: TableName,
      value: JSON.stringify({ ...whole, TableName, TableStatus }),
    });
    await store.write([half(TABLE, 'DELETING'), half('begun', 'CREATING')]);
    await store.close();
    const second = await openDynamoDb({ path });
    expect(await second.call('ListTables', {})).toEqual({ TableNames: ['begun'] });
    await second.call('PutItem', { TableName: 'begun', Item });
    await second.call('CreateTable', table);
    expect(await second.call('Scan', { TableName: TABLE })).toMatchObject({ Count: 0 });
    expect(await second.call('Scan', { TableName: TABLE, IndexName: 'by-g' })).toMatchObject({ Count: 0 });
    await second.close();
  });

  it('says that its folder is in use by another process', async () => {
    const script = `const { ClassicLevel } = require('classic-level');
      new ClassicLevel(process.argv[1]).open().then(() => console.log('open'), (error) => console.log(error.code));
      process.stdin.resume();`;
    const holder = spawn(process.execPath, ['-e', script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [said] = await once(holder.stdout, 'data');
    expect(String(said).trim()).toBe('open');
    await expect(openDynamoDb({ path })).rejects.toMatchObject({ name: 'StorageUnavailable', reason: 'in-use', path });
    holder.stdin.end();
    holder.kill();
    await once(holder, 'exit');
  });

  it('says that its folder is in use by itself', async () => {
    const first = await openDynamoDb({ path });
    await expect(openDynamoDb({ path })).rejects.toMatchObject({ reason: 'in-use' });
    await first.close();
  });

  it('leaves a folder alone that holds something else', async () => {
    await writeFile(join(path, 'thesis.txt'), 'years of work');
    await expect(openDynamoDb({ path })).rejects.toMatchObject({ reason: 'unreadable' });
  });

  it('does not take a file for a folder', async () => {
    const file = join(path, 'file');
    await writeFile(file, '');
    await expect(openDynamoDb({ path: file })).rejects.toBeInstanceOf(StorageUnavailable);
  });

  it('does not take a damaged database for an empty one', async () => {
    const first = await openDynamoDb({ path });
    await first.close();
    await writeFile(join(path, 'CURRENT'), 'nonsense');
    await expect(openDynamoDb({ path })).rejects.toMatchObject({ reason: 'unreadable' });
  });

  it.each([
    [{ code: 'LEVEL_LOCKED', message: 'IO error: lock /data/LOCK: already held by process' }, 'in-use'],
    [{ code: 'LEVEL_IO_ERROR', message: 'IO error: /data/LOCK: Permission denied' }, 'read-only'],
    [{ code: 'LEVEL_IO_ERROR', message: 'IO error: /data/LOCK: Read-only file system' }, 'read-only'],
    [{ code: 'EROFS', message: 'EROFS: read-only file system, mkdir' }, 'read-only'],
    [{ code: 'LEVEL_CORRUPTION', message: 'Corruption: no meta-nextfile entry' }, 'unreadable'],
  ])('takes %j for %s', ({ code, message }, reason) => {
    expect(storageFault('/data', Object.assign(new Error(message), { code })).reason).toBe(reason);
  });
});
