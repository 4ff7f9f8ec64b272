/** What becomes of a release. */
import type { Course } from './model-course.ts';
import { leaveOpen } from './model-course.ts';
import { ask, end, isHeld, limitWait, newUnit } from './model-deploys.ts';
import { isOver, type Run, stagesOf, type Unit, type Version } from './model-units.ts';
import type { LifeRelease } from './world.ts';

export function accept(course: Course, release: LifeRelease): void {
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
  course.runs.set(release.id, run);
  record(course, run);
}

/** Records what is not there yet, in the plan's order. */
function record(course: Course, run: Run): void {
  const { id, deploys, start } = run.release;
  const suffix = run.attempt === 1 ? '' : `.r${run.attempt}`;
  for (const name of stagesOf(run.release).flat()) {
    const spec = deploys.find((each) => each.name === name);
    if (spec === undefined || run.members.has(name)) continue;
    if (isHeld(course, spec)) leaveOpen(course, 'a freeze when it is recorded again');
    const inner = spec.after.map((other) => run.members.get(other)?.id ?? '');
    const unit = newUnit(course, `${id}.${name}${suffix}`, spec, run, [...inner, ...spec.outer]);
    run.members.set(name, unit);
  }
  const first = stagesOf(run.release)[0] ?? [];
  for (const [name, unit] of run.members) {
    if (isOver(unit.state)) continue;
    // Its machine starts in this same instant.
    unit.begun = start === 'eager' || first.includes(name);
    if (unit.after.length === 0) ask(course, unit);
    else if (unit.begun) limitWait(course, unit);
  }
  run.stage = 0;
}

export function proceed(course: Course, run: Run): void {
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
      if (unit.state === 'WAITING' && unit.spec.outer.length > 0) limitWait(course, unit);
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
    rollBack(course, run, next);
    return;
  }
  const all = [...members.values()].every(({ state }) => state === 'SUCCESS');
  run.ended = run.phase === 'cancelling' ? 'CANCELLED' : all ? 'SUCCESS' : 'ERROR';
}

function rollBack(course: Course, run: Run, name: string): void {
  const unit = run.members.get(name) as Unit;
  const versions = course.versions.get(unit.place) ?? [];
  const to = versions.at(-2);
  const suffix = run.attempt === 1 ? '' : `.r${run.attempt}`;
  const nothing: Version = { unit: undefined, milliseconds: 0, back: 'error' };
  const back = newUnit(course, `${run.release.id}.rollback.${name}${suffix}`, unit.spec, run, [], {
    unit,
    to: to ?? nothing,
  });
  back.begun = true;
  back.state = 'READY';
  run.rollbacks.push(back);
  if (versions.at(-1)?.unit !== unit) end(course, back, 'ERROR', 'superseded');
  else if (to === undefined) end(course, back, 'ERROR', 'no-previous-version');
  if (isOver(back.state)) proceed(course, run);
}

export function retry(course: Course, run: Run): void {
  const backAgain = new Set(run.rollbacks.filter(({ state }) => state === 'SUCCESS').map(({ undoes }) => undoes?.unit));
  const kept = [...run.members].filter(([, unit]) => unit.state === 'SUCCESS' && !backAgain.has(unit));
  if (kept.some(([, unit]) => course.versions.get(unit.place)?.at(-1)?.unit !== unit)) return;
  run.attempt++;
  run.phase = 'running';
  run.paused = false;
  run.ended = undefined;
  run.members = new Map(kept);
  run.rollbacks = [];
  run.toRollBack = [];
  record(course, run);
}
