import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { INDEXES } from '../store/schema.ts';

const TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

/** The one table, as the store's schema says. Unless `retain` is off it outlives its stack: it is the record of what is where. */
export function createTable(scope: Construct, tableName: string, retain: boolean): Table {
  const table = new Table(scope, 'Table', {
    tableName,
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    // Events that came in are kept for a fortnight, ends without a start and jobs of others a month. Nothing waits for it.
    timeToLiveAttribute: 'expires',
    encryption: TableEncryption.AWS_MANAGED,
    deletionProtection: retain,
    removalPolicy: retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  for (const index of Object.values(INDEXES)) {
    table.addGlobalSecondaryIndex({
      indexName: index.name,
      partitionKey: { name: index.partition, type: AttributeType.STRING },
      sortKey: { name: index.sort, type: TYPES[index.sortType] },
      // Lists take keys from an index and read the rows strongly: anything more would be paid for with every write.
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }
  return table;
}
