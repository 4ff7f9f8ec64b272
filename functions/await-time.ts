import { awaitTime } from '../orchestration/waits.ts';
import { OfDeploy, Token } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const awaitTimeStep = step('await-time', OfDeploy.extend(Token.shape), (ports, { deploy, token }) =>
  awaitTime(ports, deploy, token),
);
export const handler = onLambda(awaitTimeStep);
