import validations from 'dynalite/validations/index.js';
import { AwsError, type AwsService } from '../aws-service.ts';
import { ConsumedUnits, type Item, readUnits, writeUnits } from './consumed-units.ts';
import { indexKeys, typeMismatch } from './index-keys.ts';
import { KeyLocks } from './key-locks.ts';
import { LevelStore } from './level-store.ts';
import { MemoryStore } from './memory-store.ts';
import { OperationStore, type Storage } from './operation-store.ts';
import { type Action, batchWriteRules, deleteItem, describeTable, dynaliteOperations, putItem } from './operations.ts';
import { asAwsError } from './refusal.ts';
import { TimeToLive } from './time-to-live.ts';
import { finishTables } from './unfinished-tables.ts';
import { keyOf, type TableKeys, type WriteRequest } from './write-requests.ts';

export interface DynamoDbOptions {
  /** Folder of the durable store; absent: everything is in memory, for as long as the object lives. */
  readonly path?: string;
  /** Tables are usable as soon as the call that creates them answers; no other pace is offered. */
  readonly createTableMs?: 0;
  readonly account?: string;
  readonly region?: string;
}

export interface EmbeddedDynamoDb extends AwsService {
  /** What the calls would be billed for. */
  readonly counters: ConsumedUnits;
  /** Releases the folder. Calls under way are finished first. */
  close(): Promise<void>;
}

/**
 * DynamoDB in this process: dynalite's own checks and actions over our storage, without a socket.
 * @throws StorageUnavailable when the folder is in use, can't be written or is no database
 */
export async function openDynamoDb(options: DynamoDbOptions = {}): Promise<EmbeddedDynamoDb> {
  const store = options.path === undefined ? new MemoryStore() : await LevelStore.open(options.path);
  await finishTables(store);
  return new DynamoDb({
    store,
    locks: new KeyLocks(),
    tables: new Map(),
    account: options.account ?? '000000000000',
    region: options.region ?? 'us-east-1',
  });
}

type Input = Record<string, unknown>;
type Output = Record<string, unknown>;

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);
const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);
const TABLE_CHANGES = new Set(['CreateTable', 'UpdateTable', 'DeleteTable']);

class DynamoDb implements EmbeddedDynamoDb {
  readonly target = 'DynamoDB_20120810';
  readonly counters = new ConsumedUnits();
  readonly #storage: Storage;
  readonly #timeToLive: TimeToLive;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#timeToLive = new TimeToLive(storage.store);
  }

  call(operation: string, input: unknown): Promise<unknown> {
    const answer = this.#answer(operation, input);
    this.#underWay.add(answer);
    const over = () => this.#underWay.delete(answer);
    answer.then(over, over);
    return answer;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.#storage.store.close();
  }

  async #answer(operation: string, input: unknown): Promise<unknown> {
    this.counters.of(operation).calls++;
    const members: Input = { ...(input as Input | undefined) };
    switch (operation) {
      case 'BatchWriteItem':
        return this.#batchWrite(members);
      case 'DescribeTimeToLive':
        await this.#describe(members);
        return this.#timeToLive.describe(members);
      case 'UpdateTimeToLive':
        await this.#describe(members);
        return this.#timeToLive.update(members);
      case 'DescribeContinuousBackups':
        await this.#describe(members);
        return { ContinuousBackupsDescription: { ContinuousBackupsStatus: 'DISABLED' } };
    }
    const known = dynaliteOperations.get(operation);
    if (known === undefined) {
      throw new AwsError('UnknownOperationException', `${operation} is not offered by the embedded DynamoDB.`);
    }
    const returnOld = members.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
    return this.#perform(operation, known.action, this.#checked(known.rules, members), returnOld);
  }

  /** The table's description, read for our own use and so not counted. */
  async #describe({ TableName }: Input): Promise<TableKeys> {
    const { rules, action } = describeTable;
    const output = await this.#perform('DescribeTable', action, this.#checked(rules, { TableName }), false);
    return output.Table as TableKeys;
  }

  #checked(rules: typeof batchWriteRules, members: Input): Input {
    try {
      const data = validations.checkTypes(members, rules.types);
      validations.checkValidations(
        data,
        rules.types,
        rules.custom,
        new OperationStore(this.#storage, undefined, () => {}),
      );
      return data;
    } catch (error) {
      throw asAwsError(error);
    }
  }

  async #perform(
    operation: string,
    action: Action,
    data: Input,
    returnOld: boolean,
    countAs = operation,
  ): Promise<Output> {
    const { promise, resolve, reject } = settleable<Output>();
    const view = new OperationStore(this.#storage, data.ExclusiveStartKey as Item | undefined, reject);
    try {
      action(view, data, (error, output) => (error ? reject(error) : resolve(output ?? {})));
      const output = await promise;
      if (TABLE_CHANGES.has(operation)) {
        const before = structuredClone(output);
        await view.settled;
        if (operation === 'DeleteTable') await this.#timeToLive.forget(String(data.TableName));
        return before;
      }
      this.#count(countAs, operation, view, data, output);
      return output;
    } catch (thrown) {
      const error = asAwsError(thrown);
      if (error instanceof AwsError && error.code === 'ConditionalCheckFailedException') {
        this.counters.of(countAs).writeUnits += writeUnits(view.previous, undefined);
        if (returnOld && view.previous !== undefined) {
          throw new AwsError(error.code, error.message, error.status, { Item: view.previous });
        }
      }
      throw operation === 'UpdateItem' && error instanceof TypeError ? this.#indexKeyRefusal(data, error) : error;
    } finally {
      view.end();
    }
  }

  #count(countAs: string, operation: string, view: OperationStore, data: Input, output: Output): void {
    const count = this.counters.of(countAs);
    if (WRITES.has(operation)) count.writeUnits += view.writeUnits;
    if (!READS.has(operation)) return;
    if (operation === 'BatchGetItem') {
      const consistent = Object.values(data.RequestItems as Record<string, Input>).some((one) => one.ConsistentRead);
      for (const size of view.readSizes) count.readUnits += readUnits(size, consistent);
      return;
    }
    const scanned = operation === 'GetItem' ? 1 : Number(output.ScannedCount ?? 0);
    const bytes = view.readSizes.slice(0, scanned).reduce((sum, size) => sum + size, 0);
    count.readUnits += readUnits(bytes, data.ConsistentRead === true);
  }

  /** dynalite trips over an index key whose wrong type comes from another attribute; AWS refuses it. */
  #indexKeyRefusal(data: Input, error: TypeError): unknown {
    const text = this.#storage.store.get('table', String(data.TableName));
    const changed = JSON.stringify((data._updates as { paths?: unknown } | undefined)?.paths ?? []);
    const key =
      text && indexKeys(JSON.parse(text)).find(({ attribute }) => changed.includes(JSON.stringify(attribute)));
    if (!key) return error;
    return new AwsError('ValidationException', typeMismatch(key.attribute, key.type ?? '', 'other', key.index));
  }

  async #batchWrite(members: Input): Promise<Output> {
    const data = this.#checked(batchWriteRules, members);
    const requests = Object.entries(data.RequestItems as Record<string, WriteRequest[]>);
    const seen = new Set<string>();
    for (const [TableName, entries] of requests) {
      const { KeySchema } = await this.#describe({ TableName });
      for (const entry of entries) {
        const id = JSON.stringify([TableName, keyOf(entry, KeySchema)]);
        if (seen.has(id)) {
          throw new AwsError('ValidationException', 'Provided list of item keys contains duplicates');
        }
        seen.add(id);
      }
    }
    await Promise.all(
      requests.flatMap(([TableName, entries]) =>
        entries.map(({ PutRequest, DeleteRequest }) => {
          const one = { TableName, ...PutRequest, ...DeleteRequest };
          return PutRequest
            ? this.#perform('PutItem', putItem, one, false, 'BatchWriteItem')
            : this.#perform('DeleteItem', deleteItem, one, false, 'BatchWriteItem');
        }),
      ),
    );
    return { UnprocessedItems: {} };
  }
}

function settleable<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
