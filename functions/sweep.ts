import { SFNClient } from '@aws-sdk/client-sfn';
import { buildStatus, pipelineStatus } from '../machines/code-runs.ts';
import { executionStatus } from '../machines/step-functions-runs.ts';
import { machinesArn, readEnvironment } from './environment.ts';
import { onLambda } from './on-lambda.ts';
import { sweepStep } from './sweep-step.ts';

export const handler = onLambda(sweepStep, () => ({
  codebuild: buildStatus(),
  codepipeline: pipelineStatus(),
  stepfunctions: executionStatus(new SFNClient(), machinesArn(readEnvironment(process.env))),
}));
