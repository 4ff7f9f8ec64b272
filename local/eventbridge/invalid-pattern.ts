import { AwsError } from '../aws-service.ts';

export function invalidPattern(reason: string): AwsError {
  return new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason}`);
}
