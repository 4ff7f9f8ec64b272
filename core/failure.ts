import * as z from 'zod';

/** Why something ended without success: a stable code and a sentence that a person can act on. */
export const Failure = z.object({ code: z.string(), message: z.string() });
export type Failure = z.infer<typeof Failure>;
