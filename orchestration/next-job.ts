/** Which job of a deploy comes next, as its machine is told. */
import { type Course, firstJob } from '../core/deploy/course.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import type { Progress } from '../core/deploy/progress.ts';
import type { NextJob } from '../statemachines/deploy-machine.ts';
import type { DeployRow } from '../store/deploys.ts';
import { configurationOf } from './configure.ts';
import type { Ports } from './ports.ts';

/** A deploy that is configured, what its jobs follow, and where they have got to. */
export interface Standing {
  readonly row: DeployRow;
  readonly course: Course;
  readonly progress: Progress;
}

/** Nothing is written before the first job: where its course begins follows from the configuration. */
export async function standingAt(ports: Ports, row: DeployRow): Promise<Standing> {
  const course = {
    configuration: await configurationOf(ports, row),
    dryRun: row.deploy.identity.dryRun === true,
  };
  return { row, course, progress: row.progress ?? firstJob(course) };
}

/** What the machine does now, at whatever place the jobs are; the same however often it is asked. */
export function nextJob({ row, progress }: Pick<Standing, 'row' | 'progress'>, now: number): NextJob {
  // A deploy that has ended meanwhile is only to be concluded, as one that is being cancelled.
  if (isFinal(row.deploy.status.state) || isBeingCancelled(row)) return { next: 'cancelled' };
  const { place, timeoutSeconds, notBefore = now } = progress;
  const seconds = Math.ceil((notBefore - now) / 1000);
  return seconds > 0
    ? { next: 'pause', seconds, job: place.key, timeoutSeconds }
    : { next: place.kind, job: place.key, timeoutSeconds };
}

export function isBeingCancelled({ deploy: { status } }: DeployRow): boolean {
  return status.state === 'RUNNING' && status.cancellation !== undefined;
}
