/** Deploys in the table. Decisions go through `seq`; tokens and remaining dependencies are attributes beside it. */
import { Deploy, isFinal } from '../core/deploy/deploy.ts';
import type { EndedJob } from '../core/deploy/ended-job.ts';
import { ROLLBACK_KEY } from '../core/deploy/job-key.ts';
import { KeptRun } from '../core/deploy/outputs.ts';
import type { Progress } from '../core/deploy/progress.ts';
import type { ExportValue } from '../core/exports/value.ts';
import type { Failure } from '../core/failure.ts';
import { CLOSED, listPosition, nextSweep, opened } from './heads.ts';
import { keys } from './schema.ts';
import { conditions, type Item, type Table } from './table.ts';

/** A deploy with what waits on it. A token is overwritten whenever its task is tried again; a stale one is no error. */
export interface DeployRow {
  readonly deploy: Deploy;
  /** Answers the branch of the release's machine. */
  readonly branchToken?: string;
  /** Answers the wait that the deploy's machine is in, or was in last. */
  readonly wait?: {
    readonly token: string;
    readonly for: 'time' | 'dependencies' | 'approval' | 'turn';
    /** When the machine came to it, in epoch milliseconds: its time is counted from then. */
    readonly since?: number;
  };
  /** Answers the machine's wait for the job. */
  readonly jobToken?: string;
  /** Key of the job that is being started or runs, until its end has been read and another follows. */
  readonly jobKey?: string;
  /** Idempotency token and name of the job that runs or ran last, and when it began. */
  readonly job?: RunningJob;
  /** Where its jobs have got to; absent until the first has ended. */
  readonly progress?: Progress;
  /** The jobs that ended before that one, oldest first; of a wave's probes the last stands for all. */
  readonly jobs?: readonly EndedJob[];
  /** Its ticket in the line for a slot of its environment. */
  readonly ticket?: Ticket;
  /** Content hash of the fused configuration, once it is resolved. */
  readonly configuration?: string;
  /** What the job came to, once it was read; the same for the rollback of a deploy that failed. */
  readonly result?: JobResult;
  readonly rollbackResult?: JobResult;
  /** Ids of the dependencies that had not succeeded when last looked at. */
  readonly remaining: ReadonlySet<string>;
  readonly sweeps: number;
}

/** Its place in the line of its environment, from when it first came there: lower ranks first, then lower numbers. */
export interface Ticket {
  readonly rank: number;
  readonly number: number;
}

export interface RunningJob {
  readonly token: string;
  readonly plugin: string;
  readonly name: string;
  readonly startedAt: number;
}

export interface JobResult {
  readonly outcome: 'success' | 'failed' | 'cancelled';
  readonly failure?: Failure;
  /** When it was read. */
  readonly at?: number;
}

const ATTRIBUTES = [
  'branchToken',
  'wait',
  'jobToken',
  'jobKey',
  'job',
  'progress',
  'jobs',
  'ticket',
  'configuration',
  'result',
  'rollbackResult',
] as const;
type Attributes = Partial<Pick<DeployRow, (typeof ATTRIBUTES)[number]>> & { readonly remaining?: ReadonlySet<string> };

const OUTPUT = 'OUTPUT#';
const BOUND = 'BOUND#';

export class Deploys {
  constructor(private readonly table: Table) {}

  /** Stores a new deploy; false when its id is taken. */
  create(deploy: Deploy): Promise<boolean> {
    const { id, application, createdAt } = deploy.identity;
    const item: Item = {
      ...keys.deploy(id),
      type: 'deploy',
      list: 'deploy',
      listState: `deploy#${deploy.status.state}`,
      application,
      listAt: listPosition(createdAt, id),
      ...opened('deploy', deploy.status.since),
      ...content(deploy),
    };
    return this.table.put(item, conditions.absent);
  }

  async read(id: string): Promise<DeployRow | undefined> {
    const item = await this.table.get(keys.deploy(id));
    return item && rowOf(item);
  }

  async readMany(ids: readonly string[]): Promise<Map<string, DeployRow>> {
    const items = await this.table.getMany([...new Set(ids)].map(keys.deploy));
    return new Map(items.map(rowOf).map((row) => [row.deploy.identity.id, row]));
  }

  /** Writes the next decision about a deploy; undefined when somebody else has decided since `previous` was read. */
  async decide(previous: Deploy, next: Deploy): Promise<DeployRow | undefined> {
    const item = await this.table.update(
      keys.deploy(next.identity.id),
      { set: { ...content(next), listState: `deploy#${next.status.state}`, ...opened('deploy', next.status.since) } },
      conditions.unchangedSince(previous.seq),
    );
    return item && rowOf(item);
  }

  /** As `decide`, and only while no job is being started or runs: whatever starts one sees the decision. */
  async decideBetweenJobs(previous: Deploy, next: Deploy): Promise<DeployRow | undefined> {
    const item = await this.table.update(
      keys.deploy(next.identity.id),
      { set: { ...content(next), listState: `deploy#${next.status.state}`, ...opened('deploy', next.status.since) } },
      conditions.unchangedBetweenJobs(previous.seq),
    );
    return item && rowOf(item);
  }

  /** Notes that a job is being started, for whom; undefined when the deploy's jobs have got to another. */
  async comeTo(id: string, key: string, jobToken: string): Promise<DeployRow | undefined> {
    const rollback = key === ROLLBACK_KEY;
    // From there no job of the course may come any more.
    const set = { jobToken, jobKey: key, ...(rollback && { cameTo: key }) };
    const condition = rollback ? conditions.present : conditions.cameTo(key);
    const item = await this.table.update(keys.deploy(id), { set }, condition);
    return item && rowOf(item);
  }

  /** Notes something about the job of a key while it is the one that is under way; undefined when it no longer is. */
  async noteJob(id: string, key: string, attributes: Attributes): Promise<DeployRow | undefined> {
    const item = await this.table.update(keys.deploy(id), { set: attributes }, conditions.underWay(key));
    return item && rowOf(item);
  }

  /** The job of a key has ended and another follows: one write, so that none is skipped or doubled (I10). */
  async moveOn(
    id: string,
    key: string,
    next: { readonly progress: Progress; readonly jobs: readonly EndedJob[] },
  ): Promise<DeployRow | undefined> {
    const change = { set: { ...next, cameTo: next.progress.place.key }, remove: ['jobKey'] };
    const item = await this.table.update(keys.deploy(id), change, conditions.underWay(key));
    return item && rowOf(item);
  }

  /** Notes tokens and results beside the decisions; answers the row as it then is, undefined when there is no such deploy. */
  async attach(id: string, attributes: Attributes): Promise<DeployRow | undefined> {
    const { remaining, ...rest } = attributes;
    const nonEmpty = remaining !== undefined && remaining.size > 0;
    const item = await this.table.update(
      keys.deploy(id),
      {
        set: { ...rest, ...(nonEmpty && { remaining: new Set(remaining) }) },
        ...(remaining !== undefined && !nonEmpty && { remove: ['remaining'] }),
      },
      conditions.present,
    );
    return item && rowOf(item);
  }

  /** Gives a ticket to a deploy that has none; answers the one that it has then, for good. */
  async takeTicket(id: string, ticket: Ticket): Promise<Ticket | undefined> {
    const item = await this.table.update(keys.deploy(id), { set: { ticket } }, conditions.unticketed);
    return item === undefined ? (await this.read(id))?.ticket : ticket;
  }

  /** Takes dependencies, one or more, out of what a deploy still waits for; the row as it then is. */
  async dependenciesSucceeded(id: string, dependencies: readonly string[]): Promise<DeployRow | undefined> {
    const change = { take: { remaining: new Set(dependencies) } };
    const item = await this.table.update(keys.deploy(id), change, conditions.present);
    return item && rowOf(item);
  }

  /** Notes that audit and events of everything up to the deploy's `seq` are written; false when it has moved on since. */
  async settle(deploy: Deploy): Promise<boolean> {
    const settled: Deploy = { ...deploy, pending: [] };
    const closed = isFinal(deploy.status.state) ? CLOSED : {};
    const change = { set: content(settled), ...closed };
    return (
      (await this.table.update(keys.deploy(deploy.identity.id), change, conditions.unchangedSince(deploy.seq))) !==
      undefined
    );
  }

  /** Tells the sweep to look again later; at `at` when something is known to happen then and nothing before. */
  async postpone(row: DeployRow, now: number, at?: number): Promise<void> {
    const set = { sweepAt: at ?? nextSweep(now, row.sweeps + 1), sweeps: row.sweeps + 1 };
    await this.table.update(keys.deploy(row.deploy.identity.id), { set }, conditions.unchangedSince(row.deploy.seq));
  }

  async registerWaiter(waiter: string, dependencies: readonly string[]): Promise<void> {
    await this.table.writeMany(dependencies.map((id) => ({ ...keys.waiter(id, waiter), type: 'waiter' })));
  }

  async waitersOf(dependency: string): Promise<string[]> {
    const waiters: string[] = [];
    for await (const item of this.table.partition(keys.deploy(dependency).pk, 'WAITER#')) {
      waiters.push(item.sk.slice('WAITER#'.length));
    }
    return waiters;
  }

  async forgetWaiters(dependency: string, waiters: readonly string[]): Promise<void> {
    await this.table.writeMany(
      [],
      waiters.map((waiter) => keys.waiter(dependency, waiter)),
    );
  }

  /** Notes that a deploy which an expectation stands for has begun; the latest is remembered. */
  async putBegun(expectation: string, deploy: string, at: number): Promise<void> {
    const item = { ...keys.expected(expectation), type: 'expected', deploy, at };
    await this.table.put(item, conditions.olderThan(at));
  }

  /** By expectation, the latest deploy that has begun for it; none where nothing has. */
  async begunAs(expectations: readonly string[]): Promise<Map<string, { deploy: string; at: number }>> {
    const items = await this.table.getMany([...new Set(expectations)].map(keys.expected));
    return new Map(
      items.map(({ pk, deploy, at }) => [pk.slice('D#'.length), { deploy: String(deploy), at: Number(at) }]),
    );
  }

  /** Binds what a deploy expects to the one that it waits for from then on, once; answers which that is. */
  async bind(id: string, expectation: string, deploy: string): Promise<string> {
    const key = keys.bound(id, expectation);
    if (await this.table.put({ ...key, type: 'bound', deploy }, conditions.absent)) return deploy;
    return String((await this.table.get(key))?.deploy ?? deploy);
  }

  /** By expectation, the deploy that one is bound to; none where it still waits for it to begin. */
  async boundOf(id: string, expectations: readonly string[]): Promise<Map<string, string>> {
    const items = await this.table.getMany([...new Set(expectations)].map((each) => keys.bound(id, each)));
    return new Map(items.map(({ sk, deploy }) => [sk.slice(BOUND.length), String(deploy)]));
  }

  /** Keeps what a job gave of the exports, checked, until the deploy's end unites it. */
  async putOutput(id: string, key: string, run: KeptRun): Promise<void> {
    await this.table.put({ ...keys.output(id, key), type: 'output', ...run });
  }

  /** By the key of the job; in no order. */
  async outputsOf(id: string): Promise<Map<string, KeptRun>> {
    const kept = new Map<string, KeptRun>();
    for await (const item of this.table.partition(keys.deploy(id).pk, OUTPUT)) {
      kept.set(item.sk.slice(OUTPUT.length), KeptRun.parse(item));
    }
    return kept;
  }

  async forgetOutputs(id: string, jobs: Iterable<string>): Promise<void> {
    await this.table.writeMany(
      [],
      [...jobs].map((key) => keys.output(id, key)),
    );
  }

  async putExports(id: string, values: Readonly<Record<string, ExportValue>>): Promise<void> {
    await this.table.put({ ...keys.exports(id), type: 'exports', values });
  }

  /** Of two that say how a deploy ended, the first says what it exports: what somebody has imported never changes. */
  async putExportsOnce(id: string, values: Readonly<Record<string, ExportValue>>): Promise<void> {
    await this.table.put({ ...keys.exports(id), type: 'exports', values }, conditions.absent);
  }

  async exportsOf(id: string): Promise<Readonly<Record<string, ExportValue>>> {
    return ((await this.table.get(keys.exports(id)))?.values ?? {}) as Record<string, ExportValue>;
  }
}

function content(deploy: Deploy): { data: unknown; seq: number } {
  const { identity, status, approvals, pending, seq } = deploy;
  return { data: { identity, status, ...(approvals.length > 0 && { approvals }), pending }, seq };
}

function rowOf(item: Item): DeployRow {
  const attributes = Object.fromEntries(
    ATTRIBUTES.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]),
  );
  return {
    deploy: Deploy.parse({ ...(item.data as object), seq: item.seq }),
    ...(attributes as Attributes),
    remaining: (item.remaining as Set<string> | undefined) ?? new Set(),
    sweeps: (item.sweeps as number | undefined) ?? 0,
  };
}
