import { AwsError } from '../aws-service.ts';
import { invalidPattern } from './invalid-pattern.ts';
import { compilePattern } from './matcher.ts';
import { isObject } from './value-test.ts';

const MANDATORY = ['id', 'account', 'source', 'time', 'region', 'detail-type'];

/** Compiles a pattern as it is sent over the wire. @throws AwsError InvalidEventPatternException */
export function compilePatternText(text: unknown): (event: unknown) => boolean {
  let pattern: unknown;
  try {
    pattern = JSON.parse(String(text));
  } catch (error) {
    throw invalidPattern(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return compilePattern(pattern);
}

/** The operation TestEventPattern: both texts are JSON, and the event must be a whole one. */
export function testEventPattern(patternText: unknown, eventText: unknown): boolean {
  const matches = compilePatternText(patternText);
  let event: unknown;
  try {
    event = JSON.parse(String(eventText));
  } catch {
    throw new AwsError('ValidationException', 'Parameter Event is not valid: it is not JSON.');
  }
  const missing = MANDATORY.filter((name) => !isObject(event) || !(name in event));
  if (missing.length > 0) {
    throw new AwsError('ValidationException', `Parameter Event is not valid: it lacks ${missing.join(', ')}.`);
  }
  return matches(event);
}
