import * as z from 'zod';
import { DeployStateChanged } from '../bus/events.ts';
import { wake } from '../orchestration/waits.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

/** A deploy has ended: whoever waits for it looks again. An event that can't be understood ends no wait. */
export const wakeStep = step('wake', z.object({ detail: z.unknown() }), async (ports, event) => {
  const detail = DeployStateChanged.safeParse(event.detail);
  if (!detail.success) {
    ports.report('a malformed event about a deploy was dropped', detail.error);
    return;
  }
  await wake(ports, detail.data.id);
});
export const handler = onLambda(wakeStep);
