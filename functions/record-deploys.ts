import { recordDeploys } from '../orchestration/record-deploys.ts';
import { ReleaseInput } from '../statemachines/release-machine.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const recordDeploysStep = step('record-deploys', ReleaseInput, recordDeploys);
export const handler = onLambda(recordDeploysStep);
