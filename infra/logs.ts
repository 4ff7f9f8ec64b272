import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/**
 * Logs are for finding faults, what was decided is in the table. A deploy may wait 30 days for its dependencies: its first
 * lines are still there when it ends, twice over.
 */
const RETENTION = RetentionDays.THREE_MONTHS;

export function createLogGroup(scope: Construct, id: string, logGroupName: string): LogGroup {
  return new LogGroup(scope, id, { logGroupName, retention: RETENTION, removalPolicy: RemovalPolicy.DESTROY });
}
