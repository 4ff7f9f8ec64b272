/** Which job of a deploy comes next, as its machine is told. */
import type { Progress } from '../core/deploy/progress.ts';
import type { NextJob } from '../statemachines/deploy-machine.ts';
import type { JobResult } from '../store/deploys.ts';

export function jobToRun({ place, timeoutSeconds, pauseSeconds }: Progress): NextJob {
  return pauseSeconds === undefined
    ? { next: place.kind, timeoutSeconds }
    : { next: 'pause', seconds: pauseSeconds, timeoutSeconds };
}

export function afterAll({ outcome }: JobResult): NextJob {
  return { next: outcome };
}
