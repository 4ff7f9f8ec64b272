import { Aws, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Findings of cdk-nag are accepted one by one, each on the construct that causes it, with the reason a reviewer reads. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}

/** A pattern in the resources of a policy; `resource` as it was written into the statement. */
export function acknowledgePattern(construct: IConstruct, resource: string, reason: string): void {
  const shown = resource
    .replaceAll(Aws.PARTITION, '<AWS::Partition>')
    .replaceAll(Aws.REGION, '<AWS::Region>')
    .replaceAll(Aws.ACCOUNT_ID, '<AWS::AccountId>');
  acknowledge(construct, `AwsSolutions-IAM5[Resource::${shown}]`, reason);
}
