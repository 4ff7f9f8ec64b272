import * as z from 'zod';
import { concludeDeploy, concludeLostBranch } from '../orchestration/conclude-deploy.ts';
import { Mishap, Named, OfDeploy, OfRelease } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

const LostBranch = OfRelease.extend(Named.shape).extend({ error: z.string(), cause: z.string() });
const Input = LostBranch.or(OfDeploy.extend({ failure: Mishap }));

export const concludeDeployStep = step('conclude-deploy', Input, (ports, input) =>
  'deploy' in input ? concludeDeploy(ports, input.deploy, input.failure) : concludeLostBranch(ports, input),
);
export const handler = onLambda(concludeDeployStep);
