import { awaitDependencies } from '../orchestration/waits.ts';
import { OfDeploy, Token } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const awaitDependenciesStep = step(
  'await-dependencies',
  OfDeploy.extend(Token.shape),
  (ports, { deploy, token }) => awaitDependencies(ports, deploy, token),
);
export const handler = onLambda(awaitDependenciesStep);
