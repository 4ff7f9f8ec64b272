/** What must hold whenever something starts. */
import type { DeployIdentity } from '../../../core/deploy/deploy.ts';
import type { Happened } from '../harness.ts';
import { RUNS } from '../invariants.ts';
import type { EnvironmentHistory } from './environment-history.ts';
import { BEGINNING } from './world.ts';

type Head = Extract<Happened, { kind: 'head' }>;

export function wrongStarts(
  history: readonly Happened[],
  deploys: ReadonlyMap<string, DeployIdentity>,
  environments: EnvironmentHistory,
): string[] {
  const found: string[] = [];
  const last = new Map<string, Head>();
  const asked = new Map<string, NonNullable<Head['asked']>>();
  /** Who could start without anybody's consent, since the environment asked for none as they came to it. */
  const free = new Set<string>();
  const running = new Map<string, DeployIdentity>();
  const current = new Map<string, string[]>();
  for (const entry of history) {
    if (entry.kind === 'job-started') {
      const started = deploys.get(entry.token.replace(/\/[^/]+$/, ''));
      if (started !== undefined) found.push(...noLongerCurrent(started, current));
      continue;
    }
    if (entry.kind !== 'head' || entry.of !== 'deploy') continue;
    const { id, at, state } = entry;
    const identity = deploys.get(id);
    if (identity === undefined || identity.kind === 'external') continue;
    const before = last.get(id)?.state;
    last.set(id, entry);
    if (entry.asked !== undefined) asked.set(id, entry.asked);
    if (state === 'ENQUEUED' && before !== 'AWAITING_APPROVAL' && !environments.asks(identity.environment, at)) {
      free.add(id);
    }
    if (RUNS.has(state) && !RUNS.has(before ?? '')) {
      // The end of the last wait and the start may be one write.
      if (before === 'WAITING_DEPENDENCY' && !environments.asks(identity.environment, at)) free.add(id);
      found.push(
        ...tooEarly(identity, at),
        ...inFreeze(identity, at, environments),
        ...unapproved(identity, entry, asked.get(id), free.has(id)),
        ...beyondSlots(identity, at, running, environments),
      );
      running.set(id, identity);
    } else if (!RUNS.has(state)) running.delete(id);
    if (state === 'SUCCESS') noteCurrent(identity, current);
  }
  return found;
}

/** Nothing starts before its instant. */
function tooEarly({ id, scheduledAt }: DeployIdentity, at: number): string[] {
  const early = scheduledAt !== undefined && BEGINNING + at < scheduledAt;
  return early ? [`${id} started ${scheduledAt - BEGINNING - at} ms before its instant`] : [];
}

/** Nothing starts in a freeze but what is exempt from it. */
function inFreeze(identity: DeployIdentity, at: number, environments: EnvironmentHistory): string[] {
  const exempt = identity.freezeOverride !== undefined || identity.kind === 'rollback';
  if (exempt || !environments.isFrozen(identity.environment, at)) return [];
  return [`${identity.id} started in a freeze of ${identity.environment}`];
}

/** Nothing starts without as many people as were demanded; whoever asked is none of them, unless that is allowed. */
function unapproved(
  { id, kind, submittedBy }: DeployIdentity,
  { approvals }: Head,
  asked: NonNullable<Head['asked']> | undefined,
  free: boolean,
): string[] {
  if (kind === 'rollback') return asked === undefined ? [] : [`${id} asked for approval`];
  if (asked === undefined) return free ? [] : [`${id} started without asking for approval`];
  const people = new Set(approvals);
  const found = people.size < approvals.length ? [`${id} counts somebody twice: ${approvals}`] : [];
  if (!asked.selfApproval) people.delete(submittedBy.replace(/^user:/, ''));
  if (!asked.selfApproval) people.delete(submittedBy);
  return people.size < asked.required
    ? [...found, `${id} started with ${people.size} of ${asked.required} approvals`]
    : found;
}

/** Never more run than there are slots; where there are fewer than before, what runs ends by itself. */
function beyondSlots(
  identity: DeployIdentity,
  at: number,
  running: ReadonlyMap<string, DeployIdentity>,
  environments: EnvironmentHistory,
): string[] {
  const { environment, id } = identity;
  const others = [...running.values()].filter((other) => other.environment === environment);
  const slots = environments.slots(environment, at);
  return others.length < slots
    ? []
    : [`${id} started beside ${others.map((other) => other.id)} in ${environment}, which has ${slots} slots`];
}

/** I5: what goes back is what stands there, also when others came while it stood in line. */
function noLongerCurrent(identity: DeployIdentity, current: ReadonlyMap<string, readonly string[]>): string[] {
  if (identity.kind !== 'rollback') return [];
  const top = current.get(placeOf(identity))?.at(-1);
  return top === identity.rollsBack ? [] : [`I5: ${identity.id} went back over ${top}, not ${identity.rollsBack}`];
}

/** Ids whose versions stand on each other in a place. */
function noteCurrent(identity: DeployIdentity, current: Map<string, string[]>): void {
  const stack = current.get(placeOf(identity)) ?? [];
  if (identity.kind === 'rollback') stack.pop();
  else stack.push(identity.id);
  current.set(placeOf(identity), stack);
}

function placeOf({ tenant = '', application, environment }: DeployIdentity): string {
  return `${tenant}#${application}#${environment}`;
}
