/** The job that a deploy's row names, once it has ended. */
import { type EndedJob, shortMessage } from '../core/deploy/ended-job.ts';
import { jobOfToken, ROLLBACK_KEY } from '../core/deploy/job-key.ts';
import type { DeployRow, RunningJob } from '../store/deploys.ts';

/** `now`: when it was seen to have ended, if its result was never read. */
export function endedJobOf(row: DeployRow, job: RunningJob, now: number): EndedJob {
  const key = jobOfToken(job.token)?.key ?? job.token;
  const result = key === ROLLBACK_KEY ? row.rollbackResult : row.result;
  const { status } = row.deploy;
  const failure = result === undefined && 'failure' in status ? status.failure : result?.failure;
  return {
    key,
    plugin: job.plugin,
    name: job.name,
    startedAt: job.startedAt,
    endedAt: result?.at ?? now,
    outcome: result?.outcome ?? (status.state === 'CANCELLED' ? 'cancelled' : 'failed'),
    ...(failure !== undefined && { message: shortMessage(failure.message) }),
  };
}
