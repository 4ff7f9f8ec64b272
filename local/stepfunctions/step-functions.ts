import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Activity } from '../activity.ts';
import { AwsError, type AwsService } from '../aws-service.ts';
import type { Clock } from '../clock.ts';
import { describedExecution, historyPage, listedExecutions } from './answers.ts';
import { Conductor, type Counters, Killed, type LambdaInvoker, type Stage } from './conductor.ts';
import {
  type ExecutionRecord,
  executionKey,
  Histories,
  happeningsOf,
  inputOf,
  keys,
  type Outcome,
  outcomeOf,
} from './executions.ts';
import type { Change, Journal } from './journal.ts';
import { parseJson } from './json.ts';
import { deleting, Machines } from './machines.ts';
import { EXECUTION_ARN, MACHINE_ARN, Request, unsupported } from './requests.ts';
import { type StatusChange, statusChange } from './status-change.ts';
import { taskToken } from './tasks.ts';

export interface StepFunctionsOptions {
  readonly clock: Clock;
  readonly activity: Activity;
  readonly journal: Journal;
  readonly invoker: LambdaInvoker;
  /** Told of every change at least once: once more for an execution that a kill interrupted at its end. */
  readonly publish?: (change: StatusChange) => void;
  readonly region: string;
  readonly account: string;
  /** Names executions that were started without a name, and revisions. */
  readonly uuid?: () => string;
}

/** A closed execution, its history and its name are kept this long, as on AWS. */
const RETENTION_MS = 90 * 24 * 3600 * 1000;

interface Entry {
  record: ExecutionRecord;
  readonly started: Promise<void>;
  conductor: Conductor | undefined;
}

/** Step Functions in this process: Standard workflows in JSONata, durable in a {@link Journal}. */
export class StepFunctions implements AwsService {
  readonly target = 'AWSStepFunctions';
  readonly counters: Counters = { transitions: 0, invocations: 0, executions: 0 };

  readonly #machines: Machines;
  readonly #executions = new Map<string, Entry>();
  readonly #byKey = new Map<string, Entry>();
  readonly #byMachine = new Map<string, Map<string, Entry>>();
  readonly #histories = new Histories();
  readonly #uuid: () => string;
  readonly #stage: Stage;
  #number = 0;
  #dead = false;
  #resumed: Promise<void> = Promise.resolve();

  constructor(private readonly options: StepFunctionsOptions) {
    const { clock, activity, invoker, region, account } = options;
    this.#uuid = options.uuid ?? randomUUID;
    const write = (changes: readonly Change[]) => this.#write(changes);
    this.#machines = new Machines({ clock, region, account, uuid: this.#uuid, journal: options.journal, write });
    this.#stage = {
      ...{ clock, activity, invoker, write, counters: this.counters, dead: () => this.#dead },
      concluded: (conductor) => this.#concluded(conductor),
    };
  }

  async call(operation: string, input: unknown): Promise<unknown> {
    if (this.#dead) throw new Killed();
    const answer = OPERATIONS.get(operation);
    if (answer === undefined) {
      throw new AwsError('UnknownOperationException', `The operation ${operation} is not supported`);
    }
    const output = await this.options.activity.run(async () => {
      await this.#resumed;
      return answer(this, new Request(input));
    });
    if (this.#dead) throw new Killed();
    return output;
  }

  /** Takes up what the journal holds. Call it once; whatever is called meanwhile waits for it. */
  resume(): Promise<void> {
    this.#resumed = this.options.activity.run(() => this.#resume());
    return this.#resumed;
  }

  /** As `kill -9`: from here on nothing of this instance has any effect. */
  kill(): void {
    this.#dead = true;
    for (const { conductor } of this.#executions.values()) conductor?.silence();
  }

  /** Stops after what is under way, and closes the journal. Running executions go on at the next {@link resume}. */
  async close(): Promise<void> {
    await this.options.activity.idle();
    this.kill();
    await this.options.journal.close();
  }

  // Executions

  async startExecution(request: Request): Promise<unknown> {
    const stateMachineArn = request.arn('stateMachineArn', MACHINE_ARN);
    const { definition } = this.#machines.find(stateMachineArn);
    const compiled = await this.#machines.compiled(definition);
    // From here to the index nothing waits: of two starts of one name, one is the first.
    const machine = this.#machines.find(stateMachineArn);
    if (machine.status === 'DELETING') throw deleting(machine.arn);
    const name = request.name('name') ?? this.#uuid();
    const input = request.json('input', request.optionalText('input') ?? '{}', 'InvalidExecutionInput');
    const { clock, region, account } = this.options;
    const arn = `arn:aws:states:${region}:${account}:execution:${machine.name}:${name}`;
    const inputHash = createHash('sha256').update(input).digest('hex');
    const existing = this.#executions.get(arn);
    if (existing !== undefined && !isExpired(existing.record, clock.now())) {
      const { status, startedAt } = existing.record;
      if (status !== 'RUNNING' || existing.record.inputHash !== inputHash) {
        throw new AwsError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
      }
      await existing.started;
      return { executionArn: arn, startDate: startedAt / 1000 };
    }
    const forgotten = existing === undefined ? [] : this.#forget(existing);
    const at = clock.now();
    const record: ExecutionRecord = {
      ...{ arn, name, machineArn: machine.arn, machineName: machine.name, roleArn: machine.roleArn, region, account },
      ...{ key: executionKey(++this.#number), secret: randomBytes(32).toString('hex'), inputHash },
      ...{ definition, startedAt: at, status: 'RUNNING' },
    };
    const conductor = new Conductor(record, compiled, this.#stage);
    const put = { put: keys.execution(record.key), text: JSON.stringify(record) };
    // The machine's own record stands before this one in the journal, and batches become durable in order.
    const started = conductor.accept({ kind: 'started', at, input }, [...forgotten, put]);
    this.#index({ record, started, conductor });
    await started;
    this.counters.executions++;
    this.#publish(record, input, {});
    return { executionArn: arn, startDate: at / 1000 };
  }

  async stopExecution(request: Request): Promise<unknown> {
    const entry = this.#find(request.arn('executionArn', EXECUTION_ARN));
    const error = request.optionalText('error', 256);
    const cause = request.optionalText('cause', 32_768);
    const at = this.options.clock.now();
    // Stopping what has ended is no error, and changes nothing.
    await entry.conductor?.accept({ kind: 'stopped', at, error, cause });
    return { stopDate: (entry.record.stoppedAt ?? at) / 1000 };
  }

  async describeExecution(request: Request): Promise<unknown> {
    const { record, conductor } = this.#find(request.arn('executionArn', EXECUTION_ARN));
    const { journal } = this.options;
    const outcome = conductor === undefined ? await outcomeOf(journal, record.key) : (conductor.run.conclusion ?? {});
    return describedExecution(record, await inputOf(journal, record.key), outcome);
  }

  listExecutions(request: Request): unknown {
    if (request.has('mapRunArn')) throw unsupported('mapRunArn');
    const machine = this.#machines.find(request.arn('stateMachineArn', MACHINE_ARN));
    const entries = [...(this.#byMachine.get(machine.arn)?.values() ?? [])];
    return listedExecutions(entries.map(({ record }) => record).reverse(), request);
  }

  async describeStateMachineForExecution(request: Request): Promise<unknown> {
    const { record } = this.#find(request.arn('executionArn', EXECUTION_ARN));
    const machine = this.#machines.has(record.machineArn) ? this.#machines.find(record.machineArn) : undefined;
    return {
      stateMachineArn: record.machineArn,
      name: record.machineName,
      definition: await this.#machines.text(record.definition),
      roleArn: record.roleArn,
      updateDate: (machine?.updatedAt ?? record.startedAt) / 1000,
      ...(machine === undefined ? {} : { revisionId: machine.revisionId }),
    };
  }

  async getExecutionHistory(request: Request): Promise<unknown> {
    const { record, conductor } = this.#find(request.arn('executionArn', EXECUTION_ARN));
    if (conductor !== undefined) return historyPage(conductor.run.history, request);
    const machine = await this.#machines.compiled(record.definition);
    return historyPage(await this.#histories.of(this.options.journal, record, machine), request);
  }

  // Task tokens

  async sendTaskSuccess(request: Request): Promise<unknown> {
    const output = request.json('output', request.text('output'), 'InvalidOutput');
    const { conductor, id } = this.#task(request.text('taskToken'));
    await conductor.settle(id, { kind: 'answered', at: this.options.clock.now(), id, output: parseJson(output) });
    return {};
  }

  async sendTaskFailure(request: Request): Promise<unknown> {
    const error = request.optionalText('error', 256);
    const cause = request.optionalText('cause', 32_768);
    const { conductor, id } = this.#task(request.text('taskToken'));
    await conductor.settle(id, { kind: 'refused', at: this.options.clock.now(), id, error, cause });
    return {};
  }

  async sendTaskHeartbeat(request: Request): Promise<unknown> {
    const { conductor, id } = this.#task(request.text('taskToken'));
    await conductor.beat(id);
    return {};
  }

  // State machines

  createStateMachine(request: Request): Promise<unknown> {
    return this.#machines.create(request);
  }

  updateStateMachine(request: Request): Promise<unknown> {
    return this.#machines.update(request);
  }

  describeStateMachine(request: Request): Promise<unknown> {
    return this.#machines.describe(request);
  }

  listStateMachines(request: Request): unknown {
    return this.#machines.list(request);
  }

  validateStateMachineDefinition(request: Request): unknown {
    return this.#machines.validate(request);
  }

  async deleteStateMachine(request: Request): Promise<unknown> {
    const arn = request.arn('stateMachineArn', MACHINE_ARN);
    if (!this.#machines.has(arn)) return {};
    const record = this.#machines.find(arn);
    if (record.status === 'DELETING') return {};
    await this.#machines.markDeleting(record);
    await this.#goOnDeleting(arn);
    return {};
  }

  listTagsForResource(request: Request): unknown {
    return { tags: this.#machines.find(request.arn('resourceArn', MACHINE_ARN)).tags };
  }

  // Bookkeeping

  async #resume(): Promise<void> {
    const { journal, clock } = this.options;
    await this.#machines.load();
    const needed = new Set<string>();
    const expired: ExecutionRecord[] = [];
    const running: Conductor[] = [];
    for (const [, text] of await journal.read('execution/')) {
      const record = JSON.parse(text) as ExecutionRecord;
      this.#number = Math.max(this.#number, Number(record.key));
      if (isExpired(record, clock.now())) {
        expired.push(record);
        continue;
      }
      const entry: Entry = { record, started: Promise.resolve(), conductor: undefined };
      this.#index(entry);
      needed.add(record.definition);
      if (record.status !== 'RUNNING') continue;
      entry.conductor = new Conductor(record, await this.#machines.compiled(record.definition), this.#stage);
      await entry.conductor.replay(await happeningsOf(journal, record.key));
      running.push(entry.conductor);
    }
    const forgotten = [...expired.flatMap(({ key }) => forgetting(key)), ...(await this.#machines.unused(needed))];
    if (forgotten.length > 0) await this.#write(forgotten);
    for (const conductor of running) await conductor.proceed();
    for (const arn of this.#machines.deleting()) await this.#goOnDeleting(arn);
  }

  #find(arn: string): Entry {
    const entry = this.#executions.get(arn);
    if (entry === undefined) throw new AwsError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`);
    return entry;
  }

  #task(token: string): { conductor: Conductor; id: number } {
    const [, key = '', event = ''] = /^(\d{12})\.(\d+)\.[\w-]+$/.exec(token) ?? [];
    const entry = this.#byKey.get(key);
    if (key !== '' && entry === undefined) {
      throw new AwsError('TaskDoesNotExist', "Task Does Not Exist: 'The task of this token is no longer known'");
    }
    const id = Number(event);
    if (entry === undefined || !same(token, taskToken(key, id, entry.record.secret))) {
      throw new AwsError('InvalidToken', "Invalid Token: 'Invalid token'");
    }
    const { conductor } = entry;
    if (conductor?.openTask(id) === undefined) {
      throw new AwsError('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'");
    }
    return { conductor, id };
  }

  async #concluded(conductor: Conductor): Promise<void> {
    const { record, run } = conductor;
    const { conclusion } = run;
    const entry = this.#executions.get(record.arn);
    if (conclusion === undefined || entry === undefined || entry.conductor !== conductor) return;
    const { status, at, output, error, cause } = conclusion;
    const closed: ExecutionRecord = { ...record, status, stoppedAt: at };
    entry.record = closed;
    // Publishing comes first: a kill in between publishes twice, and never not at all.
    this.#publish(closed, run.input, { output, error, cause });
    const written = this.#write([
      { put: keys.outcome(record.key), text: JSON.stringify({ output, error, cause }) },
      { put: keys.execution(record.key), text: JSON.stringify(closed) },
    ]);
    this.#histories.keep(record.key, run.history);
    await written;
    entry.conductor = undefined;
    await this.#endDeletion(record.machineArn);
  }

  /** Lets what runs on the machine end at its next transition. Saying so twice changes nothing. */
  async #goOnDeleting(arn: string): Promise<void> {
    const at = this.options.clock.now();
    for (const { conductor } of this.#byMachine.get(arn)?.values() ?? []) {
      await conductor?.accept({ kind: 'deleted', at });
    }
    await this.#endDeletion(arn);
  }

  async #endDeletion(arn: string): Promise<void> {
    if (!this.#machines.has(arn) || this.#machines.find(arn).status !== 'DELETING') return;
    const entries = [...(this.#byMachine.get(arn)?.values() ?? [])];
    if (entries.every(({ record }) => record.status !== 'RUNNING')) await this.#machines.remove(arn);
  }

  #index(entry: Entry): void {
    const { arn, key, machineArn } = entry.record;
    this.#executions.set(arn, entry);
    this.#byKey.set(key, entry);
    const siblings = this.#byMachine.get(machineArn) ?? new Map<string, Entry>();
    siblings.set(key, entry);
    this.#byMachine.set(machineArn, siblings);
  }

  #forget({ record }: Entry): readonly Change[] {
    this.#executions.delete(record.arn);
    this.#byKey.delete(record.key);
    this.#byMachine.get(record.machineArn)?.delete(record.key);
    return forgetting(record.key);
  }

  #publish(record: ExecutionRecord, input: string, outcome: Outcome): void {
    if (!this.#dead) this.options.publish?.(statusChange(record, input, outcome));
  }

  async #write(changes: readonly Change[]): Promise<void> {
    if (this.#dead) throw new Killed();
    await this.options.journal.write(changes);
    if (this.#dead) throw new Killed();
  }
}

function isExpired({ stoppedAt }: ExecutionRecord, now: number): boolean {
  return stoppedAt !== undefined && now - stoppedAt > RETENTION_MS;
}

function forgetting(key: string): readonly Change[] {
  return [{ drop: keys.execution(key) }, { drop: keys.happenings(key) }, { drop: keys.outcome(key) }];
}

function same(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

type Operation = (service: StepFunctions, request: Request) => Promise<unknown> | unknown;

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['CreateStateMachine', (service, request) => service.createStateMachine(request)],
  ['UpdateStateMachine', (service, request) => service.updateStateMachine(request)],
  ['DeleteStateMachine', (service, request) => service.deleteStateMachine(request)],
  ['DescribeStateMachine', (service, request) => service.describeStateMachine(request)],
  ['DescribeStateMachineForExecution', (service, request) => service.describeStateMachineForExecution(request)],
  ['ListStateMachines', (service, request) => service.listStateMachines(request)],
  ['ValidateStateMachineDefinition', (service, request) => service.validateStateMachineDefinition(request)],
  ['ListTagsForResource', (service, request) => service.listTagsForResource(request)],
  ['StartExecution', (service, request) => service.startExecution(request)],
  ['StopExecution', (service, request) => service.stopExecution(request)],
  ['DescribeExecution', (service, request) => service.describeExecution(request)],
  ['ListExecutions', (service, request) => service.listExecutions(request)],
  ['GetExecutionHistory', (service, request) => service.getExecutionHistory(request)],
  ['SendTaskSuccess', (service, request) => service.sendTaskSuccess(request)],
  ['SendTaskFailure', (service, request) => service.sendTaskFailure(request)],
  ['SendTaskHeartbeat', (service, request) => service.sendTaskHeartbeat(request)],
]);
