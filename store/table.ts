/**
 * Thin access to the table: strong reads, and writes whose condition is one of a few named clauses. What must hold over
 * several items is kept by deciding in one item and repeating the rest; there are no transactions.
 */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { type Attributes, fromAttributes, toAttributes } from './attributes.ts';
import { INDEXES, type IndexName, type Key } from './schema.ts';

export type Item = Readonly<Record<string, unknown>> & Key;

/** A named condition of a write: refused means that somebody else got there first. */
export const conditions = {
  absent: { expression: 'attribute_not_exists(pk)', values: {} },
  present: { expression: 'attribute_exists(pk)', values: {} },
  /** Whatever is there: the write says the same in every case. */
  anyway: { expression: 'attribute_exists(pk) OR attribute_not_exists(pk)', values: {} },
  /** Nothing is there, or only what is older. */
  olderThan: (at: number) => ({
    expression: 'attribute_not_exists(pk) OR #at < :at',
    values: { ':at': at },
    names: { '#at': 'at' },
  }),
  /** Nothing has been reported, or only what has a smaller number. */
  reportedBefore: (seq: number) => ({
    expression: 'attribute_not_exists(pk) OR reportSeq < :seq',
    values: { ':seq': seq },
  }),
  /** It is there, and nobody has answered it. */
  unanswered: { expression: 'attribute_exists(pk) AND attribute_not_exists(answer)', values: {} },
  /** It is there, and has no ticket yet. */
  unticketed: { expression: 'attribute_exists(pk) AND attribute_not_exists(ticket)', values: {} },
  /** Nobody has decided anything yet. */
  undecided: { expression: 'attribute_not_exists(seq)', values: {} },
  /** Nobody holds the turn and nobody is in line for it. */
  free: {
    expression: 'attribute_not_exists(holder) AND (attribute_not_exists(waiting) OR size(waiting) = :none)',
    values: { ':none': 0 },
  },
  /** This one holds the turn, and nobody is in line for it. */
  heldAlone: (holder: string) => ({
    expression: 'holder = :holder AND size(waiting) = :none',
    values: { ':holder': holder, ':none': 0 },
  }),
  /** The machine waits for this job and no other, or its end has not been read. */
  underWay: (job: string) => ({ expression: 'jobKey = :job', values: { ':job': job } }),
  /** Its jobs have got to this one, or none has been read yet. */
  cameTo: (job: string) => ({
    expression: 'attribute_exists(pk) AND (attribute_not_exists(cameTo) OR cameTo = :job)',
    values: { ':job': job },
  }),
  /** Nobody has decided anything since `seq` was read, and no job has begun since either. */
  unchangedBetweenJobs: (seq: number) => ({
    expression: 'seq = :expected AND attribute_not_exists(jobKey)',
    values: { ':expected': seq },
  }),
  /** Nobody has decided anything since `seq` was read. */
  unchangedSince: (seq: number) => ({ expression: 'seq = :expected', values: { ':expected': seq } }),
} as const;
export type Condition = {
  readonly expression: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly names?: Readonly<Record<string, string>> | undefined;
};

export interface Change {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  /** Numbers to add to attributes; one that is absent counts as 0. */
  readonly add?: Readonly<Record<string, number>>;
  /** Members to take out of a set of strings. */
  readonly take?: Readonly<Record<string, ReadonlySet<string>>>;
}

const GET_AT_ONCE = 100;
const WRITE_AT_ONCE = 25;
/** A batch may come back in part when the table is throttled; after this many turns the caller's own retry takes over. */
const BATCH_TURNS = 8;

export class Table {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly name: string,
  ) {}

  async get(key: Key): Promise<Item | undefined> {
    const answer = await this.client.send(
      new GetItemCommand({ TableName: this.name, Key: toAttributes({ ...key }), ConsistentRead: true }),
    );
    return answer.Item && itemOf(answer.Item);
  }

  /** Strong reads of any number of keys; what does not exist is left out, the order is the table's. */
  async getMany(all: readonly Key[]): Promise<Item[]> {
    const pages: Key[][] = [];
    for (let start = 0; start < all.length; start += GET_AT_ONCE) pages.push(all.slice(start, start + GET_AT_ONCE));
    return (await Promise.all(pages.map((page) => this.#getPage(page)))).flat();
  }

  async #getPage(page: readonly Key[]): Promise<Item[]> {
    const found: Item[] = [];
    let left = page.map((key) => toAttributes({ ...key }));
    for (let turn = 0; left.length > 0; turn++) {
      if (turn === BATCH_TURNS) throw new Error(`DynamoDB left ${left.length} keys unread after ${BATCH_TURNS} turns`);
      const answer = await this.client.send(
        new BatchGetItemCommand({ RequestItems: { [this.name]: { Keys: left, ConsistentRead: true } } }),
      );
      found.push(...(answer.Responses?.[this.name] ?? []).map(itemOf));
      left = answer.UnprocessedKeys?.[this.name]?.Keys ?? [];
    }
    return found;
  }

  /** Writes the item if `condition` holds; false when it does not. */
  async put(item: Item, condition?: Condition): Promise<boolean> {
    return refusable(async () => {
      await this.client.send(
        new PutItemCommand({
          TableName: this.name,
          Item: toAttributes(item),
          ...(condition !== undefined && {
            ConditionExpression: condition.expression,
            ...(condition.names !== undefined && { ExpressionAttributeNames: { ...condition.names } }),
            ...(Object.keys(condition.values).length > 0 && {
              ExpressionAttributeValues: toAttributes(condition.values),
            }),
          }),
        }),
      );
      return true;
    }, false);
  }

  /** Writes and deletes without conditions: only for items that are the same whoever writes them. */
  async writeMany(puts: readonly Item[], deletes: readonly Key[] = []): Promise<void> {
    const requests: WriteRequest[] = [
      ...puts.map((item) => ({ PutRequest: { Item: toAttributes(item) } })),
      ...deletes.map((key) => ({ DeleteRequest: { Key: toAttributes({ ...key }) } })),
    ];
    const pages: WriteRequest[][] = [];
    for (let start = 0; start < requests.length; start += WRITE_AT_ONCE) {
      pages.push(requests.slice(start, start + WRITE_AT_ONCE));
    }
    await Promise.all(pages.map((page) => this.#writePage(page)));
  }

  async #writePage(page: WriteRequest[]): Promise<void> {
    let left = page;
    for (let turn = 0; left.length > 0; turn++) {
      if (turn === BATCH_TURNS)
        throw new Error(`DynamoDB left ${left.length} writes undone after ${BATCH_TURNS} turns`);
      const answer = await this.client.send(new BatchWriteItemCommand({ RequestItems: { [this.name]: left } }));
      left = answer.UnprocessedItems?.[this.name] ?? [];
    }
  }

  /** Changes attributes of an item; answers the whole item as it then is, or undefined when `condition` does not hold. */
  async update(key: Key, change: Change, condition: Condition): Promise<Item | undefined> {
    const names: Record<string, string> = { ...condition.names };
    const values: Record<string, unknown> = { ...condition.values };
    const clauses: string[] = [];
    const set = Object.entries(change.set ?? {}).map(([attribute, value], index) => {
      names[`#s${index}`] = attribute;
      values[`:s${index}`] = value;
      return `#s${index} = :s${index}`;
    });
    if (set.length > 0) clauses.push(`SET ${set.join(', ')}`);
    const remove = (change.remove ?? []).map((attribute, index) => {
      names[`#r${index}`] = attribute;
      return `#r${index}`;
    });
    if (remove.length > 0) clauses.push(`REMOVE ${remove.join(', ')}`);
    const add = Object.entries(change.add ?? {}).map(([attribute, number], index) => {
      names[`#a${index}`] = attribute;
      values[`:a${index}`] = number;
      return `#a${index} :a${index}`;
    });
    if (add.length > 0) clauses.push(`ADD ${add.join(', ')}`);
    const take = Object.entries(change.take ?? {}).map(([attribute, members], index) => {
      names[`#t${index}`] = attribute;
      values[`:t${index}`] = members;
      return `#t${index} :t${index}`;
    });
    if (take.length > 0) clauses.push(`DELETE ${take.join(', ')}`);
    return refusable(async () => {
      const answer = await this.client.send(
        new UpdateItemCommand({
          TableName: this.name,
          Key: toAttributes({ ...key }),
          UpdateExpression: clauses.join(' '),
          ConditionExpression: condition.expression,
          ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
          ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: toAttributes(values) }),
          ReturnValues: 'ALL_NEW',
        }),
      );
      return answer.Attributes && itemOf(answer.Attributes);
    }, undefined);
  }

  async delete(key: Key): Promise<void> {
    await this.client.send(new DeleteItemCommand({ TableName: this.name, Key: toAttributes({ ...key }) }));
  }

  /** Every item of a partition whose sort key starts with `prefix`, in the key's order; reads strongly, page after page. */
  async *partition(pk: string, prefix?: string, newestFirst = false): AsyncGenerator<Item> {
    let from: Attributes | undefined;
    do {
      const answer = await this.client.send(
        new QueryCommand({
          TableName: this.name,
          ConsistentRead: true,
          // A prefix that is empty is no key for DynamoDB, which refuses it.
          KeyConditionExpression: prefix === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
          ExpressionAttributeValues: { ':pk': { S: pk }, ...(prefix !== undefined && { ':prefix': { S: prefix } }) },
          ScanIndexForward: !newestFirst,
          ...(from !== undefined && { ExclusiveStartKey: from }),
        }),
      );
      yield* (answer.Items ?? []).map(itemOf);
      from = answer.LastEvaluatedKey;
    } while (from !== undefined);
  }

  /** One page of an index (eventually consistent: only for lists and sweeps, never for a decision). */
  async page(query: {
    index: IndexName;
    partition: string;
    /** Only sort keys up to this one. */
    upTo?: string | number;
    limit: number;
    newestFirst: boolean;
    from?: Record<string, unknown> | undefined;
  }): Promise<{ items: Item[]; next: Record<string, unknown> | undefined }> {
    const index = INDEXES[query.index];
    const answer = await this.client.send(
      new QueryCommand({
        TableName: this.name,
        IndexName: index.name,
        KeyConditionExpression: query.upTo === undefined ? '#p = :p' : '#p = :p AND #s <= :s',
        ExpressionAttributeNames: { '#p': index.partition, ...(query.upTo !== undefined && { '#s': index.sort }) },
        ExpressionAttributeValues: toAttributes({ ':p': query.partition, ':s': query.upTo }),
        ScanIndexForward: !query.newestFirst,
        Limit: query.limit,
        ...(query.from !== undefined && { ExclusiveStartKey: toAttributes(query.from) }),
      }),
    );
    const { Items: items = [], LastEvaluatedKey: last } = answer;
    return { items: items.map(itemOf), next: last && fromAttributes(last) };
  }
}

function itemOf(attributes: Attributes): Item {
  return fromAttributes(attributes) as Item;
}

async function refusable<T>(write: () => Promise<T>, refused: T): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return refused;
    throw error;
  }
}
