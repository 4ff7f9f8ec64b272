import { Envelope } from '../bus/incoming.ts';
import { receiveEvent } from '../orchestration/receive-event.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

/** Somebody asks by an event for a release or a deploy. */
export const submitEventStep = step('submit-event', Envelope, (ports, event) => receiveEvent(ports, event));
export const handler = onLambda(submitEventStep);
