/**
 * What a world must come to, worked out from the rules alone: an abstract simulation over milliseconds that knows nothing
 * of tables, machines or events. It shares no code with what it judges.
 *
 * The rules: a deploy waits for its instant, then for what must succeed first, then for those who must agree, then in
 * line for a slot of its environment and for its place, first come, first served; a release's rollbacks go before. A
 * freeze holds whoever has not started. A failure is judged the moment its deploy ends.
 */
import {
  dependantsOf,
  type ExternalState,
  hasFailed,
  isFrozen,
  isOver,
  isWaiting,
  type ModelState,
  type Run,
  stagesOf,
  type Timer,
  type Unit,
  type Version,
} from './model-units.ts';
import {
  type Act,
  BEFORE_MS,
  idsOf,
  type LifeDeploy,
  type LifeRelease,
  type Report,
  type Rules,
  SUBMITTER,
  type Submission,
  type World,
} from './world.ts';

/** What only a sweep notices is noticed within this. */
const SWEEP_MS = 6_000;

export interface Predicted {
  readonly state: ModelState;
  readonly code: string | undefined;
  readonly startedAt: number | undefined;
  readonly slack: number;
}

export interface Prediction {
  readonly deploys: ReadonlyMap<string, Predicted>;
  readonly releases: ReadonlyMap<string, 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined>;
  /** Why the rules leave the outcome open; undefined when they fix it. */
  readonly ambiguous: string | undefined;
  /** Whether the end of something would be another if something else took longer. */
  readonly hangsOnInstants: boolean;
}

/** `line`: who stands before whom of two that come to a line in the same instant, which the rules leave open. */
export function predict(world: World, line: (one: string, other: string) => number): Prediction {
  return new Simulation(world, line).run();
}

class Simulation {
  readonly #world: World;
  readonly #line: (one: string, other: string) => number;
  readonly #timers = new Set<Timer>();
  readonly #units = new Map<string, Unit>();
  readonly #runs = new Map<string, Run>();
  readonly #externals = new Map<string, ExternalState>();
  /** The current version last. */
  readonly #versions = new Map<string, Version[]>();
  #now = 0;
  #slack = 0;
  #orders = 0;
  #ambiguous: string | undefined;
  #hangsOnInstants = false;

  constructor(world: World, line: (one: string, other: string) => number) {
    this.#world = world;
    this.#line = line;
    for (const { application, environment } of world.before) {
      const version: Version = { unit: undefined, milliseconds: BEFORE_MS, back: 'success' };
      this.#versions.set(`${application} ${environment}`, [version]);
    }
    for (const submission of world.submissions) this.#at(submission.at, () => this.#submit(submission));
    for (const { documents } of world.environments) {
      for (const { at, freezes } of documents) {
        if (at > 0) this.#at(at, () => {});
        for (const { to } of freezes) this.#at(to, () => {}, { quiet: true });
      }
    }
    for (const { id, pipeline, version, reports } of world.pipelines) {
      const known: ExternalState = {
        pipeline,
        version,
        begunAt: undefined,
        state: undefined,
        endedAt: undefined,
        kept: undefined,
      };
      this.#externals.set(id, known);
      for (const report of reports) this.#at(report.at, () => this.#report(known, report));
    }
    for (const act of world.acts) this.#at(act.at, () => this.#act(act));
  }

  run(): Prediction {
    for (;;) {
      const next = Math.min(...[...this.#timers].map(({ at }) => at));
      if (next === Number.POSITIVE_INFINITY) break;
      this.#now = next;
      const due = [...this.#timers].filter(({ at }) => at === next);
      for (const timer of due) this.#timers.delete(timer);
      const live = due.filter(({ isLive }) => isLive());
      if (live.filter(({ quiet }) => !quiet).length > 1) this.#open('two things in one instant');
      this.#slack = Math.max(0, ...live.map(({ slack }) => slack));
      for (const timer of live) timer.run();
      this.#settle();
      if (this.#slack > 0) {
        const near = [...this.#timers].some(({ at, isLive }) => at <= next + this.#slack && isLive());
        if (near) this.#open('something else may have come first');
      }
    }
    return {
      deploys: new Map(
        [...this.#units].map(([id, { state, code, startedAt, slack }]) => [id, { state, code, startedAt, slack }]),
      ),
      releases: new Map([...this.#runs].map(([id, { ended }]) => [id, ended])),
      ambiguous: this.#ambiguous,
      hangsOnInstants: this.#hangsOnInstants,
    };
  }

  #at(at: number, run: () => void, more: Partial<Timer> = {}): void {
    this.#timers.add({ at, run, slack: 0, quiet: false, isLive: () => true, ...more });
  }

  #open(why: string): void {
    this.#ambiguous ??= `${why} at ${this.#now}`;
  }

  #rules(environment: string): Rules {
    const documents = this.#world.environments.find(({ name }) => name === environment)?.documents ?? [];
    return documents.findLast(({ at }) => at <= this.#now) as Rules;
  }

  // What comes from outside

  #submit(submission: Submission): void {
    const deploys = submission.kind === 'deploy' ? [submission.deploy] : submission.deploys;
    const [id = ''] = submission.kind === 'deploy' ? idsOf(submission) : [submission.id];
    if (this.#units.has(id) || this.#runs.has(id)) return;
    if (deploys.some((each) => this.#isHeld(each))) return;
    const outer = deploys.flatMap((each) => each.outer).filter((other) => !other.startsWith('expect:'));
    const states = outer.map((other) => this.#stateOf(other));
    if (states.includes(undefined)) return;
    if (states.some((state) => state !== undefined && hasFailed(state))) {
      this.#hangsOnInstants = true;
      return;
    }
    if (submission.kind === 'release') {
      this.#accept(submission);
      return;
    }
    const { deploy, at } = submission;
    const due = deploy.scheduledIn === undefined ? undefined : at + deploy.scheduledIn * 1_000;
    // Sent again after its instant has passed, it is refused.
    if (due !== undefined && due < this.#now) return;
    const unit = this.#unit(id, deploy, undefined, deploy.outer);
    unit.begun = true;
    if (due !== undefined && due > this.#now) {
      unit.state = 'SCHEDULED';
      this.#at(due, () => this.#wait(unit), { isLive: () => unit.state === 'SCHEDULED' });
    } else this.#wait(unit);
  }

  #unit(
    id: string,
    spec: LifeDeploy,
    run: Run | undefined,
    after: readonly string[],
    undoes?: { readonly unit: Unit; readonly to: Version },
  ): Unit {
    const unit: Unit = {
      id,
      spec,
      place: `${spec.application} ${spec.environment}`,
      run,
      undoes,
      after,
      submittedAt: this.#now,
      secondsAsked: this.#rules(spec.environment).approval?.seconds,
      state: 'WAITING',
      begun: false,
      asked: undefined,
      approvals: new Set(),
      order: undefined,
      cameAt: undefined,
      startedAt: undefined,
      slack: 0,
      code: undefined,
    };
    this.#units.set(id, unit);
    return unit;
  }

  #report(known: ExternalState, { says, foreign }: Report): void {
    if (foreign) return;
    if (says === 'started') {
      if (known.begunAt !== undefined) return;
      known.begunAt = this.#now;
      known.state = known.kept ?? 'RUNNING';
      if (known.kept !== undefined) known.endedAt = this.#now;
    } else if (known.begunAt === undefined) known.kept ??= says;
    else if (known.state === 'RUNNING') {
      known.state = says;
      known.endedAt = this.#now;
    }
  }

  #act(act: Act): void {
    switch (act.what) {
      case 'submit again': {
        const again = this.#world.submissions[act.submission];
        if (again !== undefined && again.at < this.#now) this.#submit(again);
        return;
      }
      case 'cancel deploy': {
        const unit = this.#units.get(act.id);
        if (unit !== undefined && !isOver(unit.state)) this.#end(unit, 'CANCELLED', 'cancelled');
        return;
      }
      case 'cancel': {
        const run = this.#runs.get(act.release);
        if (run === undefined || run.ended !== undefined) return;
        run.phase = 'cancelling';
        for (const unit of [...run.members.values()]) {
          if (!isOver(unit.state)) this.#end(unit, 'CANCELLED', 'cancelled');
        }
        for (const unit of run.rollbacks) if (isWaiting(unit.state)) this.#end(unit, 'CANCELLED', 'cancelled');
        return;
      }
      case 'pause': {
        const run = this.#runs.get(act.release);
        if (run === undefined || run.ended !== undefined) return;
        run.paused = true;
        run.wasPaused = true;
        this.#at(this.#now + act.milliseconds, () => {
          run.paused = false;
        });
        return;
      }
      case 'retry': {
        const run = this.#runs.get(act.release);
        if (run !== undefined && run.ended !== undefined && run.ended !== 'SUCCESS') this.#retry(run);
      }
    }
  }

  // One deploy

  #stateOf(id: string): ModelState | undefined {
    return this.#units.get(id)?.state ?? this.#externals.get(id)?.state;
  }

  #isHeld(spec: LifeDeploy, isRollback = false): boolean {
    return !spec.override && !isRollback && isFrozen(this.#rules(spec.environment), this.#now);
  }

  /** Its instant has come, if it had one: it waits for others, or is asked about. */
  #wait(unit: Unit): void {
    unit.state = 'WAITING';
    if (unit.after.length === 0) this.#ask(unit);
    else this.#limitWait(unit);
  }

  #limitWait(unit: Unit): void {
    const isLive = () => unit.state === 'WAITING';
    this.#at(this.#now + unit.spec.afterSeconds * 1_000, () => this.#end(unit, 'DEPENDENCY_FAILED', 'after-timeout'), {
      isLive,
      slack: this.#slack,
    });
  }

  #ask(unit: Unit): void {
    const { approval } = this.#rules(unit.spec.environment);
    if (approval === undefined || unit.undoes !== undefined) {
      unit.state = 'READY';
      return;
    }
    const { required, self, seconds } = approval;
    const expiresAt = this.#now + seconds * 1_000;
    unit.state = 'ASKED';
    unit.asked = { required, self, expiresAt };
    const isLive = () => unit.state === 'ASKED';
    const punctual = unit.begun && unit.secondsAsked === seconds;
    this.#at(expiresAt, () => this.#end(unit, 'EXPIRED', 'approval-expired'), {
      isLive,
      slack: Math.max(this.#slack, punctual ? 0 : SWEEP_MS),
    });
    for (const { by, delay, says } of unit.spec.people) {
      const say = () => {
        if (says === 'reject') {
          this.#end(unit, 'REJECTED', 'rejected');
          return;
        }
        if (this.#now >= expiresAt || (by === SUBMITTER && !self)) return;
        unit.approvals.add(by);
        if (unit.approvals.size >= required) unit.state = 'READY';
      };
      this.#at(this.#now + delay, say, { isLive, slack: this.#slack });
    }
  }

  /** What it waits for has succeeded, or can't any more. */
  #judge(unit: Unit): void {
    const states = unit.after.map((id) => this.#awaited(unit, id));
    if (states.some((state) => state !== undefined && hasFailed(state))) {
      const { run } = unit;
      const others = run === undefined ? [] : [...run.members.values()].filter((other) => other !== unit);
      if (run?.release.onFailure !== 'continue' && others.some((other) => this.#isDoomed(other))) {
        this.#open('several of a release lose what they wait for');
      }
      this.#end(unit, 'DEPENDENCY_FAILED', 'dependency-failed');
    } else if (unit.state === 'WAITING' && states.every((state) => state === 'SUCCESS')) this.#ask(unit);
  }

  #isDoomed(unit: Unit): boolean {
    if (!unit.begun || unit.state !== 'WAITING') return false;
    return unit.after.some((id) => hasFailed(this.#awaited(unit, id) ?? 'WAITING'));
  }

  /** An expectation is the latest run that has begun; one that had failed when the deploy was submitted is not meant. */
  #awaited(unit: Unit, id: string): ModelState | undefined {
    const [, pipeline, version] = /^expect:(.*)@(.*)$/.exec(id) ?? [];
    if (pipeline === undefined) return this.#stateOf(id);
    const begun = [...this.#externals.values()]
      .filter((each) => each.pipeline === pipeline && each.version === version && each.begunAt !== undefined)
      .sort((one, other) => (one.begunAt ?? 0) - (other.begunAt ?? 0));
    const isStale = ({ endedAt, state }: ExternalState) =>
      endedAt !== undefined && endedAt <= unit.submittedAt && state !== 'SUCCESS';
    // Which of two runs is meant is open, unless the earlier one is over for good.
    if (begun.slice(0, -1).some((each) => !isStale(each))) this.#open('two runs for one expectation');
    const latest = begun.at(-1);
    return latest === undefined || isStale(latest) ? undefined : latest.state;
  }

  #end(unit: Unit, state: ModelState, code?: string): void {
    unit.state = state;
    unit.code = code;
    const { run, undoes } = unit;
    const versions = this.#versions.get(unit.place) ?? [];
    if (state === 'SUCCESS' && undoes === undefined) {
      const { milliseconds, back } = unit.spec;
      this.#versions.set(unit.place, [...versions, { unit, milliseconds, back }]);
    } else if (state === 'SUCCESS') versions.pop();
    if (run === undefined || undoes !== undefined || !hasFailed(state) || run.ended !== undefined) return;
    if (run.phase === 'running' && run.release.onFailure === 'continue') {
      for (const name of dependantsOf(run.release, unit.spec.name)) {
        const other = run.members.get(name);
        if (other !== undefined && isWaiting(other.state)) this.#end(other, 'DEPENDENCY_FAILED', 'dependency-failed');
      }
      return;
    }
    if (run.phase === 'running') run.phase = 'failing';
    for (const other of run.members.values()) {
      if (isWaiting(other.state)) this.#end(other, 'CANCELLED', 'cancelled');
    }
  }

  // A release

  #accept(release: LifeRelease): void {
    const run: Run = {
      release,
      attempt: 1,
      phase: 'running',
      paused: false,
      wasPaused: false,
      stage: -1,
      ended: undefined,
      members: new Map(),
      rollbacks: [],
      toRollBack: [],
    };
    this.#runs.set(release.id, run);
    this.#record(run);
  }

  /** Records what is not there yet, in the plan's order. */
  #record(run: Run): void {
    const { id, deploys, start } = run.release;
    const suffix = run.attempt === 1 ? '' : `.r${run.attempt}`;
    for (const name of stagesOf(run.release).flat()) {
      const spec = deploys.find((each) => each.name === name);
      if (spec === undefined || run.members.has(name)) continue;
      if (this.#isHeld(spec)) this.#open('a freeze when it is recorded again');
      const inner = spec.after.map((other) => run.members.get(other)?.id ?? '');
      const unit = this.#unit(`${id}.${name}${suffix}`, spec, run, [...inner, ...spec.outer]);
      run.members.set(name, unit);
    }
    const first = stagesOf(run.release)[0] ?? [];
    for (const [name, unit] of run.members) {
      if (isOver(unit.state)) continue;
      // Its machine starts in this same instant.
      unit.begun = start === 'eager' || first.includes(name);
      if (unit.after.length === 0) this.#ask(unit);
      else if (unit.begun) this.#limitWait(unit);
    }
    run.stage = 0;
  }

  #proceed(run: Run): void {
    if (run.ended !== undefined) return;
    const { release, members } = run;
    const stages = stagesOf(release);
    const over = (name: string) => isOver(members.get(name)?.state ?? 'WAITING');
    while (run.stage + 1 < stages.length && (stages[run.stage] ?? []).every(over)) {
      run.stage++;
      for (const name of stages[run.stage] ?? []) {
        const unit = members.get(name);
        if (unit === undefined || unit.begun || isOver(unit.state)) continue;
        unit.begun = true;
        if (unit.state === 'WAITING' && unit.spec.outer.length > 0) this.#limitWait(unit);
      }
    }
    if (![...members.keys()].every(over)) return;
    if (run.phase === 'failing' && release.onFailure === 'rollback') {
      run.phase = 'rolling-back';
      run.toRollBack = stages
        .flat()
        .reverse()
        .filter((name) => members.get(name)?.state === 'SUCCESS');
    }
    const last = run.rollbacks.at(-1);
    if (last !== undefined && !isOver(last.state)) return;
    const goesOn = run.phase === 'rolling-back' && (last === undefined || last.state === 'SUCCESS');
    const next = goesOn ? run.toRollBack.shift() : undefined;
    if (next !== undefined) {
      this.#rollBack(run, next);
      return;
    }
    const all = [...members.values()].every(({ state }) => state === 'SUCCESS');
    run.ended = run.phase === 'cancelling' ? 'CANCELLED' : all ? 'SUCCESS' : 'ERROR';
  }

  #rollBack(run: Run, name: string): void {
    const unit = run.members.get(name) as Unit;
    const versions = this.#versions.get(unit.place) ?? [];
    const to = versions.at(-2);
    const suffix = run.attempt === 1 ? '' : `.r${run.attempt}`;
    const nothing: Version = { unit: undefined, milliseconds: 0, back: 'error' };
    const back = this.#unit(`${run.release.id}.rollback.${name}${suffix}`, unit.spec, run, [], {
      unit,
      to: to ?? nothing,
    });
    back.begun = true;
    back.state = 'READY';
    run.rollbacks.push(back);
    if (versions.at(-1)?.unit !== unit) this.#end(back, 'ERROR', 'superseded');
    else if (to === undefined) this.#end(back, 'ERROR', 'no-previous-version');
    if (isOver(back.state)) this.#proceed(run);
  }

  #retry(run: Run): void {
    const backAgain = new Set(
      run.rollbacks.filter(({ state }) => state === 'SUCCESS').map(({ undoes }) => undoes?.unit),
    );
    const kept = [...run.members].filter(([, unit]) => unit.state === 'SUCCESS' && !backAgain.has(unit));
    if (kept.some(([, unit]) => this.#versions.get(unit.place)?.at(-1)?.unit !== unit)) return;
    run.attempt++;
    run.phase = 'running';
    run.paused = false;
    run.ended = undefined;
    run.members = new Map(kept);
    run.rollbacks = [];
    run.toRollBack = [];
    this.#record(run);
  }

  // What follows in the same instant

  #settle(): void {
    for (let before = ''; before !== this.#picture(); ) {
      before = this.#picture();
      for (const unit of this.#units.values()) {
        if (unit.state === 'SCHEDULED' || (unit.state === 'WAITING' && unit.begun)) this.#judge(unit);
      }
      for (const run of this.#runs.values()) this.#proceed(run);
    }
    const came = [...this.#units.values()].filter(
      (unit) => unit.state === 'READY' && unit.begun && unit.order === undefined && unit.run?.paused !== true,
    );
    came.sort((one, other) => rankOf(one) - rankOf(other) || this.#line(one.id, other.id));
    for (const unit of came) {
      unit.order = this.#orders++;
      unit.cameAt = this.#now;
    }
    for (const { name } of this.#world.environments) this.#grant(name);
  }

  #picture(): string {
    const units = [...this.#units.values()].map(({ state, begun }) => `${state}${begun}`);
    return [...units, ...[...this.#runs.values()].map(({ stage, phase, ended }) => `${stage}${phase}${ended}`)].join();
  }

  /** Lets those in line start: as many as there are slots, one a place. */
  #grant(environment: string): void {
    const here = [...this.#units.values()].filter(({ spec }) => spec.environment === environment);
    const { concurrency = Number.POSITIVE_INFINITY } = this.#rules(environment);
    const candidates = here
      .filter((unit) => unit.state === 'READY' && unit.order !== undefined && unit.run?.paused !== true)
      .filter((unit) => !this.#isHeld(unit.spec, unit.undoes !== undefined))
      .sort((one, other) => rankOf(one) - rankOf(other) || (one.order ?? 0) - (other.order ?? 0));
    const free = concurrency - here.filter(({ state }) => state === 'RUNNING').length;
    const busy = new Set(here.filter(({ state }) => state === 'RUNNING').map(({ place }) => place));
    const able = candidates.filter(({ place }) => !busy.has(place));
    this.#watchOrder(able, free);
    let left = free;
    let gone = false;
    for (const unit of able) {
      if (left <= 0 || busy.has(unit.place)) continue;
      if (!this.#start(unit)) {
        gone = true;
        continue;
      }
      busy.add(unit.place);
      left--;
    }
    if (gone) this.#settle();
  }

  /** Whoever comes in the instant in which a place gets free, and goes before those in line, may come too late for it. */
  #watchOrder(able: readonly Unit[], free: number): void {
    const limited = free !== Number.POSITIVE_INFINITY;
    const contended = (unit: Unit) =>
      able.some((other) => other !== unit && (other.place === unit.place || able.length > free));
    for (const unit of able) {
      if (unit.undoes !== undefined && unit.cameAt === this.#now && contended(unit)) {
        this.#open('a rollback comes as others start');
      }
      if (!limited && contended(unit) && (unit.spec.override || unit.run?.wasPaused === true)) {
        this.#open('who has gone before, or stepped aside, meets others in its place');
      }
    }
  }

  /** False when there is nothing to start any more: the next may, in the same instant. */
  #start(unit: Unit): boolean {
    const { undoes, spec } = unit;
    if (undoes !== undefined && this.#versions.get(unit.place)?.at(-1)?.unit !== undoes.unit) {
      this.#end(unit, 'ERROR', 'superseded');
      return false;
    }
    unit.state = 'RUNNING';
    unit.startedAt = this.#now;
    unit.slack = this.#slack;
    const [milliseconds, outcome] =
      undoes === undefined ? [spec.milliseconds, spec.outcome] : [undoes.to.milliseconds, undoes.to.back];
    const end = () => (outcome === 'success' ? this.#end(unit, 'SUCCESS') : this.#end(unit, 'ERROR', 'plugin-failed'));
    this.#at(this.#now + milliseconds, end, { isLive: () => unit.state === 'RUNNING', slack: this.#slack });
    return true;
  }
}

function rankOf({ undoes }: Unit): number {
  return undoes === undefined ? 1 : 0;
}
