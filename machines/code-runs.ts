/** How runs of CodeBuild and CodePipeline go. Only the sweep asks, so only its function has these clients. */
import { BatchGetBuildsCommand, CodeBuildClient } from '@aws-sdk/client-codebuild';
import {
  CodePipelineClient,
  GetPipelineExecutionCommand,
  PipelineExecutionNotFoundException,
  PipelineNotFoundException,
} from '@aws-sdk/client-codepipeline';

type Client<Of extends { send: unknown }> = Pick<Of, 'send'>;

export function buildStatus(client: Client<CodeBuildClient> = new CodeBuildClient()) {
  return async (project: string, run: string): Promise<string | undefined> => {
    const answer = await client.send(new BatchGetBuildsCommand({ ids: [`${project}:${run}`] }));
    return answer.builds?.[0]?.buildStatus;
  };
}

export function pipelineStatus(client: Client<CodePipelineClient> = new CodePipelineClient()) {
  return async (pipelineName: string, pipelineExecutionId: string): Promise<string | undefined> => {
    try {
      const command = new GetPipelineExecutionCommand({ pipelineName, pipelineExecutionId });
      return (await client.send(command)).pipelineExecution?.status;
    } catch (error) {
      if (error instanceof PipelineExecutionNotFoundException || error instanceof PipelineNotFoundException) {
        return undefined;
      }
      throw error;
    }
  };
}
