import * as z from 'zod';
import type { Problem } from '../errors.ts';

/** What is wrong with a text, whatever the place where it stands. */
export type Flaw = Pick<Problem, 'code' | 'message' | 'hint'>;

/** Text that is refused when it has a flaw, and stays text, so that a document reads back as it was written. */
export function flawless(flawOf: (text: string) => Flaw | undefined) {
  return z.string().superRefine((text, context) => {
    const flaw = flawOf(text);
    if (flaw === undefined) return;
    const { message, ...params } = flaw;
    context.addIssue({ code: 'custom', params, message });
  });
}
