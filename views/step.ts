/** The step that a deploy's machine is in, by the name that its state has in the console, as the table tells it. */
import { isFinal } from '../core/deploy/deploy.ts';
import type { Ports } from '../orchestration/ports.ts';
import type { DeployRow } from '../store/deploys.ts';

export interface Step {
  readonly name: string;
  /** Milliseconds since the epoch, as is `timeoutAt`. */
  readonly since: number;
  readonly timeoutAt?: number;
}

/** Whether its execution has been started: alone at once, in a release when its layer comes. */
export function hasBegun({ deploy: { identity, status }, wait, branchToken }: DeployRow): boolean {
  if (identity.release === undefined || wait !== undefined) return true;
  if ('startedAt' in status && status.startedAt !== undefined) return true;
  return branchToken !== undefined && !isFinal(status.state);
}

/**
 * When the wait for dependencies gives up. In a release of layers a deploy's own wait begins with its layer, an instant
 * that nobody records, so it has none to show.
 */
export async function waitDeadline(ports: Ports, { deploy }: DeployRow): Promise<number | undefined> {
  const { identity, status } = deploy;
  if (status.state !== 'WAITING_DEPENDENCY' || !identity.waits) return undefined;
  if (identity.release !== undefined) {
    const release = await ports.store.releases.read(identity.release.id);
    if (release?.release.identity.start !== 'eager') return undefined;
  }
  return status.since + identity.afterTimeoutSeconds * 1000;
}

export function stepOf(row: DeployRow, waitEnds?: number): Step | undefined {
  const { identity, status } = row.deploy;
  const jobEnds = (from: number) => from + identity.timeoutSeconds * 1000;
  switch (status.state) {
    case 'WAITING_DEPENDENCY':
    case 'ENQUEUED': {
      if (row.wait === undefined) return undefined;
      if (row.wait.for === 'turn') return { name: 'Wait for its turn', since: status.since };
      const timeoutAt = waitEnds === undefined ? {} : { timeoutAt: waitEnds };
      return { name: 'Wait for dependencies', since: status.since, ...timeoutAt };
    }
    case 'RUNNING': {
      const since = status.startedAt;
      if (row.configuration === undefined) return { name: 'Configure', since };
      if (row.result !== undefined) return { name: 'Conclude', since };
      return { name: 'Deploy', since, timeoutAt: jobEnds(since) };
    }
    case 'ROLLING_BACK':
      return { name: 'Roll back', since: status.since, timeoutAt: jobEnds(status.since) };
    case 'CONCLUDING':
      return { name: 'Conclude', since: status.since };
    default:
      return undefined;
  }
}
