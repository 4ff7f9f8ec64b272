/** What comes into a world from outside: submissions, reports of other pipelines, what people do. */
import type { Course } from './model-course.ts';
import { setTimer } from './model-course.ts';
import { end, isHeld, newUnit, stateOf, wait } from './model-deploys.ts';
import { accept, retry } from './model-releases.ts';
import { type ExternalState, hasFailed, isOver, isWaiting } from './model-units.ts';
import { type Act, idsOf, type Report, type Submission } from './world.ts';

export function submit(course: Course, submission: Submission): void {
  const deploys = submission.kind === 'deploy' ? [submission.deploy] : submission.deploys;
  const [id = ''] = submission.kind === 'deploy' ? idsOf(submission) : [submission.id];
  if (course.units.has(id) || course.runs.has(id)) return;
  if (deploys.some((each) => isHeld(course, each))) return;
  const outer = deploys.flatMap((each) => each.outer).filter((other) => !other.startsWith('expect:'));
  const states = outer.map((other) => stateOf(course, other));
  if (states.includes(undefined)) return;
  if (states.some((state) => state !== undefined && hasFailed(state))) {
    course.hangsOnInstants = true;
    return;
  }
  if (submission.kind === 'release') {
    accept(course, submission);
    return;
  }
  const { deploy, at } = submission;
  const due = deploy.scheduledIn === undefined ? undefined : at + deploy.scheduledIn * 1_000;
  // Sent again after its instant has passed, it is refused.
  if (due !== undefined && due < course.now) return;
  const unit = newUnit(course, id, deploy, undefined, deploy.outer);
  unit.begun = true;
  if (due !== undefined && due > course.now) {
    unit.state = 'SCHEDULED';
    setTimer(course, due, () => wait(course, unit), { isLive: () => unit.state === 'SCHEDULED' });
  } else wait(course, unit);
}

export function report(course: Course, known: ExternalState, { says, foreign }: Report): void {
  if (foreign) return;
  if (says === 'started') {
    if (known.begunAt !== undefined) return;
    known.begunAt = course.now;
    known.state = known.kept ?? 'RUNNING';
    if (known.kept !== undefined) known.endedAt = course.now;
  } else if (known.begunAt === undefined) known.kept ??= says;
  else if (known.state === 'RUNNING') {
    known.state = says;
    known.endedAt = course.now;
  }
}

export function act(course: Course, act: Act): void {
  switch (act.what) {
    case 'submit again': {
      const again = course.world.submissions[act.submission];
      if (again !== undefined && again.at < course.now) submit(course, again);
      return;
    }
    case 'cancel deploy': {
      const unit = course.units.get(act.id);
      if (unit !== undefined && !isOver(unit.state)) end(course, unit, 'CANCELLED', 'cancelled');
      return;
    }
    case 'cancel': {
      const run = course.runs.get(act.release);
      if (run === undefined || run.ended !== undefined) return;
      run.phase = 'cancelling';
      for (const unit of [...run.members.values()]) {
        if (!isOver(unit.state)) end(course, unit, 'CANCELLED', 'cancelled');
      }
      for (const unit of run.rollbacks) if (isWaiting(unit.state)) end(course, unit, 'CANCELLED', 'cancelled');
      return;
    }
    case 'pause': {
      const run = course.runs.get(act.release);
      if (run === undefined || run.ended !== undefined) return;
      run.paused = true;
      run.wasPaused = true;
      setTimer(course, course.now + act.milliseconds, () => {
        run.paused = false;
      });
      return;
    }
    case 'retry': {
      const run = course.runs.get(act.release);
      if (run !== undefined && run.ended !== undefined && run.ended !== 'SUCCESS') retry(course, run);
    }
  }
}
