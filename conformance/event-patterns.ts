import { AwsError } from '../local/aws-service.ts';
import { compilePatternText, testEventPattern } from '../local/eventbridge/test-event-pattern.ts';
import type { CaseResult } from './result.ts';

export interface EventPatternCase {
  readonly id: string;
  readonly expected: 'match' | 'nomatch' | 'valid' | 'invalid' | 'event-error';
  /** `aws`: recorded from TestEventPattern, which asks for a whole event. */
  readonly truth?: string;
  readonly pattern?: unknown;
  readonly patternText?: string;
  readonly event?: unknown;
  readonly eventText?: string;
}

/** Compares our reading of each pattern and event with what was recorded. */
export function eventPatterns(file: { readonly cases: readonly EventPatternCase[] }): CaseResult[] {
  return file.cases.map((one) => {
    const actual = wordFor(one);
    return actual === one.expected
      ? { id: one.id, verdict: 'agree' }
      : { id: one.id, verdict: 'disagree', expected: one.expected, actual };
  });
}

function wordFor(one: EventPatternCase): EventPatternCase['expected'] {
  const patternText = one.patternText ?? JSON.stringify(one.pattern);
  const eventText = one.eventText ?? JSON.stringify(one.event);
  try {
    if (one.truth === 'aws') return testEventPattern(patternText, eventText) ? 'match' : 'nomatch';
    const matches = compilePatternText(patternText);
    if (one.expected === 'valid') return 'valid';
    return matches(JSON.parse(eventText)) ? 'match' : 'nomatch';
  } catch (error) {
    if (error instanceof AwsError) return error.code === 'InvalidEventPatternException' ? 'invalid' : 'event-error';
    if (error instanceof SyntaxError) return 'event-error';
    throw error;
  }
}
