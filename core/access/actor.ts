import * as z from 'zod';

export const Actor = z.object({
  subject: z.string(),
  kind: z.enum(['user', 'pipeline']),
  groups: z.array(z.string()),
  administrator: z.literal(true).optional(),
});
export type Actor = z.infer<typeof Actor>;

export function owner(subject: string): Actor {
  return { subject, kind: 'user', groups: [], administrator: true };
}
