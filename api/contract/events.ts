import * as z from 'zod';
import { CallbackAnswer, DeployConcluded, DeployStarted } from '../../bus/incoming.ts';
import { Instant, pageOf, pageQuery } from './parts.ts';

export const StartExternalBody = DeployStarted;
/** The id stands in the path. */
export const ConcludeExternalBody = DeployConcluded.omit({ id: true });
export const CallbackBody = CallbackAnswer;

export const CallbackView = z.strictObject({ deploy: z.string() }).meta({ id: 'Callback' });
export type CallbackView = z.infer<typeof CallbackView>;

export const ReportedView = z
  .strictObject({ id: z.string(), outcome: z.enum(['accepted', 'ignored']) })
  .meta({ id: 'Reported' });
export type ReportedView = z.infer<typeof ReportedView>;

const EventItem = z
  .strictObject({
    id: z.string(),
    type: z.string(),
    source: z.string(),
    account: z.string(),
    at: Instant,
    about: z.string().optional().describe('The deploy or release, as far as that could be read.'),
    outcome: z.enum(['accepted', 'ignored', 'refused']).describe('ignored: it said what was known already.'),
    reason: z.string().optional(),
  })
  .meta({ id: 'Event' });
export const EventList = pageOf(EventItem, 'EventList');
export type EventList = z.infer<typeof EventList>;

export const EventQuery = z.strictObject({
  refused: z.enum(['true']).optional().describe('Only those that were refused.'),
  ...pageQuery,
});

export const SendEventBody = z.strictObject({
  source: z.string().min(1).max(256),
  'detail-type': z.string().min(1).max(128),
  detail: z.record(z.string(), z.unknown()),
  bus: z.enum(['renga', 'default']).default('renga'),
});
export const SentView = z.strictObject({ id: z.string() }).meta({ id: 'Sent' });
export type SentView = z.infer<typeof SentView>;
