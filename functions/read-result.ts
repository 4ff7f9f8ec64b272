import { readResult } from '../orchestration/run-job.ts';
import { OfDeploy, Operation } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

/** Answers the outcome alone: messages and values stay in the table, out of the execution's history. */
export const readResultStep = step(
  'read-result',
  OfDeploy.extend(Operation.shape),
  async (ports, { deploy, operation }) => {
    const { outcome } = await readResult(ports, deploy, operation);
    return { outcome };
  },
);
export const handler = onLambda(readResultStep);
