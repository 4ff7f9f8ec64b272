import { startRollback } from '../orchestration/roll-back.ts';
import { Named, OfRelease, Token } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const startRollbackStep = step(
  'start-rollback',
  OfRelease.extend(Named.shape).extend(Token.shape),
  startRollback,
);
export const handler = onLambda(startRollbackStep);
