import type { FunctionName } from '../statemachines/functions.ts';
import { awaitApprovalStep } from './await-approval.ts';
import { awaitDependenciesStep } from './await-dependencies.ts';
import { awaitTimeStep } from './await-time.ts';
import { concludeDeployStep } from './conclude-deploy.ts';
import { concludeReleaseStep } from './conclude-release.ts';
import { configureStep } from './configure.ts';
import { executionEndedStep } from './execution-ended.ts';
import { externalEventStep } from './external-event.ts';
import { planRollbackStep } from './plan-rollback.ts';
import { readResultStep } from './read-result.ts';
import { recordDeploysStep } from './record-deploys.ts';
import { runJobStep } from './run-job.ts';
import { startDeployStep } from './start-deploy.ts';
import { startRollbackStep } from './start-rollback.ts';
import type { Step } from './step.ts';
import { stopJobStep } from './stop-job.ts';
import { submitEventStep } from './submit-event.ts';
import { sweepStep } from './sweep-step.ts';
import { takeTurnStep } from './take-turn.ts';
import { wakeStep } from './wake.ts';

/** Every function that a machine or an event calls, by name; the HTTP API is called by a gateway and is not among them. */
export const STEPS: ReadonlyMap<FunctionName, Step> = new Map(
  [
    recordDeploysStep,
    startDeployStep,
    planRollbackStep,
    startRollbackStep,
    concludeReleaseStep,
    awaitTimeStep,
    awaitDependenciesStep,
    awaitApprovalStep,
    takeTurnStep,
    configureStep,
    runJobStep,
    stopJobStep,
    readResultStep,
    concludeDeployStep,
    wakeStep,
    externalEventStep,
    submitEventStep,
    executionEndedStep,
    sweepStep,
  ].map((step) => [step.name, step]),
);
