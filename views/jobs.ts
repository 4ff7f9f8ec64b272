/** The jobs of a deploy as people see them: those that ended, and the one that runs or ran last. */
import type { JobView } from '../api/contract.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import { type EndedJob, verifiesTheSame } from '../core/deploy/ended-job.ts';
import { jobOfKey, jobOfToken, ROLLBACK_KEY } from '../core/deploy/job-key.ts';
import { endedJobOf } from '../orchestration/ended-jobs.ts';
import type { DeployRow } from '../store/deploys.ts';
import { iso } from './instant.ts';

/** Of a job that runs there is no end yet. */
type SeenJob = Omit<EndedJob, 'endedAt' | 'outcome'> & Partial<Pick<EndedJob, 'endedAt' | 'outcome'>>;

export function jobsOf(row: DeployRow): readonly SeenJob[] {
  const { job, jobs = [], deploy, result, rollbackResult } = row;
  const key = job && jobOfToken(job.token)?.key;
  const before = jobs.at(-1);
  if (job === undefined || key === undefined || before?.key === key) return jobs;
  const read = key === ROLLBACK_KEY ? rollbackResult : result;
  const { status } = deploy;
  const ended = read !== undefined || isFinal(status.state);
  const last: SeenJob = ended
    ? endedJobOf(row, job, status.since)
    : { key, plugin: job.plugin, name: job.name, startedAt: job.startedAt };
  // Of the probes of a wave the last stands for all.
  if (before === undefined || !verifiesTheSame(before.key, key)) return [...jobs, last];
  return [...jobs.slice(0, -1), { ...last, startedAt: before.startedAt }];
}

/** By its key; `verify-2` is the last probe of the second wave. */
export function jobNamed(row: DeployRow, name: string): SeenJob | undefined {
  const jobs = jobsOf(row);
  return (
    jobs.find(({ key }) => key === name) ??
    jobs.find(({ key }) => /^verify-\d+$/.test(name) && key.startsWith(`${name}-`))
  );
}

export function jobsView(row: DeployRow): JobView[] {
  return jobsOf(row).map(({ key, plugin, startedAt, endedAt, outcome, message }) => {
    const place = jobOfKey(key);
    return {
      key,
      kind: place?.kind ?? 'deploy',
      plugin,
      ...((place?.kind === 'deploy' || place?.kind === 'verify') && { wave: place.wave + 1 }),
      ...(place?.kind === 'verify' && { probe: place.probe + 1 }),
      ...(place?.kind === 'step' && { step: place.step }),
      startedAt: iso(startedAt),
      ...(endedAt !== undefined && { endedAt: iso(endedAt) }),
      ...(outcome !== undefined && { outcome }),
      ...(message !== undefined && { message }),
    };
  });
}
