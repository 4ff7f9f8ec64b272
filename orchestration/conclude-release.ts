/** The end of a release: when every deploy and every rollback of it has ended, and not before. */
import { isFinal, takesBack } from '../core/deploy/deploy.ts';
import type { Failure } from '../core/failure.ts';
import { rollbackIdOf } from '../core/release/ids.ts';
import type { Release } from '../core/release/release.ts';
import type { DeployRow } from '../store/deploys.ts';
import { cancelNotStarted, rowsOfMembers } from './apply-policy.ts';
import { decideRelease } from './decide.ts';
import { type Ports, RENGA } from './ports.ts';
import { settleRelease, summary } from './settle.ts';

export interface Conclusion {
  readonly state: 'SUCCESS' | 'ERROR' | 'CANCELLED';
  readonly error: string;
  readonly cause: string;
}

/** Concludes an attempt; undefined while something of it still runs. Concluding again answers the same. */
export async function concludeRelease(ports: Ports, id: string, attempt: number): Promise<Conclusion | undefined> {
  const row = await ports.store.releases.read(id);
  if (row === undefined) throw new Error(`there is no release ${id}`);
  const { release } = row;
  if (release.attempt.number !== attempt)
    return { state: 'ERROR', error: 'attempt-over', cause: `attempt ${attempt} of ${id} is over` };
  if (release.status.state !== 'PENDING') {
    if (release.pending.length > 0) await settleRelease(ports, row);
    return conclusionOf(release);
  }
  if (release.status.phase !== 'running')
    await cancelNotStarted(ports, release, `the release ${id} is ${release.status.phase}`);

  const members = await rowsOfMembers(ports, release);
  const rollbacks = await rollbacksOf(
    ports,
    release,
    members.map(({ member }) => member.name),
  );
  const rows = members.flatMap(({ row }) => row ?? []);
  if ([...rows, ...rollbacks.values()].some((each) => !isFinal(each.deploy.status.state))) return undefined;

  const { phase, refused, executionLost, failure: first } = release.status;
  const complete = rows.length === release.identity.deploys && refused === undefined;
  const succeeded = complete && rows.every(({ deploy }) => deploy.status.state === 'SUCCESS') && !executionLost;
  const outcome = phase === 'cancelling' ? 'CANCELLED' : succeeded ? 'SUCCESS' : 'ERROR';
  const failure = outcome === 'SUCCESS' ? undefined : failureOf(outcome, first, refused?.failure, rows, rollbacks);
  const decided = await decideRelease(
    ports,
    id,
    RENGA,
    { type: 'concluded', outcome, ...(failure !== undefined && { failure }) },
    attempt,
  );
  await settleRelease(ports, decided.row);
  return conclusionOf(decided.row.release);
}

function conclusionOf({ identity, status }: Release): Conclusion {
  const state = status.state === 'PENDING' ? 'ERROR' : status.state;
  return {
    state,
    error: status.failure?.code ?? state,
    cause: status.failure?.message ?? `${identity.id} ended ${state}`,
  };
}

/** The rollbacks that an attempt has begun, by the name they take back. */
export async function rollbacksOf(
  ports: Ports,
  release: Release,
  names: readonly string[],
): Promise<Map<string, DeployRow>> {
  if (release.identity.onFailure !== 'rollback') return new Map();
  const { id } = release.identity;
  const attempt = release.attempt.number;
  const idOf = (name: string) => rollbackIdOf(id, name, attempt);
  const rows = await ports.store.deploys.readMany(names.map(idOf));
  return new Map(
    names.flatMap((name): [string, DeployRow][] => {
      const row = rows.get(idOf(name));
      return row !== undefined && takesBack(row.deploy, { release: id, attempt, name }) ? [[name, row]] : [];
    }),
  );
}

/** Who failed and why, one a line: the first cause first, then what was taken back and what was not. */
function failureOf(
  outcome: 'ERROR' | 'CANCELLED',
  first: Failure | undefined,
  refused: Failure | undefined,
  rows: readonly DeployRow[],
  rollbacks: ReadonlyMap<string, DeployRow>,
): Failure {
  const lines = [
    ...(refused !== undefined && refused.message === first?.message ? [refused.message] : []),
    ...rows.filter(({ deploy }) => deploy.status.state === 'ERROR').map(({ deploy }) => summary(deploy)),
    ...[...rollbacks.values()].map(({ deploy }) => summary(deploy)),
  ];
  if (refused !== undefined && !lines.includes(refused.message)) lines.push(refused.message);
  if (outcome === 'CANCELLED') lines.unshift('the release was cancelled');
  if (first !== undefined && !lines.includes(first.message)) lines.unshift(first.message);
  return { code: outcome === 'CANCELLED' ? 'cancelled' : (first?.code ?? 'deploys-failed'), message: lines.join('\n') };
}
