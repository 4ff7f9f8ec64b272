import * as z from 'zod';

/** Why something ended without success: a stable code and a sentence that a person can act on. */
export const Failure = z.object({ code: z.string(), message: z.string() });
export type Failure = z.infer<typeof Failure>;

/** A message of several lines (the end of a log, say) as one, for where a line stands for a whole failure. */
export function oneLine(message: string): string {
  return message
    .trim()
    .replace(/:\s*\n\s*/g, ': ')
    .replace(/\s*\n\s*/g, '; ');
}
