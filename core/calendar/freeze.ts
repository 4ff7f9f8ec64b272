import * as z from 'zod';
export const Freeze = z.union([z.strictObject({ from: z.string(), to: z.string(), reason: z.string() }), z.strictObject({ cron: z.string(), duration: z.string(), timezone: z.string(), reason: z.string().optional() })]);
export type Freeze = z.infer<typeof Freeze>;
export function frozen(_freezes: readonly Freeze[], _now: number): { until: number; reason: string; from: number } | undefined {
  return undefined;
}
