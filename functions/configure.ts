import { configure } from '../orchestration/configure.ts';
import { OfDeploy } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const configureStep = step('configure', OfDeploy, (ports, { deploy }) => configure(ports, deploy));
export const handler = onLambda(configureStep);
