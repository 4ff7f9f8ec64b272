import { Envelope } from '../bus/incoming.ts';
import { receiveRequest } from '../orchestration/receive-request.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

/** Somebody asks by an event for a release or a deploy. */
export const submitEventStep = step('submit-event', Envelope, (ports, event) => receiveRequest(ports, event));
export const handler = onLambda(submitEventStep);
