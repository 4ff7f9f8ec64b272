import { Envelope } from '../bus/incoming.ts';
import { receiveEvent } from '../orchestration/receive-event.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

/** Another pipeline says something about one of its deploys, or answers for a job. */
export const externalEventStep = step('external-event', Envelope, (ports, event) => receiveEvent(ports, event));
export const handler = onLambda(externalEventStep);
