import { describe, expect, it } from 'vitest';
import { type EventPatternCase, eventPatterns } from '../../conformance/event-patterns.ts';

describe('the comparison of event patterns', () => {
  it.each<[name: string, one: Omit<EventPatternCase, 'id'>]>([
    ['a match', { pattern: { a: ['x'] }, event: { a: 'x' }, expected: 'match' }],
    ['no match', { pattern: { a: ['x'] }, event: { a: 'y' }, expected: 'nomatch' }],
    ['texts, taken as they stand', { patternText: '{"a":[1.0]}', eventText: '{"a":1e0}', expected: 'match' }],
    ['a pattern that is valid', { pattern: { a: ['x'] }, event: {}, expected: 'valid' }],
    ['a pattern that is not', { pattern: { a: 'x' }, event: {}, expected: 'invalid' }],
    ['a pattern that is no JSON', { patternText: '{"a', event: {}, expected: 'invalid' }],
    ['an event that is no JSON', { pattern: { a: ['x'] }, eventText: 'plain', expected: 'event-error' }],
    ['half an event, sent to AWS', { truth: 'aws', pattern: { a: ['x'] }, event: { a: 'x' }, expected: 'event-error' }],
  ])('agrees on %s', (_, one) => {
    expect(eventPatterns({ cases: [{ id: 'c', ...one }] })).toEqual([{ id: 'c', verdict: 'agree' }]);
  });

  it('names a case that disagrees, with both words', () => {
    const one: EventPatternCase = { id: 'c', pattern: { a: ['x'] }, event: {}, expected: 'match' };
    expect(eventPatterns({ cases: [one] })).toEqual([
      { id: 'c', verdict: 'disagree', expected: 'match', actual: 'nomatch' },
    ]);
  });
});
