/** Who goes on in an instant in which something has happened: waits that end, releases that proceed, lines that are served. */
import type { Course } from './model-course.ts';
import { leaveOpen, rulesOf, setTimer } from './model-course.ts';
import { end, isHeld, judge } from './model-deploys.ts';
import { proceed } from './model-releases.ts';
import type { Unit } from './model-units.ts';

export function settle(course: Course): void {
  for (let before = ''; before !== picture(course); ) {
    before = picture(course);
    for (const unit of course.units.values()) {
      if (unit.state === 'SCHEDULED' || (unit.state === 'WAITING' && unit.begun)) judge(course, unit);
    }
    for (const run of course.runs.values()) proceed(course, run);
  }
  const came = [...course.units.values()].filter(
    (unit) => unit.state === 'READY' && unit.begun && unit.order === undefined && unit.run?.paused !== true,
  );
  came.sort((one, other) => rankOf(one) - rankOf(other) || course.line(one.id, other.id));
  for (const unit of came) {
    unit.order = course.orders++;
    unit.cameAt = course.now;
  }
  for (const { name } of course.world.environments) grant(course, name);
}

function picture(course: Course): string {
  const units = [...course.units.values()].map(({ state, begun }) => `${state}${begun}`);
  return [...units, ...[...course.runs.values()].map(({ stage, phase, ended }) => `${stage}${phase}${ended}`)].join();
}

/** Lets those in line start: as many as there are slots, one a place. */
function grant(course: Course, environment: string): void {
  const here = [...course.units.values()].filter(({ spec }) => spec.environment === environment);
  const { concurrency = Number.POSITIVE_INFINITY } = rulesOf(course, environment);
  const candidates = here
    .filter((unit) => unit.state === 'READY' && unit.order !== undefined && unit.run?.paused !== true)
    .filter((unit) => !isHeld(course, unit.spec, unit.undoes !== undefined))
    .sort((one, other) => rankOf(one) - rankOf(other) || (one.order ?? 0) - (other.order ?? 0));
  const free = concurrency - here.filter(({ state }) => state === 'RUNNING').length;
  const busy = new Set(here.filter(({ state }) => state === 'RUNNING').map(({ place }) => place));
  const able = candidates.filter(({ place }) => !busy.has(place));
  watchOrder(course, able, free);
  let left = free;
  let gone = false;
  for (const unit of able) {
    if (left <= 0 || busy.has(unit.place)) continue;
    if (!start(course, unit)) {
      gone = true;
      continue;
    }
    busy.add(unit.place);
    left--;
  }
  if (gone) settle(course);
}

/** Whoever comes in the instant in which a place gets free, and goes before those in line, may come too late for it. */
function watchOrder(course: Course, able: readonly Unit[], free: number): void {
  const limited = free !== Number.POSITIVE_INFINITY;
  const contended = (unit: Unit) =>
    able.some((other) => other !== unit && (other.place === unit.place || able.length > free));
  for (const unit of able) {
    if (unit.undoes !== undefined && unit.cameAt === course.now && contended(unit)) {
      leaveOpen(course, 'a rollback comes as others start');
    }
    if (!limited && contended(unit) && (unit.spec.override || unit.run?.wasPaused === true)) {
      leaveOpen(course, 'who has gone before, or stepped aside, meets others in its place');
    }
  }
}

/** False when there is nothing to start any more: the next may, in the same instant. */
function start(course: Course, unit: Unit): boolean {
  const { undoes, spec } = unit;
  if (undoes !== undefined && course.versions.get(unit.place)?.at(-1)?.unit !== undoes.unit) {
    end(course, unit, 'ERROR', 'superseded');
    return false;
  }
  unit.state = 'RUNNING';
  unit.startedAt = course.now;
  unit.slack = course.slack;
  const [milliseconds, outcome] =
    undoes === undefined ? [spec.milliseconds, spec.outcome] : [undoes.to.milliseconds, undoes.to.back];
  const ends = () =>
    outcome === 'success' ? end(course, unit, 'SUCCESS') : end(course, unit, 'ERROR', 'plugin-failed');
  setTimer(course, course.now + milliseconds, ends, { isLive: () => unit.state === 'RUNNING', slack: course.slack });
  return true;
}

function rankOf({ undoes }: Unit): number {
  return undoes === undefined ? 1 : 0;
}
