import * as z from 'zod';
import { awaitDependencies } from '../orchestration/waits.ts';
import { OfDeploy, Token } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const awaitDependenciesStep = step(
  'await-dependencies',
  OfDeploy.extend({ ...Token.shape, timeIsOver: z.boolean().default(false) }),
  (ports, { deploy, token, timeIsOver }) => awaitDependencies(ports, deploy, token, timeIsOver),
);
export const handler = onLambda(awaitDependenciesStep);
