import * as z from 'zod';
import { runJob } from '../orchestration/run-job.ts';
import { Mishap, OfDeploy, Operation, Token } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

const Input = OfDeploy.extend(Operation.shape)
  .extend(Token.shape)
  .extend({ job: z.string().optional(), failure: Mishap.optional() });

export const runJobStep = step('run-job', Input, (ports, { deploy, operation, job, token, failure }) =>
  runJob(ports, { id: deploy, operation, job, taskToken: token, mishap: failure }),
);
export const handler = onLambda(runJobStep);
