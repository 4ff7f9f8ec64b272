import * as z from 'zod';
import { Target } from '../documents/target.ts';

/** One export as it is stored. */
export const ExportValue = z.discriminatedUnion('format', [
  z.object({ format: z.literal('string'), value: z.string(), public: z.literal(true).optional() }),
  z.object({ format: z.literal('targets'), targets: z.array(Target), public: z.literal(true).optional() }),
]);
export type ExportValue = z.infer<typeof ExportValue>;
