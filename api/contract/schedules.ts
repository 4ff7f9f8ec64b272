import * as z from 'zod';
import { ErrorView, Instant, pageOf } from './parts.ts';

export const ScheduleView = z
  .strictObject({
    kind: z.literal('schedule'),
    id: z.string(),
    application: z.string(),
    environment: z.string(),
    tenant: z.string().optional(),
    cron: z.string(),
    timezone: z.string(),
    state: z.enum(['active', 'paused', 'deleted']),
    submittedBy: z.string(),
    createdAt: Instant,
    next: z.array(Instant).describe('The next times that it submits a deploy, three at most; none unless active.'),
    last: z
      .strictObject({
        at: Instant.describe('The time that it was for.'),
        deploy: z.string().optional(),
        refused: ErrorView.optional().describe('Why nothing was submitted.'),
      })
      .optional(),
  })
  .meta({ id: 'Schedule' });
export type ScheduleView = z.infer<typeof ScheduleView>;

export const ScheduleList = pageOf(ScheduleView, 'ScheduleList');
export type ScheduleList = z.infer<typeof ScheduleList>;
