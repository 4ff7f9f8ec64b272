/** The step that a deploy's machine is in, by the name that its state has in the console, as the table tells it. */
import { isFinal } from '../core/deploy/deploy.ts';
import { jobOfKey, jobOfToken } from '../core/deploy/job-key.ts';
import type { DeployRow } from '../store/deploys.ts';

export interface Step {
  readonly name: string;
  /** Milliseconds since the epoch, as is `timeoutAt`. */
  readonly since: number;
  readonly timeoutAt?: number;
  /** Which custom step, wave or probe it is; absent where there is one alone. */
  readonly which?: string;
  /** What carries it out, where it is not the deploy's own plugin. */
  readonly plugin?: string;
}

/** Whether its execution has been started: alone at once, in a release when its layer comes. */
export function hasBegun({ deploy: { identity, status }, wait, branchToken }: DeployRow): boolean {
  if (identity.release === undefined || wait !== undefined) return true;
  if ('startedAt' in status && status.startedAt !== undefined) return true;
  return branchToken !== undefined && !isFinal(status.state);
}

/** When the wait for dependencies gives up: counted from when its machine came to it, in a release with its layer. */
export function waitDeadline({ deploy: { identity, status }, wait }: DeployRow): number | undefined {
  if (status.state !== 'WAITING_DEPENDENCY' || !identity.waits) return undefined;
  const alone = identity.release === undefined ? status.since : undefined;
  const since = wait?.for === 'dependencies' ? (wait.since ?? status.since) : alone;
  return since === undefined ? undefined : since + identity.afterTimeoutSeconds * 1000;
}

const WAITS = {
  time: 'Wait for its time',
  dependencies: 'Wait for dependencies',
  approval: 'Wait for approval',
  turn: 'Wait for its turn',
} as const;

export function stepOf(row: DeployRow): Step | undefined {
  const { identity, status } = row.deploy;
  const jobEnds = (from: number) => from + identity.timeoutSeconds * 1000;
  const waits = (timeoutAt?: number): Step | undefined =>
    row.wait && {
      name: WAITS[row.wait.for],
      since: status.since,
      ...(timeoutAt !== undefined && { timeoutAt }),
    };
  switch (status.state) {
    case 'SCHEDULED':
      return waits(status.at);
    case 'WAITING_DEPENDENCY':
      return waits(waitDeadline(row));
    case 'AWAITING_APPROVAL':
      return waits(status.expiresAt);
    case 'ENQUEUED':
      return waits();
    case 'RUNNING': {
      const since = status.startedAt;
      if (row.configuration === undefined) return { name: 'Configure', since };
      if (row.result !== undefined) return { name: 'Conclude', since };
      return runningStep(row, since);
    }
    case 'ROLLING_BACK':
      return { name: 'Roll back', since: status.since, timeoutAt: jobEnds(status.since) };
    case 'CONCLUDING':
      return { name: 'Conclude', since: status.since };
    default:
      return undefined;
  }
}

/** Before the first job is noted, the deploy's own timeout is what is known; the machine counts from the job's start. */
function runningStep({ deploy, progress, job, jobKey }: DeployRow, startedAt: number): Step {
  const { place, timeoutSeconds, notBefore } = progress ?? {};
  const runs = job !== undefined && jobKey !== undefined && jobOfToken(job.token)?.key === jobKey;
  const since = runs ? job.startedAt : (deploy.status.since ?? startedAt);
  if (jobKey === undefined && notBefore !== undefined) {
    return { name: 'Pause before the next probe', since, timeoutAt: notBefore, ...whichOf(place) };
  }
  const kind = place?.kind ?? (jobKey === undefined ? undefined : jobOfKey(jobKey)?.kind);
  const name = kind === 'step' ? 'Run a custom step' : kind === 'verify' ? 'Verify' : 'Deploy';
  const named = {
    ...whichOf(place ?? (jobKey === undefined ? undefined : jobOfKey(jobKey))),
    ...(runs && { plugin: job.plugin }),
  };
  // The first custom step's timeout stands in the configuration alone.
  if (kind === 'step' && timeoutSeconds === undefined) return { name, since, ...named };
  return { name, since, ...named, timeoutAt: since + (timeoutSeconds ?? deploy.identity.timeoutSeconds) * 1000 };
}

function whichOf(place: ReturnType<typeof jobOfKey>): { which?: string } {
  switch (place?.kind) {
    case 'step':
      return { which: place.step };
    case 'verify':
      return { which: `probe ${place.probe + 1}${place.wave === 0 ? '' : ` of wave ${place.wave + 1}`}` };
    case 'deploy':
      return place.wave === 0 ? {} : { which: `wave ${place.wave + 1}` };
    default:
      return {};
  }
}
