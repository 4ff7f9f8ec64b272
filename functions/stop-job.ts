import { stopJob } from '../orchestration/stop-job.ts';
import { OfDeploy } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const stopJobStep = step('stop-job', OfDeploy, async (ports, { deploy }) => {
  const row = await ports.store.deploys.read(deploy);
  if (row === undefined) throw new Error(`there is no deploy ${deploy}`);
  return { stopped: await stopJob(ports, row) };
});
export const handler = onLambda(stopJobStep);
