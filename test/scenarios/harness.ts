/**
 * An embedded engine in memory, on a clock that the scenario drives: time moves only when nothing is under way. The
 * storage and the jobs of the simulated plugin outlive an engine that is killed.
 */

import { REQUESTS } from '../../bus/incoming.ts';
import { owner } from '../../core/access/actor.ts';
import type { Decision, Deploy } from '../../core/deploy/deploy.ts';
import { isFinal } from '../../core/deploy/deploy.ts';
import type { DeployDocument } from '../../core/documents/deploy.ts';
import type { ReleaseDocument } from '../../core/documents/release.ts';
import type { Release } from '../../core/release/release.ts';
import { awsClients } from '../../local/aws-clients.ts';
import { VirtualClock } from '../../local/clock.ts';
import { openDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { ACCOUNT, type Engine, REGION, type Storage, startEngine, TABLE } from '../../local/engine.ts';
import { type SimulatedEvent, SimulatedWorld, simulatedPlugin } from '../../local/simulated-plugin.ts';
import { memoryJournal } from '../../local/stepfunctions/index.ts';
import { applySetting } from '../../orchestration/apply-setting.ts';
import { approveDeploy, rejectDeploy } from '../../orchestration/approve.ts';
import { cancelDeploy, cancelRelease } from '../../orchestration/cancel.ts';
import { promoteDeploy, rollBackDeploy } from '../../orchestration/go-back.ts';
import { pauseRelease, resumeRelease } from '../../orchestration/pause-release.ts';
import { receiveReport } from '../../orchestration/receive-report.ts';
import { receiveRequest } from '../../orchestration/receive-request.ts';
import { retryRelease } from '../../orchestration/retry-release.ts';
import { submitDeploy } from '../../orchestration/submit-deploy.ts';
import { type Submission, submitRelease } from '../../orchestration/submit-release.ts';
import type { FunctionName } from '../../statemachines/functions.ts';
import { executionName } from '../../statemachines/names.ts';
import { keys } from '../../store/schema.ts';
import { SettingsDocument } from '../../store/settings.ts';
import { openStore, type Store } from '../../store/store.ts';
import type { ItemWritten } from './observed-items.ts';
import { type HeadWritten, Life, observed } from './observed-storage.ts';

const START = Date.UTC(2026, 9, 1);
/** More steps of the clock than any scenario needs: one that needs more hangs. */
const MOST_STEPS = 20_000;
/** Real time that one instant may take: only a scenario that hangs ever sees its end. */
const MOST_REAL_MS = 20_000;

/** Something that happened, in the order in which it did; `at` in milliseconds since the scenario began. */
export type Happened = (HeadWritten | SimulatedEvent) & { readonly at: number };

/** A write beside the heads, and how much of the history came before it. */
export type Recorded = ItemWritten & { readonly at: number; readonly after: number };

interface Sent {
  readonly source?: string;
  readonly bus?: 'renga' | 'default';
  readonly replay?: string;
  /** How often it is delivered. */
  readonly times?: number;
}

type Around = (name: FunctionName, run: () => Promise<unknown>) => Promise<unknown>;

export class Scenario {
  readonly clock = new VirtualClock(START);
  readonly history: Happened[] = [];
  readonly world = new SimulatedWorld((event) => this.history.push({ ...event, at: this.now() }));
  readonly records: Recorded[] = [];
  readonly reported: string[] = [];
  /** Latest state of every head, as the table has it. */
  readonly heads = new Map<string, HeadWritten>();
  #storage: Storage | undefined;
  #store: Store | undefined;
  #engine: Engine | undefined;
  life = new Life();
  /** Stands before every function of every engine from now on. */
  around: Around | undefined;
  /** Sets up every life of an engine from now on. */
  prepare: (life: Life) => void = () => {};

  static async open(): Promise<Scenario> {
    const scenario = new Scenario();
    await scenario.start();
    return scenario;
  }

  /** Milliseconds since the scenario began. */
  now(): number {
    return this.clock.now() - START;
  }

  get isUp(): boolean {
    return this.#engine !== undefined && this.life.alive;
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error('no engine runs');
    return this.#engine;
  }

  get ports() {
    return this.engine.ports;
  }

  /** Starts an engine over what is stored; one that dies while it starts leaves none. */
  async start(): Promise<void> {
    this.#storage ??= { dynamodb: await openDynamoDb(), journal: memoryJournal() };
    this.#store ??= openStore(awsClients([this.#storage.dynamodb], REGION).documents, TABLE);
    const life = new Life();
    this.life = life;
    this.#engine = undefined;
    this.prepare(life);
    const starting = startEngine({
      storage: observed(this.#storage, life, (written) => this.#told(written)),
      clock: this.clock,
      // Whoever may put events on the laptop's bus is the laptop's owner.
      administrators: [`pipeline:${ACCOUNT}`, 'user:ada'],
      plugins: (host) => {
        const plugin = simulatedPlugin(this.world, this.clock, { ended: (token) => life.alive && host.ended(token) });
        const start: typeof plugin.start = (request) => (life.alive ? plugin.start(request) : new Promise(() => {}));
        const stop: typeof plugin.stop = (job) => (life.alive ? plugin.stop(job) : new Promise(() => {}));
        return [{ ...plugin, start, stop }];
      },
      report: (message, error) => this.reported.push(`${message}: ${String(error)}`),
      around: (name, run) => (this.around === undefined ? run() : this.around(name, run)),
    });
    const engine = await Promise.race([starting, life.died.then(() => undefined)]);
    if (engine === undefined) {
      void starting.then((late) => late.kill());
      return;
    }
    void life.died.then(() => engine.kill());
    this.#engine = engine;
  }

  /** Ends the engine as `kill -9` does. */
  kill(): void {
    this.life.end();
    this.#engine?.kill();
    this.#engine = undefined;
  }

  async restart(): Promise<void> {
    this.kill();
    await this.start();
  }

  #told(written: HeadWritten | ItemWritten): void {
    if (written.kind !== 'head') {
      this.records.push({ ...written, at: this.now(), after: this.history.length });
      return;
    }
    const key = `${written.of}/${written.id}`;
    const before = this.heads.get(key);
    this.heads.set(key, written);
    if (before?.seq === written.seq) return;
    this.history.push({ ...written, at: this.now() });
  }

  // What people do

  submit(document: ReleaseDocument, by = 'ada'): Promise<Submission> {
    return this.act(() => submitRelease(this.ports, document, owner(by)));
  }

  deploy(document: DeployDocument, by = 'ada') {
    return this.act(() => submitDeploy(this.ports, document, owner(by), () => 'generated'));
  }

  cancel(id: string, reason = 'changed my mind') {
    return this.act(() => cancelRelease(this.ports, id, owner('ada'), reason));
  }

  cancelDeploy(id: string, reason = 'changed my mind') {
    return this.act(() => cancelDeploy(this.ports, id, owner('ada'), reason));
  }

  pause(id: string) {
    return this.act(() => pauseRelease(this.ports, id, owner('ada')));
  }

  resume(id: string) {
    return this.act(() => resumeRelease(this.ports, id, owner('ada')));
  }

  retry(id: string) {
    return this.act(() => retryRelease(this.ports, id, owner('ada')));
  }

  approve(id: string, by: string, reason?: string) {
    return this.act(() => approveDeploy(this.ports, id, owner(by), reason));
  }

  reject(id: string, by: string, reason = 'not now') {
    return this.act(() => rejectDeploy(this.ports, id, owner(by), reason));
  }

  rollBack(id: string, to?: string, by = 'ada') {
    return this.act(() => rollBackDeploy(this.ports, id, owner(by), () => `${id}-back`, { to }));
  }

  promote(id: string, environment: string, by = 'ada') {
    return this.act(() => promoteDeploy(this.ports, id, environment, owner(by), () => `${id}-${environment}`));
  }

  /** Puts documents that hold from now on in place: environments, configurations in them, pipelines, access. */
  async set(...documents: readonly unknown[]): Promise<void> {
    for (const written of documents) {
      const document = SettingsDocument.parse({ apiVersion: 'renga/v1', ...(written as object) });
      await this.act(() => applySetting(this.ports, document, owner('ada')));
    }
  }

  /** Stops an execution as somebody does in the console. */
  stopDeployExecution(id: string) {
    return this.act(() => this.ports.machines.stop(this.ports.deployMachine, executionName(id), 'by hand'));
  }

  stopReleaseExecution(id: string) {
    return this.act(async () => {
      const { attempt } = await this.release(id);
      await this.ports.machines.stop(attempt.machine.arn, attempt.execution, 'by hand');
    });
  }

  /** Puts an event about a deploy on the bus, as a replay, a duplicate or a stranger would. */
  event(
    detail: Readonly<Record<string, unknown>>,
    type = 'Deploy State Changed',
    { source = 'renga', bus = 'renga', replay, times = 1 }: Sent = {},
  ): Promise<unknown> {
    if (bus === 'default') return this.act(async () => this.engine.events.emit(source, type, detail));
    // What the bus itself does to an event (deliver it again, replay it from an archive) is done for it.
    if (replay !== undefined || times > 1) {
      const again = { id: `event-${type}`, account: ACCOUNT, source, 'detail-type': type, detail: { ...detail } };
      const event = replay === undefined ? again : { ...again, 'replay-name': replay };
      const receive = (REQUESTS as readonly string[]).includes(type) ? receiveRequest : receiveReport;
      const take = () => this.act(() => receive(this.ports, event));
      return Promise.all(Array.from({ length: times }, take));
    }
    return this.act(
      () =>
        this.engine.services[2]?.call('PutEvents', {
          Entries: [{ EventBusName: bus, Source: source, DetailType: type, Detail: JSON.stringify(detail) }],
        }) ?? Promise.resolve(undefined),
    );
  }

  /** Events that came in from elsewhere, with what became of each. */
  async inbox() {
    const page = await this.store.lists.keys('event', 100);
    return this.store.inbox.read(page?.keys ?? []);
  }

  /** Events of a type that the present engine has put on its bus. */
  published(type: string) {
    return this.engine.events.events().filter(({ event }) => event['detail-type'] === type);
  }

  act<T>(task: () => Promise<T>): Promise<T> {
    return this.engine.activity.run(task);
  }

  /** Lets something happen at an instant, in milliseconds since the scenario began. */
  at(instant: number, task: () => Promise<unknown>): void {
    this.clock.at(START + instant, () => void task());
  }

  // Time

  /** Waits until nothing is under way at this instant; false when the engine died. */
  async idle(): Promise<boolean> {
    const { life } = this;
    let bound: NodeJS.Timeout | undefined;
    const stuck = new Promise((_, reject) => {
      bound = setTimeout(() => reject(new Error('something under way does not end')), MOST_REAL_MS);
    });
    await Promise.race([this.#engine?.activity.idle(), life.died, stuck]).finally(() => clearTimeout(bound));
    return life.alive;
  }

  /** Moves time on, one timer at a time, until `reached`; starts another engine when one dies. */
  async until(reached: () => boolean | Promise<boolean>): Promise<void> {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      while (!(await this.idle())) await this.start();
      if (await reached()) return;
      if (!this.clock.step()) throw new Error(`nothing is left to happen\n${this.story()}`);
    }
    throw new Error(`it has not come to that after ${MOST_STEPS} steps\n${this.story()}`);
  }

  /** Moves time to an instant, in milliseconds since the scenario began, and past all that happens in it. */
  async to(instant: number): Promise<void> {
    this.clock.at(START + instant, () => {});
    await this.until(() => (this.clock.next() ?? Number.POSITIVE_INFINITY) > START + instant);
  }

  /** Moves time to an instant while no engine runs, and starts one then. */
  async leap(instant: number): Promise<void> {
    this.kill();
    this.clock.at(START + instant, () => {});
    while ((this.clock.next() ?? Number.POSITIVE_INFINITY) <= START + instant) this.clock.step();
    await this.start();
  }

  /** Moves on until the release and all that it began have ended. */
  async run(id: string): Promise<Release> {
    await this.until(() => this.isOver(id));
    return this.release(id);
  }

  /** Whether a deploy has ended. */
  isEnded(id: string): boolean {
    const state = this.heads.get(`deploy/${id}`)?.state;
    return state !== undefined && isFinal(state as 'SUCCESS');
  }

  isOver(id: string): boolean {
    const state = this.heads.get(`release/${id}`)?.state;
    return state !== undefined && state !== 'PENDING' && !this.#hasOpenDeploys(id);
  }

  #hasOpenDeploys(release: string): boolean {
    for (const { of, id, state } of this.heads.values()) {
      if (of === 'deploy' && id.startsWith(`${release}.`) && !isFinal(state as 'SUCCESS')) return true;
    }
    return false;
  }

  // What can be seen

  /** What is stored, for whoever only looks: no engine answers for it, and none dies of it. */
  get store(): Store {
    if (this.#store === undefined) throw new Error('nothing is stored yet');
    return this.#store;
  }

  async release(id: string): Promise<Release> {
    const row = await this.store.releases.read(id);
    if (row === undefined) throw new Error(`there is no release ${id}`);
    return row.release;
  }

  async deployed(id: string): Promise<Deploy> {
    const row = await this.store.deploys.read(id);
    if (row === undefined) throw new Error(`there is no deploy ${id}`);
    return row.deploy;
  }

  /** States of a release's deploys by name, and of its rollbacks as `rollback.<name>`. */
  states(id: string): Record<string, string> {
    const states: Record<string, string> = {};
    for (const head of this.heads.values()) {
      if (head.of === 'deploy' && head.id.startsWith(`${id}.`)) states[head.id.slice(id.length + 1)] = head.state;
    }
    return states;
  }

  /** Ids in the order in which their jobs started, with the step where it is the plugin's own rollback. */
  started(): string[] {
    return this.world.started.map(({ idempotencyToken }) => idempotencyToken.replace(/\/deploy$/, ''));
  }

  audit(id: string, of: 'deploy' | 'release' = 'deploy'): Promise<Decision[]> {
    return this.store.audit.of(keys[of](id));
  }

  /** Events about an id that came onto the bus of the present engine: `SUCCESS#4`. */
  eventsAbout(id: string): string[] {
    return this.engine.events
      .events()
      .filter(({ bus, event }) => bus === 'renga' && (event.detail as { id?: string }).id === id)
      .map(({ event }) => {
        const { state, seq } = event.detail as { state: string; seq: number };
        return `${state}#${seq}`;
      });
  }

  async executionOf(id: string) {
    return this.ports.machines.status(this.ports.deployMachine, executionName(id));
  }

  async releaseExecution(id: string) {
    const { attempt } = await this.release(id);
    return this.ports.machines.status(attempt.machine.arn, attempt.execution);
  }

  /** Ids of deploys and releases that the sweep still has to look at, however late. */
  async unfinished(): Promise<string[]> {
    const { lists } = this.store;
    const later = this.clock.now() + 365 * 24 * 3600 * 1000;
    return [...(await lists.due('release', later, 200)), ...(await lists.due('deploy', later, 200))];
  }

  /** Every item of the table, as one text to search. */
  async everything(): Promise<string> {
    if (this.#storage === undefined) throw new Error('nothing is stored yet');
    return JSON.stringify(await this.#storage.dynamodb.call('Scan', { TableName: TABLE }));
  }

  /** How many events the history of an execution has. */
  async historyLength(executionArn: string): Promise<number> {
    let count = 0;
    let nextToken: string | undefined;
    do {
      const page = (await this.engine.stepFunctions.call('GetExecutionHistory', {
        executionArn,
        maxResults: 1000,
        ...(nextToken !== undefined && { nextToken }),
      })) as { events: unknown[]; nextToken?: string };
      count += page.events.length;
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
    return count;
  }

  /** The history as lines, for a test that fails. */
  story(): string {
    return this.history
      .map((entry) => {
        const at = `${(entry.at / 1000).toFixed(3)}s`;
        if (entry.kind === 'head') {
          return `${at} ${entry.of} ${entry.id} #${entry.seq} ${entry.state} ${entry.phase ?? ''}`;
        }
        return `${at} ${entry.kind} ${entry.token} ${entry.kind === 'job-ended' ? entry.status : ''}`;
      })
      .join('\n');
  }
}
