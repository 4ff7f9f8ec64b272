/**
 * An execution that died (stopped in the console, or at a limit that no catch sees) leaves something open: it is
 * concluded here, so that slots are freed and waits answered (I10).
 */
import { isFinal } from '../core/deploy/deploy.ts';
import { cancelNotStarted } from './apply-policy.ts';
import { concludeRelease } from './conclude-release.ts';
import { decideDeploy, decideRelease } from './decide.ts';
import { type Ports, RENGA } from './ports.ts';
import { settleDeploy, settleRelease } from './settle.ts';
import { stopJob } from './stop-job.ts';

export async function loseDeploy(ports: Ports, id: string, cause: string): Promise<void> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined || isFinal(row.deploy.status.state)) return;
  // Nobody waits for its job any more: left alone it would change things that no one answers for.
  await stopJob(ports, row);
  const failure = { code: 'execution-lost', message: `its execution is gone (${cause})` };
  const decided = await decideDeploy(ports, id, RENGA, { type: 'failed', failure });
  if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
}

/** Nothing new starts, what runs ends by itself, and nobody rolls back: what a person stopped is not restarted. */
export async function loseRelease(ports: Ports, id: string, attempt: number, cause: string): Promise<void> {
  const failure = { code: 'execution-lost', message: `its execution is gone (${cause})` };
  const decided = await decideRelease(ports, id, RENGA, { type: 'execution-lost', failure }, attempt);
  if (decided.kind === 'refused') return;
  if (decided.kind === 'changed') await settleRelease(ports, decided.row);
  await concludeLostRelease(ports, id, attempt);
}

/** Concludes a release whose execution is gone, once the last of its deploys has ended. */
export async function concludeLostRelease(ports: Ports, id: string, attempt: number): Promise<void> {
  const row = await ports.store.releases.read(id);
  if (row === undefined || row.release.status.state !== 'PENDING' || !row.release.status.executionLost) return;
  await cancelNotStarted(ports, row.release, `the execution of the release ${id} is gone`);
  await concludeRelease(ports, id, attempt);
}
