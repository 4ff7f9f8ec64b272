/** Carries a world's inputs into a scenario at their instants, again when an engine dies in the middle of one. */
import type { Envelope } from '../../../bus/incoming.ts';
import { ACCOUNT } from '../../../local/engine.ts';
import { receiveReport } from '../../../orchestration/receive-report.ts';
import { entryOf } from '../../../store/inventory.ts';
import type { Store } from '../../../store/store.ts';
import type { Scenario } from '../harness.ts';
import {
  type Act,
  BEFORE_MS,
  BEGINNING,
  deployDocument,
  type ExternalRun,
  environmentDocument,
  type LifeDeploy,
  type Report,
  releaseDocument,
  SUBMITTER,
  type Submission,
  type World,
} from './world.ts';

/** More engines than any case lets die. */
const MOST_LIVES = 20;

interface Input {
  readonly at: number;
  readonly run: () => Promise<unknown>;
}

export class Inputs {
  readonly #scenario: Scenario;
  readonly #left = new Set<Input>();
  readonly #people = new Map<string, LifeDeploy['people']>();
  readonly #asked = new Set<string>();
  #seen = 0;
  #starting: Promise<void> | undefined;
  /** What somebody was told that is no refusal. */
  readonly surprises: string[] = [];

  constructor(scenario: Scenario, world: World) {
    this.#scenario = scenario;
    for (const { name, documents } of world.environments) {
      for (const { at, ...rules } of documents) {
        if (at > 0) this.#add(at, () => scenario.set(environmentDocument(name, rules)));
      }
    }
    for (const submission of world.submissions) {
      this.#add(submission.at, () => this.#submit(submission));
      const deploys = submission.kind === 'deploy' ? [submission.deploy] : submission.deploys;
      for (const each of deploys) {
        this.#people.set(submission.kind === 'deploy' ? each.name : `${submission.id}.${each.name}`, each.people);
      }
    }
    for (const run of world.pipelines) {
      for (const [index, report] of run.reports.entries()) this.#add(report.at, () => this.#report(run, report, index));
    }
    for (const act of world.acts) this.#add(act.at, () => this.#act(world, act));
  }

  get isEmpty(): boolean {
    return this.#left.size === 0;
  }

  /** Moves on until everything has been put in and `settled`. */
  async carryOut(settled: () => Promise<boolean>): Promise<void> {
    const scenario = this.#scenario;
    for (;;) {
      this.#listen();
      const next = Math.min(...[...this.#left].map(({ at }) => at));
      let due = false;
      await scenario.until(async () => {
        if (this.#listen()) return true;
        const upcoming = (scenario.clock.next() ?? Number.POSITIVE_INFINITY) - BEGINNING;
        due = next <= scenario.now() && upcoming > next;
        return due || (this.isEmpty && (await settled()));
      });
      if (!due && this.isEmpty) return;
      if (!due) continue;
      const now = [...this.#left].filter(({ at }) => at <= scenario.now());
      for (const input of now) this.#left.delete(input);
      // What falls into one instant happens at once.
      await Promise.all(now.map(({ run }) => this.#insist(run)));
    }
  }

  #add(at: number, run: () => Promise<unknown>): void {
    this.#left.add({ at, run });
    this.#scenario.clock.at(BEGINNING + at, () => {});
  }

  /** Those who are asked take their time; true when somebody has been. */
  #listen(): boolean {
    const before = this.#left.size;
    const { history } = this.#scenario;
    for (; this.#seen < history.length; this.#seen++) {
      const entry = history[this.#seen];
      if (entry?.kind !== 'head' || entry.state !== 'AWAITING_APPROVAL' || this.#asked.has(entry.id)) continue;
      const { id, at } = entry;
      this.#asked.add(id);
      for (const { by, delay, says } of this.#people.get(id.replace(/\.r\d+$/, '')) ?? []) {
        const say = () => (says === 'approve' ? this.#scenario.approve(id, by) : this.#scenario.reject(id, by));
        this.#add(at + delay, say);
      }
    }
    return this.#left.size > before;
  }

  /** Whoever is cut off tries again; whoever is refused lets it be. */
  async #insist(run: () => Promise<unknown>): Promise<void> {
    const scenario = this.#scenario;
    for (let lives = 0; lives < MOST_LIVES; lives++) {
      await this.#startAgain();
      const { life } = scenario;
      const attempt = run().then(
        () => 'done' as const,
        (error: unknown) => {
          const { name } = error as { name?: string };
          if (name !== 'RengaError' && life.alive) this.surprises.push(String(error));
          return 'done' as const;
        },
      );
      if ((await Promise.race([attempt, life.died])) === 'done' && life.alive) return;
    }
  }

  /** One engine at a time over one storage, however many wait for it. */
  #startAgain(): Promise<void> {
    this.#starting ??= (async () => {
      while (!this.#scenario.isUp) await this.#scenario.start();
    })().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  #submit(submission: Submission): Promise<unknown> {
    return submission.kind === 'deploy'
      ? this.#scenario.deploy(deployDocument(submission), SUBMITTER)
      : this.#scenario.submit(releaseDocument(submission), SUBMITTER);
  }

  async #report({ id, pipeline, version, environment }: ExternalRun, report: Report, index: number): Promise<void> {
    const scenario = this.#scenario;
    const started = report.says === 'started';
    const detail = started
      ? { id, pipeline, application: 'outside', environment, version }
      : { id, state: report.says };
    const event: Envelope = {
      id: `${id}-${index}`,
      account: ACCOUNT,
      source: report.foreign ? 'com.example.stranger' : 'com.example.ci',
      'detail-type': started ? 'Deploy Started' : 'Deploy Concluded',
      detail,
    };
    const take = () => scenario.act(() => receiveReport(scenario.ports, event));
    await Promise.all(Array.from({ length: report.times }, take));
  }

  async #act(world: World, act: Act): Promise<unknown> {
    const scenario = this.#scenario;
    switch (act.what) {
      case 'submit again': {
        const again = world.submissions[act.submission];
        return again === undefined || again.at >= scenario.now() ? undefined : this.#submit(again);
      }
      case 'cancel deploy':
        return scenario.cancelDeploy(act.id);
      case 'cancel':
        return scenario.cancel(act.release);
      case 'retry':
        return scenario.retry(act.release);
      case 'pause':
        this.#add(scenario.now() + act.milliseconds, () => scenario.resume(act.release));
        return scenario.pause(act.release);
    }
  }
}

/** Puts what holds from the beginning in place, and the versions that places had before, as if releases had brought them. */
export async function prepareWorld(scenario: Scenario, world: World): Promise<void> {
  for (const { name, documents } of world.environments) {
    const [first] = documents;
    if (first !== undefined) await scenario.set(environmentDocument(name, first));
  }
  for (const place of world.before) await bringBefore(scenario.store, place);
}

async function bringBefore(store: Store, { application, environment }: World['before'][number]): Promise<void> {
  const current = await store.inventory.current({ application, environment });
  if (entryOf(current, application) !== undefined) return;
  const artifact = { type: 'application', name: application, version: 'before' };
  const params = { NAME: application, SECONDS: String(BEFORE_MS / 1_000), ROLLBACK_OUTCOME: 'success' };
  const [configuration = ''] = await store.bodies.put({ artifact, plugin: 'simulated', params, provenance: {} });
  const publication = { deploy: `before.${application}`, application, environment, artifact };
  await store.inventory.publish({ ...publication, plugin: 'simulated', configuration }, 0);
}
