/** Who does something. Stored with what goes on later under their name: schedules, deploys, releases. */
import * as z from 'zod';

export const Actor = z.object({
  /** What the audit shows: `ada`, `arn:aws:iam::123456789012:role/ci`, `123456789012/com.example.ci`. */
  subject: z.string().min(1),
  /** Users and pipelines have names of their own: neither can be taken for the other, whatever it is called. */
  kind: z.enum(['user', 'pipeline']),
  groups: z.array(z.string()).readonly(),
  /** May do everything. No document gives it: it is the operator's to say, see {@link withAdministrators}. */
  administrator: z.literal(true).exactOptional(),
});
export type Actor = z.infer<typeof Actor>;

/** Who may do everything: the laptop's owner, and the engine itself. */
export function owner(subject: string): Actor {
  return { subject, kind: 'user', groups: [], administrator: true };
}
