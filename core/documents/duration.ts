import * as z from 'zod';
import { shown } from './shown.ts';

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const DURATION = /^([1-9]\d{0,8})([smhd])$/;

/**
 * Seconds of a duration: one whole number and one unit of `s m h d` (`90m`, `2h`, `30d`), nothing else.
 * Answers undefined for any other spelling.
 */
export function seconds(duration: string): number | undefined {
  const [, count, unit] = DURATION.exec(duration) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit as keyof typeof UNITS];
}

/** A duration between two others, both included; stays text, so that a document reads back as it was written. */
export function Duration(least: string, most: string) {
  const [min, max] = [seconds(least) ?? 0, seconds(most) ?? 0];
  const duration = z.string().superRefine((text, context) => {
    const value = seconds(text);
    if (value === undefined) {
      context.addIssue({
        code: 'custom',
        params: { code: 'invalid-duration' },
        message: `${shown(text)} is no duration: write one number and one unit of s m h d, such as 90m`,
      });
    } else if (value < min || value > max) {
      context.addIssue({
        code: 'custom',
        params: { code: 'invalid-duration', hint: `write one from ${least} to ${most}` },
        message: `${shown(text)} is outside ${least} to ${most}`,
      });
    }
  });
  return duration.meta({ pattern: DURATION.source, examples: [most] });
}
