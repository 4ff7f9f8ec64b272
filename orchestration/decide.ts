/** Reads, decides, writes: again from the start whenever somebody else has decided in between. */
import type { Deploy } from '../core/deploy/deploy.ts';
import { type DeployEvent, transition } from '../core/deploy/transition.ts';
import { type ReleaseEvent, transitionRelease } from '../core/release/transition.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { ReleaseRow } from '../store/releases.ts';
import type { Ports } from './ports.ts';

export type Decided<Row> =
  | { readonly kind: 'changed'; readonly row: Row }
  | { readonly kind: 'unchanged'; readonly row: Row }
  | { readonly kind: 'refused'; readonly row: Row; readonly reason: string };

/**
 * Applies events to a deploy, named by its id or by a row just read, one after another, in one write. Throws when there is
 * no such deploy. A row saves a read and nothing else: what it says is only written if nobody has decided since, and what
 * it refuses is asked again of the table.
 */
export async function decideDeploy(
  ports: Ports,
  target: string | DeployRow,
  by: string,
  ...events: readonly DeployEvent[]
): Promise<Decided<DeployRow>> {
  const id = typeof target === 'string' ? target : target.deploy.identity.id;
  if (typeof target !== 'string') {
    const decided = await decideFrom(ports, target, by, events);
    if (decided?.kind === 'changed') return decided;
  }
  for (;;) {
    const row = await ports.store.deploys.read(id);
    if (row === undefined) throw new Error(`there is no deploy ${id}`);
    const decided = await decideFrom(ports, row, by, events);
    if (decided !== undefined) return decided;
  }
}

/** Undefined when somebody else has decided since the row was read. */
async function decideFrom(
  ports: Ports,
  row: DeployRow,
  by: string,
  events: readonly DeployEvent[],
): Promise<Decided<DeployRow> | undefined> {
  const applied = apply(row.deploy, events, by, ports.now());
  if ('refused' in applied) return { kind: 'refused', row, reason: applied.refused };
  if (applied.deploy === row.deploy) return { kind: 'unchanged', row };
  const written = await ports.store.deploys.decide(row.deploy, applied.deploy);
  return written && { kind: 'changed', row: written };
}

/** As `decideDeploy` from a row just read, if no job is being started or runs; undefined when nothing was written. */
export async function decideBetweenJobs(
  ports: Ports,
  row: DeployRow,
  by: string,
  ...events: readonly DeployEvent[]
): Promise<DeployRow | undefined> {
  if (row.jobKey !== undefined) return undefined;
  const applied = apply(row.deploy, events, by, ports.now());
  return 'refused' in applied ? undefined : ports.store.deploys.decideBetweenJobs(row.deploy, applied.deploy);
}

function apply(
  from: Deploy,
  events: readonly DeployEvent[],
  by: string,
  now: number,
): { readonly deploy: Deploy } | { readonly refused: string } {
  let deploy = from;
  for (const event of events) {
    const decision = transition(deploy, event, by, now);
    if (decision.kind === 'refused') return { refused: decision.reason };
    if (decision.kind === 'changed') deploy = decision.next;
  }
  return { deploy };
}

/** Applies an event to a release, in an attempt when one is given. Throws when there is no such release. */
export async function decideRelease(
  ports: Ports,
  id: string,
  by: string,
  event: ReleaseEvent,
  attempt?: number,
): Promise<Decided<ReleaseRow>> {
  for (;;) {
    const row = await ports.store.releases.read(id);
    if (row === undefined) throw new Error(`there is no release ${id}`);
    if (attempt !== undefined && row.release.attempt.number !== attempt) {
      return { kind: 'refused', row, reason: `attempt ${attempt} of ${id} is over` };
    }
    const decision = transitionRelease(row.release, event, by, ports.now());
    if (decision.kind === 'refused') return { kind: 'refused', row, reason: decision.reason };
    if (decision.kind === 'unchanged') return { kind: 'unchanged', row };
    const written = await ports.store.releases.decide(row.release, decision.next);
    if (written !== undefined) return { kind: 'changed', row: written };
  }
}
