import { awaitApproval } from '../orchestration/waits.ts';
import { OfDeploy, Token } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const awaitApprovalStep = step('await-approval', OfDeploy.extend(Token.shape), (ports, { deploy, token }) =>
  awaitApproval(ports, deploy, token),
);
export const handler = onLambda(awaitApprovalStep);
