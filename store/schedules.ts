/**
 * Schedules in the table. The sparse index of open work has each under the instant at which it submits next, or, while its
 * audit is not written, under that of its last decision.
 */
import { Schedule } from '../core/schedule/schedule.ts';
import { listPosition } from './heads.ts';
import { keys } from './schema.ts';
import { conditions, type Item, type Table } from './table.ts';

export class Schedules {
  constructor(private readonly table: Table) {}

  /** False when its id is taken. */
  create(schedule: Schedule): Promise<boolean> {
    return this.table.put(itemOf(schedule), conditions.absent);
  }

  async read(id: string): Promise<Schedule | undefined> {
    const item = await this.table.get(keys.schedule(id));
    return item && Schedule.parse(item.schedule);
  }

  async readMany(ids: readonly string[]): Promise<Map<string, Schedule>> {
    const items = await this.table.getMany([...new Set(ids)].map(keys.schedule));
    return new Map(items.map((item) => Schedule.parse(item.schedule)).map((each) => [each.id, each]));
  }

  /** Writes the next state; false when somebody else has written since. */
  replace(schedule: Schedule): Promise<boolean> {
    return this.table.put(itemOf(schedule), conditions.unchangedSince(schedule.seq - 1));
  }

  /** Notes that the audit of everything up to its `seq` is written; false when it has moved on since. */
  settle(schedule: Schedule): Promise<boolean> {
    return this.table.put(itemOf({ ...schedule, pending: [] }), conditions.unchangedSince(schedule.seq));
  }
}

function itemOf(schedule: Schedule): Item {
  const { id, createdAt, seq, nextAt, pending } = schedule;
  const sweepAt = pending[0]?.at ?? nextAt;
  return {
    ...keys.schedule(id),
    type: 'schedule',
    list: 'schedule',
    listAt: listPosition(createdAt, id),
    seq,
    schedule,
    ...(sweepAt !== undefined && { open: 'schedule', sweepAt }),
  };
}
