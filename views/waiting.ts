/** What holds a deploy that has not started, beside its dependencies: people, a freeze, the queue of its environment. */
import type { ApprovalView, QueueView } from '../api/contract.ts';
import type { Deploy } from '../core/deploy/deploy.ts';
import { freezeOf, isExempt } from '../core/governance/freeze.ts';
import type { Ports } from '../orchestration/ports.ts';
import { iso } from './instant.ts';

/** What is asked of people, and what they have said; undefined for a deploy that never asked. */
export function approvalView({ status, approvals }: Deploy): ApprovalView | undefined {
  const given = approvals.map(({ by, at, reason }) => ({
    by,
    at: iso(at),
    ...(reason !== undefined && { reason }),
  }));
  if (status.state !== 'AWAITING_APPROVAL') return given.length === 0 ? undefined : { approvals: given };
  const { required, selfApproval, expiresAt } = status;
  return { required, selfApproval, expiresAt: iso(expiresAt), approvals: given };
}

/** Its place in the queue of its environment; undefined where there is none, or where it does not wait. */
export async function queueView(ports: Ports, { identity, status }: Deploy): Promise<QueueView | undefined> {
  if (status.state !== 'ENQUEUED') return undefined;
  const environment = await ports.store.settings.environment(identity.environment);
  const freeze = isExempt(identity) ? undefined : freezeOf(environment, ports.now());
  const frozen = freeze && { reason: freeze.reason, until: iso(freeze.until) };
  if (environment?.concurrency === undefined) return frozen && { freeze: frozen };
  const { slots } = ports.store;
  const [holders, line] = await Promise.all([slots.holders(identity.environment), slots.line(identity.environment)]);
  const held = new Set(holders.map(({ deploy }) => deploy));
  const position = line.filter(({ deploy }) => !held.has(deploy)).findIndex(({ deploy }) => deploy === identity.id);
  return {
    slots: environment.concurrency,
    held: holders.length,
    ...(position >= 0 && { position: position + 1 }),
    ...(frozen !== undefined && { freeze: frozen }),
  };
}
