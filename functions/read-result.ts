import * as z from 'zod';
import { readResult, readRollback } from '../orchestration/read-result.ts';
import { OfDeploy, Operation } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

const Input = OfDeploy.extend(Operation.shape).extend({ job: z.string().optional() });

/** Answers what comes next alone: messages and values stay in the table, out of the execution's history. */
export const readResultStep = step('read-result', Input, (ports, { deploy, operation, job }) =>
  operation === 'rollback' ? readRollback(ports, deploy) : readResult(ports, deploy, job),
);
export const handler = onLambda(readResultStep);
