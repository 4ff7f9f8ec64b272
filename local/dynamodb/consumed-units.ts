import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite/db/index.js';

/** An item in DynamoDB's own notation, `{ pk: { S: 'a' } }`. */
export type Item = Record<string, AttributeValue>;

export interface OperationCount {
  calls: number;
  /** Read request units: 4 KB of one item read strongly, or 8 KB eventually. */
  readUnits: number;
  /** Write request units: 1 KB of one item, and again for every index entry that changed. */
  writeUnits: number;
}

/** What the calls since the start (or the last reset) would be billed for on demand, per operation. */
export class ConsumedUnits {
  readonly operations = new Map<string, OperationCount>();

  of(operation: string): OperationCount {
    const existing = this.operations.get(operation);
    if (existing !== undefined) return existing;
    const created = { calls: 0, readUnits: 0, writeUnits: 0 };
    this.operations.set(operation, created);
    return created;
  }

  total(): OperationCount {
    const total = { calls: 0, readUnits: 0, writeUnits: 0 };
    for (const count of this.operations.values()) {
      total.calls += count.calls;
      total.readUnits += count.readUnits;
      total.writeUnits += count.writeUnits;
    }
    return total;
  }

  reset(): void {
    this.operations.clear();
  }
}

export function sizeOf(item: object | undefined): number {
  return item === undefined ? 0 : dynalite.itemSize(item);
}

/** Replacing, deleting, or failing a condition on an item costs by the larger of what was and what is. */
export function writeUnits(before: object | undefined, after: object | undefined): number {
  return Math.max(1, Math.ceil(Math.max(sizeOf(before), sizeOf(after)) / 1024));
}

/** A read of `bytes` in all; finding nothing costs as much as the smallest item. */
export function readUnits(bytes: number, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5);
}
