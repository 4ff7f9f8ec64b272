import * as z from 'zod';
import { loseDeploy, loseRelease } from '../orchestration/lose-execution.ts';
import { DeployInput } from '../statemachines/deploy-machine.ts';
import { executionName, releaseExecutionName } from '../statemachines/names.ts';
import { ReleaseInput } from '../statemachines/release-machine.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

const StatusChange = z.object({
  detail: z.object({
    name: z.string(),
    status: z.enum(['FAILED', 'TIMED_OUT', 'ABORTED']),
    stateMachineArn: z.string(),
    /** JSON text; null when it is too large for an event, which ours never is. */
    input: z.string().nullish(),
    cause: z.string().nullish(),
  }),
});

/**
 * An execution of ours is over. Most have concluded what they were for; one that was stopped or died has not, and that is
 * done here.
 */
export const executionEndedStep = step('execution-ended', StatusChange, async (ports, { detail }) => {
  const input: unknown = JSON.parse(detail.input ?? 'null');
  const cause =
    detail.status === 'ABORTED' ? `stopped${detail.cause ? `: ${detail.cause}` : ''}` : detail.status.toLowerCase();
  const ofDeploy = DeployInput.safeParse(input);
  const isDeploys = detail.stateMachineArn === ports.deployMachine;
  if (isDeploys && ofDeploy.success && detail.name === executionName(ofDeploy.data.deploy)) {
    return loseDeploy(ports, ofDeploy.data.deploy, cause);
  }
  const ofRelease = ReleaseInput.safeParse(input);
  if (ofRelease.success && detail.name === releaseExecutionName(ofRelease.data.release, ofRelease.data.attempt)) {
    const { release, attempt } = ofRelease.data;
    const row = await ports.store.releases.read(release);
    if (row?.release.attempt.machine.arn === detail.stateMachineArn) return loseRelease(ports, release, attempt, cause);
  }
  ports.report(`the execution ${detail.name} of ${detail.stateMachineArn} is not one that renga started`, undefined);
});
export const handler = onLambda(executionEndedStep);
