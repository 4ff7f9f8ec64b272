import { planRollback } from '../orchestration/roll-back.ts';
import { OfRelease } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const planRollbackStep = step('plan-rollback', OfRelease, async (ports, { release, attempt }) => ({
  names: await planRollback(ports, release, attempt),
}));
export const handler = onLambda(planRollbackStep);
