/** Every decision about a deploy or a release in order, those that are not yet in the audit among them. */
import type { AuditEntry } from '../api/contract.ts';
import type { Decision } from '../core/deploy/deploy.ts';
import type { Ports } from '../orchestration/ports.ts';
import { type Key, keys } from '../store/schema.ts';
import { iso } from './instant.ts';

interface Record {
  readonly identity: { readonly id: string };
  readonly pending: readonly Decision[];
}

export function deployTimeline(ports: Ports, deploy: Record): Promise<AuditEntry[]> {
  return timeline(ports, keys.deploy(deploy.identity.id), deploy.pending);
}

export function releaseTimeline(ports: Ports, release: Record): Promise<AuditEntry[]> {
  return timeline(ports, keys.release(release.identity.id), release.pending);
}

async function timeline(ports: Ports, owner: Key, pending: readonly Decision[]): Promise<AuditEntry[]> {
  const bySeq = new Map(
    [...(await ports.store.audit.of(owner)), ...pending].map((decision) => [decision.seq, decision]),
  );
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq).map(entryOf);
}

export function entryOf({ seq, at, by, action, from, to, why }: Decision): AuditEntry {
  return {
    seq,
    at: iso(at),
    by,
    action,
    ...(from !== undefined && { from }),
    to,
    ...(why !== undefined && { why }),
  };
}
