import * as z from 'zod';
import {
  ApprovalRequested,
  CallbackCancelled,
  CallbackRequested,
  DeployStateChanged,
  EventRefused,
  ReleaseStateChanged,
} from './events.ts';
import { CallbackAnswered, DeployConcluded, DeployStarted, Requested } from './incoming.ts';

/** JSON Schemas (draft 2020-12) of the `detail` of each event that renga puts on its bus or takes from it, by file name. */
export function eventSchemas(): Record<string, unknown> {
  // Whoever reads events must bear fields that come later.
  const schema = (title: string, value: z.ZodType) => ({
    ...z.toJSONSchema(value, { io: 'input', target: 'draft-2020-12' }),
    title,
  });
  return {
    'deploy-state-changed.schema.json': schema('Deploy State Changed', DeployStateChanged),
    'release-state-changed.schema.json': schema('Release State Changed', ReleaseStateChanged),
    'approval-requested.schema.json': schema('Approval Requested', ApprovalRequested),
    'event-refused.schema.json': schema('Event Refused', EventRefused),
    'callback-requested.schema.json': schema('Callback Requested', CallbackRequested),
    'callback-cancelled.schema.json': schema('Callback Cancelled', CallbackCancelled),
    'deploy-started.schema.json': schema('Deploy Started', DeployStarted),
    'deploy-concluded.schema.json': schema('Deploy Concluded', DeployConcluded),
    'deploy-requested.schema.json': schema('Deploy Requested', Requested),
    'release-requested.schema.json': schema('Release Requested', Requested),
    'callback-answered.schema.json': schema('Callback Answered', CallbackAnswered),
  };
}
