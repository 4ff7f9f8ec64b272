/**
 * What a world must come to, worked out from the rules alone: an abstract simulation over milliseconds that knows nothing
 * of tables, machines or events. It shares no code with what it judges.
 *
 * The rules: a deploy waits for its instant, then for what must succeed first, then for those who must agree, then in
 * line for a slot of its environment and for its place, first come, first served; a release's rollbacks go before. A
 * freeze holds whoever has not started. A failure is judged the moment its deploy ends.
 */
import { type Course, leaveOpen, setTimer } from './model-course.ts';
import { act, report, submit } from './model-inputs.ts';
import { settle } from './model-lines.ts';
import type { ExternalState, ModelState, Version } from './model-units.ts';
import { BEFORE_MS, type World } from './world.ts';

interface Predicted {
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
  const course = begin(world, line);
  for (;;) {
    const next = Math.min(...[...course.timers].map(({ at }) => at));
    if (next === Number.POSITIVE_INFINITY) break;
    passInstant(course, next);
  }
  const { units, runs, ambiguous, hangsOnInstants } = course;
  return {
    deploys: new Map(
      [...units].map(([id, { state, code, startedAt, slack }]) => [id, { state, code, startedAt, slack }]),
    ),
    releases: new Map([...runs].map(([id, { ended }]) => [id, ended])),
    ambiguous,
    hangsOnInstants,
  };
}

function begin(world: World, line: (one: string, other: string) => number): Course {
  const course: Course = {
    world,
    line,
    timers: new Set(),
    units: new Map(),
    runs: new Map(),
    externals: new Map(),
    versions: new Map(),
    now: 0,
    slack: 0,
    orders: 0,
    ambiguous: undefined,
    hangsOnInstants: false,
  };
  for (const { application, environment } of world.before) {
    const version: Version = { unit: undefined, milliseconds: BEFORE_MS, back: 'success' };
    course.versions.set(`${application} ${environment}`, [version]);
  }
  for (const submission of world.submissions) setTimer(course, submission.at, () => submit(course, submission));
  for (const { documents } of world.environments) {
    for (const { at, freezes } of documents) {
      if (at > 0) setTimer(course, at, () => {});
      for (const { to } of freezes) setTimer(course, to, () => {}, { quiet: true });
    }
  }
  for (const { id, pipeline, version, reports } of world.pipelines) {
    const nothing = { begunAt: undefined, state: undefined, endedAt: undefined, kept: undefined };
    const known: ExternalState = { pipeline, version, ...nothing };
    course.externals.set(id, known);
    for (const each of reports) setTimer(course, each.at, () => report(course, known, each));
  }
  for (const each of world.acts) setTimer(course, each.at, () => act(course, each));
  return course;
}

/** Lets everything happen that falls into an instant, and all that follows from it. */
function passInstant(course: Course, instant: number): void {
  course.now = instant;
  const due = [...course.timers].filter(({ at }) => at === instant);
  for (const timer of due) course.timers.delete(timer);
  const live = due.filter(({ isLive }) => isLive());
  if (live.filter(({ quiet }) => !quiet).length > 1) leaveOpen(course, 'two things in one instant');
  course.slack = Math.max(0, ...live.map(({ slack }) => slack));
  // Before anything happens: what it would end may still come first.
  const near = [...course.timers].filter(({ at, isLive }) => at <= instant + course.slack && isLive());
  for (const timer of live) timer.run();
  settle(course);
  if (course.slack > 0 && near.length > 0) leaveOpen(course, 'something else may have come first');
}
