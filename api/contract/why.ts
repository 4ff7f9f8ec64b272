import * as z from 'zod';
import { DeployState, Instant, ReleaseState } from './parts.ts';

export const WhyReason = z
  .strictObject({
    code: z
      .enum([
        'not-recorded',
        'dependency',
        'scheduled',
        'approval',
        'frozen',
        'slot',
        'layer',
        'turn',
        'paused',
        'step',
        'cancelling',
        'rolling-back',
        'failing',
        'starting',
        'ended',
        'cause',
        'rollback',
      ])
      .describe('What kind of reason it is.'),
    text: z.string().describe('One sentence.'),
    since: Instant.optional(),
    until: Instant.optional().describe('When it ends by itself at the latest.'),
    about: z.strictObject({ kind: z.enum(['deploy', 'release']), id: z.string() }).optional(),
    unblock: z.string().optional().describe('Who can do what about it, one sentence.'),
  })
  .meta({ id: 'WhyReason' });
export type WhyReason = z.infer<typeof WhyReason>;

export const WhyView = z
  .strictObject({
    kind: z.enum(['deploy', 'release']),
    id: z.string(),
    state: z.union([DeployState, ReleaseState]),
    since: Instant,
    summary: z.string().describe('The answer in one sentence.'),
    reasons: z.array(WhyReason).describe('From the nearest to the root of it.'),
  })
  .meta({ id: 'Why', description: 'What a deploy or release waits for, since when, and who can unblock it.' });
export type WhyView = z.infer<typeof WhyView>;
