/** What holds a deploy that has not started, beside its dependencies: people, a freeze, the queue of its environment. */
import type { ApprovalView, QueueView } from '../api/contract.ts';
import type { Deploy } from '../core/deploy/deploy.ts';
import type { EnvironmentDocument } from '../core/documents/environment.ts';
import { type Freeze, freezeOf, isExempt } from '../core/governance/freeze.ts';
import type { Ports } from '../orchestration/ports.ts';
import type { Holder, Waiting } from '../store/slots.ts';
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

/** An environment's queue as it is now, read once for however many wait in it. */
export interface QueueState {
  readonly environment: EnvironmentDocument | undefined;
  readonly freeze: Freeze | undefined;
  readonly holders: readonly Holder[];
  readonly line: readonly Waiting[];
}

export async function queueState(ports: Ports, name: string): Promise<QueueState> {
  const environment = await ports.store.settings.environment(name);
  const freeze = freezeOf(environment, ports.now());
  if (environment?.concurrency === undefined) return { environment, freeze, holders: [], line: [] };
  const { slots } = ports.store;
  const [holders, line] = await Promise.all([slots.holders(name), slots.line(name)]);
  return { environment, freeze, holders, line };
}

/** Its place in the queue of its environment; undefined where there is none, or where it does not wait. */
export function queueView({ identity, status }: Deploy, state: QueueState): QueueView | undefined {
  if (status.state !== 'ENQUEUED') return undefined;
  const { environment, holders, line } = state;
  const freeze = isExempt(identity) ? undefined : state.freeze;
  const frozen = freeze && { reason: freeze.reason, until: iso(freeze.until) };
  if (environment?.concurrency === undefined) return frozen && { freeze: frozen };
  const held = new Set(holders.map(({ deploy }) => deploy));
  const position = line.filter(({ deploy }) => !held.has(deploy)).findIndex(({ deploy }) => deploy === identity.id);
  return {
    slots: environment.concurrency,
    held: holders.length,
    ...(position >= 0 && { position: position + 1 }),
    ...(frozen !== undefined && { freeze: frozen }),
  };
}
