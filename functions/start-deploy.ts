import { startDeploy } from '../orchestration/start-deploy.ts';
import { Named, OfRelease, Token } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const startDeployStep = step('start-deploy', OfRelease.extend(Named.shape).extend(Token.shape), startDeploy);
export const handler = onLambda(startDeployStep);
