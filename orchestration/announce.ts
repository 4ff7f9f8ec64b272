/** Decisions as events: what is put on the bus for whoever follows. */
import type { OutgoingEvent } from '../bus/events.ts';
import { type Decision, type Deploy, shownState } from '../core/deploy/deploy.ts';
import type { Failure } from '../core/failure.ts';
import type { Release } from '../core/release/release.ts';

/** One event a decision that changed the state people see; a success that is still being written down is none. */
export function deployEvents(deploy: Deploy): OutgoingEvent[] {
  return [...stateChanges(deploy), ...approvalRequests(deploy)];
}

/** Approvers are asked when a deploy comes to wait for them. */
function approvalRequests({ identity, status, pending }: Deploy): OutgoingEvent[] {
  const asked = pending.find(({ from, to }) => to === 'AWAITING_APPROVAL' && from !== to);
  if (asked === undefined || status.state !== 'AWAITING_APPROVAL') return [];
  const { id, application, environment, tenant, artifact, release, submittedBy } = identity;
  const { required, selfApproval, expiresAt } = status;
  const detail = {
    id,
    application,
    environment,
    ...(tenant !== undefined && { tenant }),
    seq: asked.seq,
    at: new Date(asked.at).toISOString(),
    artifact: { type: artifact.type, name: artifact.name, version: artifact.version },
    submittedBy,
    required,
    selfApproval,
    expiresAt: new Date(expiresAt).toISOString(),
    ...(release !== undefined && { release }),
  };
  return [{ type: 'Approval Requested', detail }];
}

function stateChanges(deploy: Deploy): OutgoingEvent[] {
  const { id, application, environment, tenant, artifact, release } = deploy.identity;
  const last = deploy.pending.at(-1);
  return deploy.pending.filter(isVisible).map((decision) => ({
    type: 'Deploy State Changed',
    detail: {
      id,
      application,
      environment,
      ...(tenant !== undefined && { tenant }),
      state: decision.to,
      seq: decision.seq,
      at: new Date(decision.at).toISOString(),
      artifact: { type: artifact.type, name: artifact.name, version: artifact.version },
      ...(release !== undefined && { release }),
      ...(decision === last && 'failure' in deploy.status && { error: told(deploy.status.failure) }),
    },
  }));
}

/** An event ends at 256 KB, and whoever follows needs the beginning of a long log, not all of it. */
const LONGEST_MESSAGE = 8_000;

function told({ code, message }: Failure): Failure {
  return { code, message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message };
}

function isVisible(decision: Decision): boolean {
  if (decision.to === 'CONCLUDING') return false;
  return (
    decision.from === undefined ||
    shownState(decision.from as 'CONCLUDING') !== decision.to ||
    decision.to === 'SUCCESS'
  );
}

export function releaseEvents(release: Release): OutgoingEvent[] {
  const { status, attempt, identity } = release;
  const last = release.pending.at(-1);
  return release.pending.map((decision) => ({
    type: 'Release State Changed',
    detail: {
      id: identity.id,
      state: ['SUCCESS', 'ERROR', 'CANCELLED'].includes(decision.to) ? decision.to : 'PENDING',
      ...(!['SUCCESS', 'ERROR', 'CANCELLED', 'PENDING'].includes(decision.to) && { phase: decision.to }),
      attempt: attempt.number,
      seq: decision.seq,
      at: new Date(decision.at).toISOString(),
      ...(decision === last && status.failure !== undefined && { error: told(status.failure) }),
    },
  }));
}
