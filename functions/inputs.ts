/** What the state machines send to functions. */
import * as z from 'zod';

export const OfDeploy = z.object({ deploy: z.string() });
export const OfRelease = z.object({ release: z.string(), attempt: z.number().int() });
export const Token = z.object({ token: z.string() });
export const Named = z.object({ name: z.string() });
export const Operation = z.object({ operation: z.enum(['deploy', 'rollback']) });

/** An empty object where nothing went wrong: an absent value can't be written in a definition. */
export const Mishap = z
  .object({ step: z.string(), error: z.string(), cause: z.string().default('') })
  .or(z.strictObject({}).transform(() => undefined));
