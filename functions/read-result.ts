import { readResult } from '../orchestration/read-result.ts';
import { OfDeploy, Operation } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

/** Answers what comes next alone: messages and values stay in the table, out of the execution's history. */
export const readResultStep = step(
  'read-result',
  OfDeploy.extend(Operation.shape),
  async (ports, { deploy, operation }) => {
    return readResult(ports, deploy, operation);
  },
);
export const handler = onLambda(readResultStep);
