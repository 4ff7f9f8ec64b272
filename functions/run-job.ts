import { runJob } from '../orchestration/run-job.ts';
import { Mishap, OfDeploy, Operation, Token } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

const Input = OfDeploy.extend(Operation.shape).extend(Token.shape).extend({ failure: Mishap.optional() });

export const runJobStep = step('run-job', Input, (ports, { deploy, operation, token, failure }) =>
  runJob(ports, deploy, operation, token, failure),
);
export const handler = onLambda(runJobStep);
