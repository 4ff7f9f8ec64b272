/** Whether a release lets one of its deploys start now. Everything asks here before it starts something. */
import type { DeployIdentity } from '../core/deploy/deploy.ts';
import type { Release } from '../core/release/release.ts';
import type { Ports } from './ports.ts';

export type Gate =
  | { readonly kind: 'open' }
  | { readonly kind: 'held' }
  | { readonly kind: 'closed'; readonly reason: string };

function gateOf(release: Release, identity: DeployIdentity): Gate {
  const { status, attempt } = release;
  const { id } = release.identity;
  if (status.state !== 'PENDING') return { kind: 'closed', reason: `the release ${id} has ended ${status.state}` };
  if (identity.release?.attempt !== attempt.number) {
    return { kind: 'closed', reason: `attempt ${identity.release?.attempt} of the release ${id} is over` };
  }
  const lets = identity.kind === 'rollback' ? 'rolling-back' : 'running';
  if (status.phase !== lets) {
    const why = status.failure === undefined ? '' : ` (${status.failure.message})`;
    return { kind: 'closed', reason: `the release ${id} is ${status.phase}${why}` };
  }
  return status.paused ? { kind: 'held' } : { kind: 'open' };
}

export async function gate(ports: Ports, identity: DeployIdentity): Promise<Gate> {
  if (identity.release === undefined) return { kind: 'open' };
  const row = await ports.store.releases.read(identity.release.id);
  return row === undefined
    ? { kind: 'closed', reason: `the release ${identity.release.id} no longer exists` }
    : gateOf(row.release, identity);
}
