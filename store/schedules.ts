/** Schedules in the table. The sparse index of open work has each under the instant at which it submits next. */
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
}

function itemOf(schedule: Schedule): Item {
  const { id, createdAt, seq, nextAt } = schedule;
  return {
    ...keys.schedule(id),
    type: 'schedule',
    list: 'schedule',
    listAt: listPosition(createdAt, id),
    seq,
    schedule,
    ...(nextAt !== undefined && { open: 'schedule', sweepAt: nextAt }),
  };
}
