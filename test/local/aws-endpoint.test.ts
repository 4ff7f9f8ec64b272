import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Activity } from '../../local/activity.ts';
import { awsEndpoint } from '../../local/aws-endpoint.ts';
import { VirtualClock } from '../../local/clock.ts';
import { openDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { EventBridge } from '../../local/eventbridge/eventbridge.ts';
import { TABLE, table } from './dynamodb/table.ts';

async function services() {
  const db = await openDynamoDb();
  await db.call('CreateTable', table);
  const events = new EventBridge({
    clock: new VirtualClock(Date.parse('2026-10-12T20:00:00Z')),
    activity: new Activity(),
    account: '000000000000',
    region: 'eu-south-1',
    rules: [
      {
        name: 'conclusions',
        bus: 'renga',
        pattern: { source: ['renga'] },
        targets: [{ id: 'handler', functionName: 'handle-event' }],
      },
    ],
    deliver: async () => {},
  });
  return [db, events];
}

describe('the AWS endpoint', () => {
  const ask = async (headers: Record<string, string>, body: string) =>
    awsEndpoint(await services())(new Request('http://127.0.0.1/', { method: 'POST', headers, body }));

  it('reads no request of more than 16 MiB, whatever length it announced', async () => {
    const chunk = new Uint8Array(1024 * 1024);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(chunk);
      },
    });
    const headers = { 'x-amz-target': 'DynamoDB_20120810.PutItem' };
    const request = new Request('http://127.0.0.1/', { method: 'POST', headers, body, duplex: 'half' });
    const answer = await awsEndpoint(await services())(request);
    expect(answer?.status).toBe(413);
    expect(await answer?.json()).toMatchObject({ __type: 'RequestEntityTooLargeException' });
    expect(sent).toBeLessThan(20);
  });

  it('leaves a request alone that does not name an AWS operation', async () => {
    expect(await ask({}, '{}')).toBeUndefined();
  });

  it('answers in the content type it was asked in, with a request id and a checksum', async () => {
    const headers = { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' };
    const response = await ask(headers, '{}');
    expect(await response?.json()).toEqual({ TableNames: [TABLE] });
    expect(Object.fromEntries(response?.headers ?? [])).toMatchObject({
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-crc32': expect.stringMatching(/^\d+$/),
      'x-amzn-requestid': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it.each([
    ['DynamoDB_20120810.ListTables', '{', 400, 'SerializationException'],
    ['DynamoDB_20120810.DescribeTable', '{"TableName":"absent"}', 400, 'ResourceNotFoundException'],
    ['Kinesis_20131202.ListStreams', '{}', 400, 'UnknownOperationException'],
  ])('answers %s with %s by %i %s', async (target, body, status, type) => {
    const response = await ask({ 'x-amz-target': target }, body);
    expect(response?.status).toBe(status);
    expect(await response?.json()).toMatchObject({ __type: type });
  });
});

const command = (process.env.PATH ?? '')
  .split(':')
  .map((folder) => `${folder}/aws`)
  .find((path) => existsSync(path));
if (command === undefined) console.log('The `aws` command is not tried: there is none on PATH.');

describe.runIf(command !== undefined)('the aws command with --endpoint-url', () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    const endpoint = awsEndpoint(await services());
    const notFound = () => new Response('not found', { status: 404 });
    server = createServer(getRequestListener(async (request) => (await endpoint(request)) ?? notFound()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.close();
  });

  const aws = async (...args: string[]): Promise<unknown> => {
    const env = {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_REGION: 'eu-south-1',
      AWS_DEFAULT_REGION: 'eu-south-1',
      AWS_PAGER: '',
    };
    const { stdout } = await promisify(execFile)(
      command ?? 'aws',
      ['--endpoint-url', url, '--output', 'json', ...args],
      {
        env,
      },
    );
    return stdout === '' ? undefined : JSON.parse(stdout);
  };

  it('reads and writes tables', { timeout: 120_000 }, async () => {
    const Item = { pk: { S: 'a' }, sk: { S: 'b' } };
    const named = ['--table-name', TABLE];
    expect(await aws('dynamodb', 'list-tables')).toEqual({ TableNames: [TABLE] });
    await aws('dynamodb', 'put-item', ...named, '--item', JSON.stringify(Item));
    expect(await aws('dynamodb', 'get-item', ...named, '--key', JSON.stringify(Item))).toEqual({ Item });
    expect(await aws('dynamodb', 'scan', ...named)).toMatchObject({ Count: 1, Items: [Item] });
    const condition = ['--key-condition-expression', 'pk = :p', '--expression-attribute-values', '{":p":{"S":"a"}}'];
    expect(await aws('dynamodb', 'query', ...named, ...condition)).toMatchObject({ Items: [Item] });
    await expect(aws('dynamodb', 'scan', '--table-name', 'absent')).rejects.toThrow('ResourceNotFoundException');
  });

  it('puts events and looks at rules', { timeout: 120_000 }, async () => {
    const entry = { Source: 'renga', DetailType: 'Concluded', Detail: '{}', EventBusName: 'renga' };
    expect(await aws('events', 'put-events', '--entries', JSON.stringify([entry]))).toMatchObject({
      FailedEntryCount: 0,
      Entries: [{ EventId: expect.any(String) }],
    });
    expect(await aws('events', 'list-event-buses')).toMatchObject({
      EventBuses: [{ Name: 'default' }, { Name: 'renga' }],
    });
    expect(await aws('events', 'list-rules', '--event-bus-name', 'renga')).toMatchObject({
      Rules: [{ Name: 'conclusions', EventPattern: '{"source":["renga"]}', State: 'ENABLED' }],
    });
    const of = ['--rule', 'conclusions', '--event-bus-name', 'renga'];
    expect(await aws('events', 'list-targets-by-rule', ...of)).toEqual({
      Targets: [{ Id: 'handler', Arn: 'arn:aws:lambda:eu-south-1:000000000000:function:handle-event' }],
    });
  });
});
