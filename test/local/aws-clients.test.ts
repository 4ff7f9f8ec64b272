import { CreateTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ExecutionDoesNotExist, StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { awsClients } from '../../local/aws-clients.ts';
import { AwsError, type AwsService } from '../../local/aws-service.ts';
import { openDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { fence } from '../../local/fence.ts';
import { TABLE, table } from './dynamodb/table.ts';

function recording(target: string, answer: (operation: string) => unknown) {
  const calls: { operation: string; input: unknown }[] = [];
  const service: AwsService = {
    target,
    async call(operation, input) {
      calls.push({ operation, input });
      return answer(operation);
    },
  };
  return { calls, service };
}

describe('SDK clients in process', () => {
  it('bring an operation and its input to the service, and its output back', async () => {
    const { calls, service } = recording('AWSStepFunctions', () => ({
      executionArn: 'arn:x',
      startDate: 1_700_000_000.5,
    }));
    const { stepFunctions } = awsClients([service], 'eu-south-1');
    const output = await stepFunctions.send(new StartExecutionCommand({ stateMachineArn: 'arn:m', input: '{"語":1}' }));
    expect(calls).toEqual([{ operation: 'StartExecution', input: { stateMachineArn: 'arn:m', input: '{"語":1}' } }]);
    expect(output).toMatchObject({ executionArn: 'arn:x', startDate: new Date(1_700_000_000_500) });
  });

  it('throw the typed exception of an AwsError', async () => {
    const { service } = recording('AWSStepFunctions', () => {
      throw new AwsError('ExecutionDoesNotExist', 'Execution Does Not Exist: arn:x');
    });
    const { stepFunctions } = awsClients([service], 'eu-south-1');
    const stopping = stepFunctions.send(new StopExecutionCommand({ executionArn: 'arn:x' }));
    await expect(stopping).rejects.toBeInstanceOf(ExecutionDoesNotExist);
    await expect(stopping).rejects.toThrow('Execution Does Not Exist: arn:x');
  });

  it('call once, whatever the answer', async () => {
    const { calls, service } = recording('AWSEvents', () => {
      throw new Error('out of order');
    });
    const { events } = awsClients([service], 'eu-south-1');
    await expect(events.send(new PutEventsCommand({ Entries: [] }))).rejects.toMatchObject({
      name: 'InternalServerError',
      $metadata: { httpStatusCode: 500 },
    });
    expect(calls).toHaveLength(1);
  });

  it('say which service is not there', async () => {
    const { events } = awsClients([], 'eu-south-1');
    await expect(events.send(new PutEventsCommand({ Entries: [] }))).rejects.toThrow('AWSEvents.PutEvents');
  });

  it('read and write documents', async () => {
    const { dynamodb, documents } = awsClients([await openDynamoDb()], 'eu-south-1');
    await dynamodb.send(new CreateTableCommand(table));
    const Item = { pk: 'a', sk: 'b', tags: new Set(['x']), deep: { list: [1, 'two', null] } };
    await documents.send(new PutCommand({ TableName: TABLE, Item }));
    expect(await documents.send(new GetCommand({ TableName: TABLE, Key: { pk: 'a', sk: 'b' } }))).toMatchObject({
      Item,
    });
    await expect(documents.send(new GetCommand({ TableName: 'other', Key: { pk: 'a' } }))).rejects.toBeInstanceOf(
      ResourceNotFoundException,
    );
  });
});

describe('a service that was killed', () => {
  it('does nothing and answers nothing, not even to a call under way', async () => {
    let answer: (value: unknown) => void = () => {};
    const calls: string[] = [];
    const { service, kill } = fence({
      target: 'AWSEvents',
      call(operation) {
        calls.push(operation);
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    const settled: string[] = [];
    const note = (name: string) => () => settled.push(name);
    service.call('First', {}).then(note('first'), note('first'));
    kill();
    service.call('Second', {}).then(note('second'), note('second'));
    answer({});
    await new Promise((resolve) => setImmediate(resolve));
    expect({ calls, settled }).toEqual({ calls: ['First'], settled: [] });
  });
});
