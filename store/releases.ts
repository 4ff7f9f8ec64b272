/** Releases in the table: the head that decides, and the deploys of each attempt. */
import { Member, Release } from '../core/release/release.ts';
import { CLOSED, listPosition, nextSweep, opened } from './heads.ts';
import { keys, padded } from './schema.ts';
import { conditions, type Item, type Table } from './table.ts';

export interface ReleaseRow {
  readonly release: Release;
  readonly sweeps: number;
}

export class Releases {
  constructor(private readonly table: Table) {}

  /** Stores a new release: the one conditional write that decides a submission (I4). False when its id is taken. */
  create(release: Release): Promise<boolean> {
    const { id, createdAt } = release.identity;
    const item: Item = {
      ...keys.release(id),
      type: 'release',
      list: 'release',
      listState: `release#${release.status.state}`,
      listAt: listPosition(createdAt, id),
      ...opened('release', createdAt),
      ...content(release),
    };
    return this.table.put(item, conditions.absent);
  }

  async read(id: string): Promise<ReleaseRow | undefined> {
    const item = await this.table.get(keys.release(id));
    return item && rowOf(item);
  }

  async readMany(ids: readonly string[]): Promise<Map<string, ReleaseRow>> {
    const items = await this.table.getMany([...new Set(ids)].map(keys.release));
    return new Map(items.map(rowOf).map((row) => [row.release.identity.id, row]));
  }

  async decide(previous: Release, next: Release): Promise<ReleaseRow | undefined> {
    const item = await this.table.update(
      keys.release(next.identity.id),
      { set: { ...content(next), listState: `release#${next.status.state}`, ...opened('release', next.status.since) } },
      conditions.unchangedSince(previous.seq),
    );
    return item && rowOf(item);
  }

  async settle(release: Release): Promise<boolean> {
    const change = {
      set: content({ ...release, pending: [] }),
      ...(release.status.state === 'PENDING' ? {} : CLOSED),
    };
    return (
      (await this.table.update(keys.release(release.identity.id), change, conditions.unchangedSince(release.seq))) !==
      undefined
    );
  }

  async postpone(row: ReleaseRow, now: number): Promise<void> {
    const set = { sweepAt: nextSweep(now, row.sweeps + 1), sweeps: row.sweeps + 1 };
    await this.table.update(keys.release(row.release.identity.id), { set }, conditions.unchangedSince(row.release.seq));
  }

  /** Notes which deploy a name stands for in an attempt; the same whoever writes it. */
  async putMembers(release: string, attempt: number, members: readonly Member[]): Promise<void> {
    await this.table.writeMany(
      members.map((member) => ({ ...keys.member(release, attempt, member.name), type: 'member', ...member })),
    );
  }

  async member(release: string, attempt: number, name: string): Promise<Member | undefined> {
    const item = await this.table.get(keys.member(release, attempt, name));
    return item && Member.parse(item);
  }

  /** The deploys recorded in an attempt, in the plan's order. */
  async members(release: string, attempt: number): Promise<Member[]> {
    const members: Member[] = [];
    for await (const item of this.table.partition(keys.release(release).pk, `MEMBER#${padded(attempt)}#`)) {
      members.push(Member.parse(item));
    }
    return members.sort((a, b) => a.index - b.index);
  }
}

function content(release: Release): { data: unknown; seq: number } {
  const { identity, attempt, status, pending, seq } = release;
  return { data: { identity, attempt, status, pending }, seq };
}

function rowOf(item: Item): ReleaseRow {
  return {
    release: Release.parse({ ...(item.data as object), seq: item.seq }),
    sweeps: (item.sweeps as number | undefined) ?? 0,
  };
}
