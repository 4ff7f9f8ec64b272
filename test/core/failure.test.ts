import { expect, test } from 'vitest';
import { oneLine } from '../../core/failure.ts';

test.each([
  ['exit code 3', 'exit code 3'],
  ['exit code 3. The log ends:\n  GET / answered 500\nbye\n', 'exit code 3. The log ends: GET / answered 500; bye'],
  ['\n\n a\n\n\nb ', 'a; b'],
])('%j in one line is %j', (message, line) => {
  expect(oneLine(message)).toBe(line);
});
