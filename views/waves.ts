/** The waves of a deploy: which are done, and which one it is at. */
import type { WaveView } from '../api/contract.ts';
import type { Configuration } from '../core/deploy/configuration.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import { jobOfKey, jobOfToken } from '../core/deploy/job-key.ts';
import type { DeployRow } from '../store/deploys.ts';
import { jobsOf } from './jobs.ts';

export function wavesView(row: DeployRow, { waves }: Configuration): WaveView[] {
  return waves.map((targets, index) => ({ wave: index + 1, targets, state: stateOf(row, index) }));
}

function stateOf(row: DeployRow, wave: number): WaveView['state'] {
  const { status } = row.deploy;
  if (status.state === 'SUCCESS' || status.state === 'CONCLUDING') return 'success';
  const at = placeOf(row);
  const over = isFinal(status.state) || status.state === 'ROLLING_BACK';
  // Custom steps come before the first wave, or after the last.
  const reached = at === undefined ? -1 : at.kind === 'step' ? (hasWaves(row) ? Number.MAX_SAFE_INTEGER : -1) : at.wave;
  if (wave < reached) return 'success';
  if (wave > reached) return over ? 'not-reached' : 'waiting';
  if (over) return 'failed';
  return at?.kind === 'verify' ? 'verifying' : 'running';
}

/** The job that runs, comes next or ended it. */
function placeOf({ progress, job }: DeployRow) {
  if (progress !== undefined) return progress.place;
  const key = job && jobOfToken(job.token)?.key;
  const place = key === undefined ? undefined : jobOfKey(key);
  return place?.kind === 'rollback' ? undefined : place;
}

function hasWaves(row: DeployRow): boolean {
  return jobsOf(row).some(({ key }) => jobOfKey(key)?.kind === 'deploy');
}
