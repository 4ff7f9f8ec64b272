import { Envelope } from '../bus/incoming.ts';
import { receiveReport } from '../orchestration/receive-report.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

/** Another pipeline says something about one of its deploys, or answers for a job. */
export const externalEventStep = step('external-event', Envelope, (ports, event) => receiveReport(ports, event));
export const handler = onLambda(externalEventStep);
