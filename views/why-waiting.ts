/** Why a deploy that waits for no other deploy does not start: an instant, people, a freeze, a slot. */
import type { WhyReason } from '../api/contract.ts';
import { whoMay } from '../core/access/rights.ts';
import type { Deploy } from '../core/deploy/deploy.ts';
import type { Ports } from '../orchestration/ports.ts';
import type { Rights } from '../orchestration/rights.ts';
import { clockTime, iso, listed, sinceWords } from './instant.ts';
import { queueState, queueView } from './waiting.ts';
import { aboutDeploy, because } from './why-words.ts';

export function scheduledReason({ identity, status }: Deploy): WhyReason | undefined {
  if (status.state !== 'SCHEDULED') return undefined;
  return {
    code: 'scheduled',
    text: `${identity.id} starts at ${clockTime(status.at)}, as its document says.`,
    since: iso(status.since),
    until: iso(status.at),
    ...aboutDeploy(identity.id),
    unblock: `Nobody need do anything. To start it now: renga cancel ${identity.id}, and submit it without a schedule.`,
  };
}

export async function approvalReason(
  ports: Ports,
  { identity, status, approvals }: Deploy,
): Promise<WhyReason | undefined> {
  if (status.state !== 'AWAITING_APPROVAL') return undefined;
  const { id, environment, submittedBy, requestedBy } = identity;
  const { required, selfApproval, expiresAt, since } = status;
  const given =
    approvals.length === 0 ? 'nobody has approved it yet' : `${listed(approvals.map(({ by }) => by))} approved it`;
  const subjects = whoMay(await ports.store.settings.access(), 'deployment.approve', identity);
  const who =
    subjects.length === 0 ? 'Only administrators may' : `${listed(subjects.slice(0, 5))} and administrators may`;
  const retried = requestedBy === undefined ? '' : `, nor ${requestedBy}, who retried its release`;
  const self = selfApproval ? '' : `, not ${submittedBy}, who submitted it${retried}`;
  return {
    code: 'approval',
    text: `${id} waits for ${required === 1 ? 'an approval' : `${required} approvals`}, as ${environment} asks (${sinceWords(since, ports.now())}): ${given}.`,
    since: iso(since),
    until: iso(expiresAt),
    ...aboutDeploy(id),
    unblock: `${who}${self}: renga approve ${id}. It expires at ${clockTime(expiresAt)}.`,
  };
}

/** A freeze, or the slots of its environment. Deploys that the caller may not read are counted and not named. */
export async function queueReason(ports: Ports, deploy: Deploy, rights: Rights): Promise<WhyReason | undefined> {
  const { identity, status } = deploy;
  const { id, environment } = identity;
  if (status.state !== 'ENQUEUED') return undefined;
  const queued = await queueState(ports, environment);
  const queue = queueView(deploy, queued);
  if (queue?.freeze !== undefined) {
    const { reason, until } = queue.freeze;
    return {
      code: 'frozen',
      text: `${environment} is frozen until ${clockTime(Date.parse(until))} (${because(reason)}): nothing starts there.`,
      since: iso(status.since),
      until,
      ...aboutDeploy(id),
      unblock:
        'It goes on by itself then. Whoever may change the environment can lift the freeze (renga env apply); a deploy that can not wait is submitted with freezeOverride.',
    };
  }
  if (queue?.slots === undefined || queue.position === undefined) return undefined;
  const { holders } = queued;
  // A slot is free: what holds it is another deploy of its place.
  if (holders.length < queue.slots) return undefined;
  const rows = await ports.store.deploys.readMany(holders.map((holder) => holder.deploy));
  const readable = [...rows.values()].filter((row) => rights.may('deployment.read', row.deploy.identity));
  const named = readable.map((row) => `${row.deploy.identity.id} of ${row.deploy.identity.submittedBy}`);
  const others = holders.length - readable.length;
  const who = listed([...named, ...(others === 0 ? [] : [`${others} that you may not see`])]);
  const [first] = readable;
  return {
    code: 'slot',
    text: `${id} waits for a slot of ${environment}, where ${queue.slots} may run at once: ${who} ${holders.length === 1 ? 'runs' : 'run'}. It is number ${queue.position} in line.`,
    since: iso(status.since),
    ...(first !== undefined && aboutDeploy(first.deploy.identity.id)),
    unblock: 'A slot is free as soon as one of them ends.',
  };
}
