import { createHash } from 'node:crypto';
import { AwsError } from '../aws-service.ts';
import type { Clock } from '../clock.ts';
import { parseMachine } from './definition.ts';
import type { Change, Journal } from './journal.ts';
import type { JsonObject } from './json.ts';
import { textOf } from './json.ts';
import type { Machine } from './machine.ts';
import { invalid, MACHINE_ARN, type Request, ROLE_ARN, tokenFor, unsupported } from './requests.ts';

/** A state machine as it is kept. Dates in milliseconds. */
export interface MachineRecord {
  readonly arn: string;
  readonly name: string;
  readonly definition: string;
  readonly roleArn: string;
  readonly createdAt: number;
  readonly revisionId: string;
  readonly updatedAt: number;
  readonly status: 'ACTIVE' | 'DELETING';
  readonly loggingConfiguration: JsonObject;
  readonly tracingConfiguration: JsonObject;
  readonly tags: readonly unknown[];
}

interface Surroundings {
  readonly clock: Clock;
  readonly region: string;
  readonly account: string;
  readonly uuid: () => string;
  readonly journal: Journal;
  readonly write: (changes: readonly Change[]) => Promise<void>;
}

/** Definitions kept in memory, as text and ready to run; the others are read from the journal when they are needed. */
const KEPT = 256;

/** The state machines: created, updated, listed, deleted; and their definitions, each kept once by its hash. */
export class Machines {
  readonly #records = new Map<string, MachineRecord>();
  /** Answers are given once their change is durable, also to a second caller of the same. */
  readonly #durable = new Map<string, Promise<void>>();
  readonly #texts = new Map<string, string>();
  readonly #compiled = new Map<string, Machine>();

  constructor(private readonly around: Surroundings) {}

  async load(): Promise<void> {
    for (const [, text] of await this.around.journal.read('machine/')) {
      const record = JSON.parse(text) as MachineRecord;
      this.#records.set(record.arn, record);
    }
  }

  /** What would forget the definitions that no machine and none of these executions needs. */
  async unused(needed: ReadonlySet<string>): Promise<readonly Change[]> {
    const current = new Set([...this.#records.values()].map(({ definition }) => definition));
    const hashes = (await this.around.journal.keys(DEFINITION)).map((key) => key.slice(DEFINITION.length));
    return hashes
      .filter((hash) => !needed.has(hash) && !current.has(hash))
      .map((hash) => ({ drop: DEFINITION + hash }));
  }

  find(arn: string): MachineRecord {
    const record = this.#records.get(arn);
    if (record === undefined) throw new AwsError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
    return record;
  }

  has(arn: string): boolean {
    return this.#records.has(arn);
  }

  /** Resolves once the machine's last change is durable. */
  async settled(arn: string): Promise<void> {
    await this.#durable.get(arn);
  }

  async text(hash: string): Promise<string> {
    const text = this.#texts.get(hash) ?? (await this.around.journal.get(DEFINITION + hash));
    if (text === undefined) throw new Error(`the journal holds no definition ${hash}`);
    keep(this.#texts, hash, text);
    return text;
  }

  async compiled(hash: string): Promise<Machine> {
    const known = this.#compiled.get(hash);
    if (known !== undefined) return known;
    const parsed = parseMachine(await this.text(hash));
    if (!parsed.ok) throw new Error(`the definition ${hash} is no longer accepted: ${parsed.diagnostics[0]?.message}`);
    keep(this.#compiled, hash, parsed.machine);
    return parsed.machine;
  }

  async create(request: Request): Promise<unknown> {
    const name = request.name('name');
    if (name === undefined) throw invalid("Value null at 'name' failed to satisfy constraint: Member must not be null");
    const definition = request.text('definition');
    const roleArn = request.arn('roleArn', ROLE_ARN);
    if (request.choice('type', ['STANDARD', 'EXPRESS']) === 'EXPRESS') throw unsupported('The type EXPRESS');
    if (request.flag('publish', false)) throw unsupported('Publishing a version');
    if (request.has('encryptionConfiguration')) throw unsupported('encryptionConfiguration');
    const hash = this.#accept(definition);
    const { clock, region, account, uuid } = this.around;
    const arn = `arn:aws:states:${region}:${account}:stateMachine:${name}`;
    const loggingConfiguration = request.object('loggingConfiguration') ?? {};
    const tracingConfiguration = request.object('tracingConfiguration') ?? {};
    const existing = this.#records.get(arn);
    if (existing !== undefined) {
      if (existing.status === 'DELETING') throw deleting(arn);
      const same =
        existing.definition === hash &&
        textOf(existing.loggingConfiguration) === textOf(loggingConfiguration) &&
        textOf(existing.tracingConfiguration) === textOf(tracingConfiguration);
      if (!same) throw new AwsError('StateMachineAlreadyExists', `State Machine Already Exists: '${arn}'`);
      await this.settled(arn);
      return { stateMachineArn: arn, creationDate: existing.createdAt / 1000 };
    }
    const now = clock.now();
    await this.#put(
      {
        ...{
          arn,
          name,
          definition: hash,
          roleArn,
          createdAt: now,
          updatedAt: now,
          revisionId: uuid(),
          status: 'ACTIVE',
        },
        ...{ loggingConfiguration, tracingConfiguration, tags: request.list('tags') },
      },
      definition,
    );
    return { stateMachineArn: arn, creationDate: now / 1000 };
  }

  async update(request: Request): Promise<unknown> {
    const record = this.find(request.arn('stateMachineArn', MACHINE_ARN));
    if (record.status === 'DELETING') throw deleting(record.arn);
    const definition = request.optionalText('definition');
    const updated = ['definition', 'roleArn', 'loggingConfiguration', 'tracingConfiguration'];
    if (!updated.some((member) => request.has(member))) {
      throw new AwsError(
        'MissingRequiredParameter',
        'Either the definition, the role ARN, the logging or the tracing configuration must be specified',
      );
    }
    if (request.flag('publish', false)) throw unsupported('Publishing a version');
    if (request.has('encryptionConfiguration')) throw unsupported('encryptionConfiguration');
    const next: MachineRecord = {
      ...record,
      definition: definition === undefined ? record.definition : this.#accept(definition),
      roleArn: request.has('roleArn') ? request.arn('roleArn', ROLE_ARN) : record.roleArn,
      loggingConfiguration: request.object('loggingConfiguration') ?? record.loggingConfiguration,
      tracingConfiguration: request.object('tracingConfiguration') ?? record.tracingConfiguration,
      updatedAt: this.around.clock.now(),
      revisionId: this.around.uuid(),
    };
    await this.#put(next, definition);
    return { updateDate: next.updatedAt / 1000, revisionId: next.revisionId };
  }

  async markDeleting(record: MachineRecord): Promise<void> {
    await this.#put({ ...record, status: 'DELETING' });
  }

  async remove(arn: string): Promise<void> {
    this.#records.delete(arn);
    this.#durable.delete(arn);
    await this.around.write([{ drop: `machine/${arn}/` }]);
  }

  deleting(): string[] {
    return [...this.#records.values()].filter(({ status }) => status === 'DELETING').map(({ arn }) => arn);
  }

  async describe(request: Request): Promise<unknown> {
    const record = this.find(request.arn('stateMachineArn', MACHINE_ARN));
    const withData = request.choice('includedData', ['ALL_DATA', 'METADATA_ONLY']) !== 'METADATA_ONLY';
    return {
      stateMachineArn: record.arn,
      name: record.name,
      status: record.status,
      definition: withData ? await this.text(record.definition) : '{}',
      roleArn: record.roleArn,
      type: 'STANDARD',
      creationDate: record.createdAt / 1000,
      loggingConfiguration: { level: 'OFF', includeExecutionData: false, ...record.loggingConfiguration },
      tracingConfiguration: { enabled: false, ...record.tracingConfiguration },
      revisionId: record.revisionId,
    };
  }

  list(request: Request): unknown {
    const { limit, after = 0 } = request.page();
    const records = [...this.#records.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const page = records.slice(after, after + limit);
    const stateMachines = page.map(({ arn, name, createdAt }) => ({
      ...{ stateMachineArn: arn, name, type: 'STANDARD', creationDate: createdAt / 1000 },
    }));
    const end = after + page.length;
    return { stateMachines, ...(end < records.length ? { nextToken: tokenFor(end) } : {}) };
  }

  validate(request: Request): unknown {
    const definition = request.text('definition');
    if (request.choice('type', ['STANDARD', 'EXPRESS']) === 'EXPRESS') throw unsupported('The type EXPRESS');
    const most = request.page(100).limit;
    const parsed = parseMachine(definition);
    if (parsed.ok) return { result: 'OK', diagnostics: [], truncated: false };
    return {
      result: 'FAIL',
      diagnostics: parsed.diagnostics.slice(0, most),
      truncated: parsed.diagnostics.length > most,
    };
  }

  /** Checks a definition and answers its hash. */
  #accept(definition: string): string {
    const hash = createHash('sha256').update(definition).digest('hex');
    if (this.#compiled.has(hash)) {
      keep(this.#texts, hash, definition);
      return hash;
    }
    const parsed = parseMachine(definition);
    if (!parsed.ok) {
      const said = parsed.diagnostics.map(({ code, message, location }) => `${code}: ${message} at ${location}`);
      throw new AwsError('InvalidDefinition', `Invalid State Machine Definition: '${said.slice(0, 20).join(', ')}'`);
    }
    keep(this.#texts, hash, definition);
    keep(this.#compiled, hash, parsed.machine);
    return hash;
  }

  async #put(record: MachineRecord, definition?: string): Promise<void> {
    this.#records.set(record.arn, record);
    const durable = this.around.write([
      ...(definition === undefined ? [] : [{ put: DEFINITION + record.definition, text: definition }]),
      { put: `machine/${record.arn}/`, text: JSON.stringify(record) },
    ]);
    this.#durable.set(record.arn, durable);
    await durable;
  }
}

const DEFINITION = 'definition/';

/** Keeps the newest entries. */
function keep<T>(cache: Map<string, T>, key: string, value: T): void {
  cache.delete(key);
  cache.set(key, value);
  if (cache.size <= KEPT) return;
  const [oldest] = cache.keys();
  if (oldest !== undefined) cache.delete(oldest);
}

export function deleting(arn: string): AwsError {
  return new AwsError('StateMachineDeleting', `State Machine Deleting: '${arn}'`);
}
