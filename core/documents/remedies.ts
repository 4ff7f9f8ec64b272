/** What to do about a problem of a kind, where nobody who found it knew anything better. */
import type { Problem } from '../errors.ts';

const REMEDIES: Readonly<Record<string, string>> = {
  'too-many': 'leave some out',
  'too-few': 'write at least that many',
  'too-long': 'write a shorter one',
  'too-short': 'write something, or leave the field out',
  'out-of-range': 'write a number within the limits',
  'wrong-type': 'write it in that form',
  'invalid-name': 'use only the characters that the message names, in that order',
  'invalid-value': 'write it as the message says',
  'invalid-duration': 'write one number and one unit of s m h d, such as 90m',
  'invalid-instant': 'write date, time and offset like 2026-10-12T22:00:00+02:00',
  'missing-field': 'add it',
  'unknown-field': 'remove it',
  'export-too-large': 'export the name of the place where the data is kept',
  'export-bad-target': 'write hosts, or {host, port, user, labels}',
  'self-dependency': 'remove it from its own after',
};

export function withRemedy(problem: Problem): Problem {
  if (problem.hint !== undefined || !Object.hasOwn(REMEDIES, problem.code)) return problem;
  return { ...problem, hint: REMEDIES[problem.code] };
}
