/** What becomes of one deploy. */
import type { Course } from './model-course.ts';
import { leaveOpen, rulesOf, setTimer } from './model-course.ts';
import {
  dependantsOf,
  type ExternalState,
  hasFailed,
  isFrozen,
  isWaiting,
  type ModelState,
  type Run,
  type Unit,
  type Version,
} from './model-units.ts';
import { type LifeDeploy, SUBMITTER } from './world.ts';

/** What only a sweep notices is noticed within this. */
const SWEEP_MS = 6_000;

export function newUnit(
  course: Course,
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
    submittedAt: course.now,
    secondsAsked: rulesOf(course, spec.environment).approval?.seconds,
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
  course.units.set(id, unit);
  return unit;
}

export function stateOf(course: Course, id: string): ModelState | undefined {
  return course.units.get(id)?.state ?? course.externals.get(id)?.state;
}

export function isHeld(course: Course, spec: LifeDeploy, isRollback = false): boolean {
  return !spec.override && !isRollback && isFrozen(rulesOf(course, spec.environment), course.now);
}

/** Its instant has come, if it had one: it waits for others, or is asked about. */
export function wait(course: Course, unit: Unit): void {
  unit.state = 'WAITING';
  if (unit.after.length === 0) ask(course, unit);
  else limitWait(course, unit);
}

export function limitWait(course: Course, unit: Unit): void {
  const isLive = () => unit.state === 'WAITING';
  setTimer(
    course,
    course.now + unit.spec.afterSeconds * 1_000,
    () => end(course, unit, 'DEPENDENCY_FAILED', 'after-timeout'),
    {
      isLive,
      slack: course.slack,
    },
  );
}

export function ask(course: Course, unit: Unit): void {
  const { approval } = rulesOf(course, unit.spec.environment);
  if (approval === undefined || unit.undoes !== undefined) {
    unit.state = 'READY';
    return;
  }
  const { required, self, seconds } = approval;
  const expiresAt = course.now + seconds * 1_000;
  unit.state = 'ASKED';
  unit.asked = { required, self, expiresAt };
  const isLive = () => unit.state === 'ASKED';
  const punctual = unit.begun && unit.secondsAsked === seconds;
  setTimer(course, expiresAt, () => end(course, unit, 'EXPIRED', 'approval-expired'), {
    isLive,
    slack: Math.max(course.slack, punctual ? 0 : SWEEP_MS),
  });
  for (const { by, delay, says } of unit.spec.people) {
    const say = () => {
      if (says === 'reject') {
        end(course, unit, 'REJECTED', 'rejected');
        return;
      }
      if (course.now >= expiresAt || (by === SUBMITTER && !self)) return;
      unit.approvals.add(by);
      if (unit.approvals.size >= required) unit.state = 'READY';
    };
    setTimer(course, course.now + delay, say, { isLive, slack: course.slack });
  }
}

/** What it waits for has succeeded, or can't any more. */
export function judge(course: Course, unit: Unit): void {
  const states = unit.after.map((id) => awaited(course, unit, id));
  if (states.some((state) => state !== undefined && hasFailed(state))) {
    const { run } = unit;
    const others = run === undefined ? [] : [...run.members.values()].filter((other) => other !== unit);
    if (run?.release.onFailure !== 'continue' && others.some((other) => isDoomed(course, other))) {
      leaveOpen(course, 'several of a release lose what they wait for');
    }
    end(course, unit, 'DEPENDENCY_FAILED', 'dependency-failed');
  } else if (unit.state === 'WAITING' && states.every((state) => state === 'SUCCESS')) ask(course, unit);
}

function isDoomed(course: Course, unit: Unit): boolean {
  if (!unit.begun || unit.state !== 'WAITING') return false;
  return unit.after.some((id) => hasFailed(awaited(course, unit, id) ?? 'WAITING'));
}

/** An expectation is the latest run that has begun; one that had failed when the deploy was submitted is not meant. */
function awaited(course: Course, unit: Unit, id: string): ModelState | undefined {
  const [, pipeline, version] = /^expect:(.*)@(.*)$/.exec(id) ?? [];
  if (pipeline === undefined) return stateOf(course, id);
  const begun = [...course.externals.values()]
    .filter((each) => each.pipeline === pipeline && each.version === version && each.begunAt !== undefined)
    .sort((one, other) => (one.begunAt ?? 0) - (other.begunAt ?? 0));
  const isStale = ({ endedAt, state }: ExternalState) =>
    endedAt !== undefined && endedAt <= unit.submittedAt && state !== 'SUCCESS';
  // Which of two runs is meant is open, unless the earlier one is over for good.
  if (begun.slice(0, -1).some((each) => !isStale(each))) leaveOpen(course, 'two runs for one expectation');
  const latest = begun.at(-1);
  return latest === undefined || isStale(latest) ? undefined : latest.state;
}

export function end(course: Course, unit: Unit, state: ModelState, code?: string): void {
  unit.state = state;
  unit.code = code;
  const { run, undoes } = unit;
  const versions = course.versions.get(unit.place) ?? [];
  if (state === 'SUCCESS' && undoes === undefined) {
    const { milliseconds, back } = unit.spec;
    course.versions.set(unit.place, [...versions, { unit, milliseconds, back }]);
  } else if (state === 'SUCCESS') versions.pop();
  if (run === undefined || undoes !== undefined || !hasFailed(state) || run.ended !== undefined) return;
  if (run.phase === 'running' && run.release.onFailure === 'continue') {
    for (const name of dependantsOf(run.release, unit.spec.name)) {
      const other = run.members.get(name);
      if (other !== undefined && isWaiting(other.state)) end(course, other, 'DEPENDENCY_FAILED', 'dependency-failed');
    }
    return;
  }
  if (run.phase === 'running') run.phase = 'failing';
  for (const other of run.members.values()) {
    if (!isWaiting(other.state)) continue;
    // What made this one fail has ended in this instant, and may have left its slot to the other just before.
    if (state === 'DEPENDENCY_FAILED' && other.state === 'READY' && other.order !== undefined)
      leaveOpen(course, 'who is next in line is cancelled as the line moves');
    end(course, other, 'CANCELLED', 'cancelled');
  }
}
