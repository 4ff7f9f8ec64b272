import { awaitTurn } from '../orchestration/waits.ts';
import { OfDeploy, Token } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const takeTurnStep = step('take-turn', OfDeploy.extend(Token.shape), (ports, { deploy, token }) =>
  awaitTurn(ports, deploy, token),
);
export const handler = onLambda(takeTurnStep);
