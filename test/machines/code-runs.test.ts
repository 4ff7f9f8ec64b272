import { PipelineExecutionNotFoundException } from '@aws-sdk/client-codepipeline';
import { ExecutionDoesNotExist } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { buildStatus, pipelineStatus } from '../../machines/code-runs.ts';
import { executionStatus } from '../../machines/step-functions-runs.ts';

/** Answers one thing to everything, and notes what was asked. */
function stub(answer: unknown) {
  const asked: unknown[] = [];
  const send = async (command: { input: unknown }) => {
    asked.push(command.input);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, client: { send } as never };
}
const gone = { message: 'gone', $metadata: {} };

describe('how a run goes', () => {
  it('is asked of CodeBuild', async () => {
    const { asked, client } = stub({ builds: [{ buildStatus: 'FAILED' }] });
    expect(await buildStatus(client)('shop', 'b-1')).toBe('FAILED');
    expect(asked).toEqual([{ ids: ['shop:b-1'] }]);
  });

  it('is asked of CodePipeline', async () => {
    const { asked, client } = stub({ pipelineExecution: { status: 'Superseded' } });
    expect(await pipelineStatus(client)('shop-infra', 'e-1')).toBe('Superseded');
    expect(asked).toEqual([{ pipelineName: 'shop-infra', pipelineExecutionId: 'e-1' }]);
  });

  it('is asked of Step Functions', async () => {
    const { asked, client } = stub({ status: 'ABORTED' });
    const status = executionStatus(client, 'arn:aws:states:eu-south-1:111122223333:stateMachine:');
    expect(await status('nightly', 'r-1')).toBe('ABORTED');
    expect(asked).toEqual([{ executionArn: 'arn:aws:states:eu-south-1:111122223333:execution:nightly:r-1' }]);
  });

  it('is not known of a run that they do not know', async () => {
    expect(await buildStatus(stub({ builds: [], buildsNotFound: ['shop:b-1'] }).client)('shop', 'b-1')).toBeUndefined();
    const noRun = stub(new PipelineExecutionNotFoundException(gone)).client;
    expect(await pipelineStatus(noRun)('shop-infra', 'e-1')).toBeUndefined();
    const noExecution = stub(new ExecutionDoesNotExist(gone)).client;
    expect(await executionStatus(noExecution, 'arn:x:stateMachine:')('nightly', 'r-1')).toBeUndefined();
  });

  it.each([
    ['CodeBuild', (client: never) => buildStatus(client)('shop', 'b-1')],
    ['CodePipeline', (client: never) => pipelineStatus(client)('shop-infra', 'e-1')],
    ['Step Functions', (client: never) => executionStatus(client, 'arn:x:stateMachine:')('nightly', 'r-1')],
  ])('is not made up when %s does not answer', async (_, ask) => {
    await expect(ask(stub(new Error('throttled')).client)).rejects.toThrow('throttled');
  });
});
