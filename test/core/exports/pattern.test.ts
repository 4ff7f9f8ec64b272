import { expect, test } from 'vitest';
import { matchesWhole, patternProblem } from '../../../core/exports/pattern.ts';

test.each([
  ['eu|us', 'eu', true],
  ['eu|us', 'us', true],
  ['eu|us', 'europe', false],
  ['eu|us', 'xus', false],
  ['a|ab', 'ab', true],
  ['[a-z]+', 'abc\n', false],
  ['[a-z]+$', 'abc\n', false],
  ['(?m)^[a-z]+$', 'abc\nDEF', false],
  ['.*', 'a\nb', false],
  ['(?s).*', 'a\nb', true],
  ['[a-z\\n]+', 'a\nb', true],
  ['a*', '', true],
])('B52: the pattern %s on the whole of %j: %s', (pattern, value, matches) => {
  expect(matchesWhole(pattern, value)).toBe(matches);
});

test.each(['a)|(?:b', '(a', '[', 'a{3,2}', '(?=a)', '(a)\\1', 'a{1001}', '((a{100}){100}){100}', 'x'.repeat(1025)])(
  'B52: %s is no pattern',
  (pattern) => {
    expect(patternProblem(pattern)).toEqual(expect.any(String));
  },
);

test.each(['eu|us', '[a-z0-9.-]{1,253}', '10\\.20\\.\\d+\\.\\d+', '(?i)\\w+', '\\p{L}+'])(
  '%s is a pattern',
  (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  },
);

test('a pattern that would hang an engine with backtracking answers at once', () => {
  expect(matchesWhole('(a+)+b', 'a'.repeat(60_000))).toBe(false);
});
