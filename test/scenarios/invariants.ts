/**
 * What must hold however a release went, read from what was recorded: writes to the table, jobs in the world, audit.
 * Numbers are those of the invariants in docs/architecture.md. Answers sentences; none when all is well.
 */
import type { DeployIdentity } from '../../core/deploy/deploy.ts';
import { changedAudit, wrongFromAudit } from './audit-invariants.ts';
import type { Happened, Scenario } from './harness.ts';

export const FINAL: ReadonlySet<string> = new Set([
  'SUCCESS',
  'ERROR',
  'CANCELLED',
  'DEPENDENCY_FAILED',
  'REJECTED',
  'EXPIRED',
]);
export const RUNS: ReadonlySet<string> = new Set(['RUNNING', 'ROLLING_BACK', 'CONCLUDING']);

export interface Expected {
  /** Names of the release's deploys in the plan's order. */
  readonly order: readonly string[];
  readonly release: string;
  /** Nobody cancelled or stopped anything: no job may have been cut off before its own end. */
  readonly undisturbed: boolean;
  /** Names of deploys whose job does not end by itself. */
  readonly hanging: ReadonlySet<string>;
}

export async function violations(scenario: Scenario, expected: Expected): Promise<string[]> {
  const found: string[] = [];
  const { history } = scenario;
  const heads = history.filter((entry) => entry.kind === 'head');
  const deploys = new Map<string, DeployIdentity>();
  for (const { of, id } of heads) {
    if (of === 'deploy' && !deploys.has(id)) deploys.set(id, (await scenario.deployed(id)).identity);
  }
  found.push(...startedTwice(history), ...startedEarly(history, deploys), ...changedInTheEnd(heads));
  found.push(
    ...beside(heads, deploys),
    ...wrongRollbacks(history, deploys, expected),
    ...startedInPause(history, deploys),
  );
  if (expected.undisturbed) found.push(...cutOff(history, expected));
  found.push(...changedAudit(scenario.records));
  for (const id of deploys.keys()) {
    found.push(...(await wrongAudit(scenario, 'deploy', id)), ...(await wrongFromAudit(scenario, 'deploy', id)));
  }
  for (const id of new Set(heads.filter(({ of }) => of === 'release').map(({ id }) => id))) {
    found.push(...(await wrongAudit(scenario, 'release', id)), ...(await wrongFromAudit(scenario, 'release', id)));
  }
  found.push(...(await wrongOutcome(scenario, expected.release)), ...(await wrongInventory(scenario, deploys)));
  for (const id of await scenario.unfinished()) found.push(`I10: the sweep still has to look at ${id}`);
  return found;
}

type Head = Extract<Happened, { kind: 'head' }>;

/** I10: under one token a job starts once. */
export function startedTwice(history: readonly Happened[]): string[] {
  const seen = new Set<string>();
  return history.flatMap((entry) => {
    if (entry.kind !== 'job-started') return [];
    if (seen.has(entry.token)) return [`I10: ${entry.token} was started twice`];
    seen.add(entry.token);
    return [];
  });
}

/** I2: nothing starts before what it waits for has succeeded; and nothing that has not been let go on. */
export function startedEarly(history: readonly Happened[], deploys: ReadonlyMap<string, DeployIdentity>): string[] {
  const state = new Map<string, string>();
  const found: string[] = [];
  for (const entry of history) {
    if (entry.kind === 'head' && entry.of === 'deploy') {
      if (RUNS.has(entry.state) && !RUNS.has(state.get(entry.id) ?? '')) {
        for (const other of deploys.get(entry.id)?.after ?? []) {
          const states = runsFor(other, deploys).map((id) => state.get(id));
          if (!states.includes('SUCCESS')) found.push(`I2: ${entry.id} started while ${other} was ${states}`);
        }
      }
      state.set(entry.id, entry.state);
    } else if (entry.kind === 'job-started') {
      const id = entry.token.replace(/\/(deploy|rollback)$/, '');
      if (!RUNS.has(state.get(id) ?? '')) found.push(`${entry.token} was started while ${id} was ${state.get(id)}`);
    }
  }
  return found;
}

/** The deploy that a dependency names; of an expectation, each that it may come to. */
function runsFor(dependency: string, deploys: ReadonlyMap<string, DeployIdentity>): string[] {
  if (!dependency.startsWith('expect:')) return [dependency];
  return [...deploys.values()]
    .filter(({ external }) => external && `expect:${external.pipeline}@${external.version}` === dependency)
    .map(({ id }) => id);
}

/** I3: a final state is the last (a release may be tried again: that is another attempt), and `seq` only grows. */
export function changedInTheEnd(heads: readonly Head[]): string[] {
  const last = new Map<string, Head>();
  return heads.flatMap((head) => {
    const key = `${head.of} ${head.id}`;
    const before = last.get(key);
    last.set(key, head);
    if (before === undefined) return [];
    if (head.seq <= before.seq) return [`I3: ${key} went from seq ${before.seq} to ${head.seq}`];
    if (FINAL.has(before.state) && before.attempt === head.attempt) {
      return [`I3: ${key} went from ${before.state} to ${head.state}`];
    }
    return [];
  });
}

/** One deploy at a time runs for one tenant, application and environment. */
export function beside(heads: readonly Head[], deploys: ReadonlyMap<string, DeployIdentity>): string[] {
  const holders = new Map<string, string>();
  const found: string[] = [];
  for (const { of, id, state } of heads) {
    const identity = deploys.get(id);
    if (of !== 'deploy' || identity === undefined || identity.kind === 'external') continue;
    const place = `${identity.tenant}#${identity.application}#${identity.environment}`;
    if (RUNS.has(state)) {
      const other = holders.get(place);
      if (other !== undefined && other !== id) found.push(`${id} ran beside ${other} in ${place}`);
      holders.set(place, id);
    } else if (holders.get(place) === id) holders.delete(place);
  }
  return found;
}

/** I5: rollbacks in exact reverse order, one at a time, only of what succeeded, up to the first that does not. */
export function wrongRollbacks(
  history: readonly Happened[],
  deploys: ReadonlyMap<string, DeployIdentity>,
  { order, release }: Pick<Expected, 'order' | 'release'>,
): string[] {
  const found: string[] = [];
  const state = new Map<string, string>();
  const begun: string[] = [];
  let attempt = 1;
  for (const entry of history) {
    if (entry.kind !== 'head') continue;
    if (entry.of === 'release' && entry.id === release && entry.attempt !== attempt) {
      attempt = entry.attempt ?? 1;
      begun.length = 0;
    }
    const identity = deploys.get(entry.id);
    const isNew = !state.has(entry.id) && identity?.release?.id === release;
    if (entry.of === 'deploy' && identity?.kind === 'rollback' && isNew) {
      const target = identity.rollsBack ?? '';
      const previous = begun.at(-1);
      if (state.get(target) !== 'SUCCESS') found.push(`I5: ${target} went back although it was ${state.get(target)}`);
      if (previous !== undefined && state.get(previous) !== 'SUCCESS') {
        found.push(`I5: ${entry.id} began while ${previous} was ${state.get(previous)}`);
      }
      const place = (id: string | undefined) => order.indexOf(deploys.get(id ?? '')?.release?.name ?? '');
      const expected = order.filter((name, index) => {
        const own = [...deploys].find(
          ([id, each]) =>
            each.kind === 'deploy' &&
            each.release?.name === name &&
            each.release.id === release &&
            state.get(id) === 'SUCCESS' &&
            !begun.some((b) => deploys.get(b)?.rollsBack === id) &&
            attemptOf(id, deploys) === attempt,
        );
        return own !== undefined && index > place(entry.id);
      });
      if (expected.length > 0) found.push(`I5: ${entry.id} began before ${expected.join(', ')} went back`);
      if (previous !== undefined && place(previous) <= place(entry.id)) found.push(`I5: ${entry.id} after ${previous}`);
      begun.push(entry.id);
    }
    if (entry.of === 'deploy') state.set(entry.id, entry.state);
  }
  return found;
}

function attemptOf(id: string, deploys: ReadonlyMap<string, DeployIdentity>): number | undefined {
  return deploys.get(id)?.release?.attempt;
}

/** While a release is paused nothing of it starts, in a later instant than that of the pause. */
export function startedInPause(history: readonly Happened[], deploys: ReadonlyMap<string, DeployIdentity>): string[] {
  const pausedAt = new Map<string, number>();
  const running = new Set<string>();
  return history.flatMap((entry) => {
    if (entry.kind !== 'head') return [];
    if (entry.of === 'release') {
      if (!entry.paused) pausedAt.delete(entry.id);
      else if (!pausedAt.has(entry.id)) pausedAt.set(entry.id, entry.at);
      return [];
    }
    if (entry.state !== 'RUNNING' || running.has(entry.id)) return [];
    running.add(entry.id);
    const paused = pausedAt.get(deploys.get(entry.id)?.release?.id ?? '');
    return paused !== undefined && entry.at > paused ? [`${entry.id} started while its release was paused`] : [];
  });
}

/** I6: a job ends when it ends by itself. */
function cutOff(history: readonly Happened[], { hanging }: Expected): string[] {
  const ends = new Map<string, number>();
  return history.flatMap((entry) => {
    if (entry.kind === 'job-started') {
      const { SECONDS = 0, NAME } = entry.request.params;
      if (!hanging.has(String(NAME))) ends.set(entry.token, entry.at + Number(SECONDS) * 1000);
    }
    if (entry.kind !== 'job-ended') return [];
    const end = ends.get(entry.token);
    return end !== undefined && entry.at < end - 1 ? [`I6: ${entry.token} was cut off at ${entry.at}, not ${end}`] : [];
  });
}

/** I3: one conclusion in the audit (an attempt), and every decision in it once. */
export async function wrongAudit(scenario: Scenario, of: 'deploy' | 'release', id: string): Promise<string[]> {
  const decisions = await scenario.audit(id, of);
  const head = scenario.heads.get(`${of}/${id}`);
  const ends = decisions.filter(({ to }) => FINAL.has(to)).length;
  const attempts = decisions.filter(({ action }) => action === 'release.retried').length + 1;
  const found: string[] = [];
  if (ends !== attempts) found.push(`I3: the audit of ${of} ${id} has ${ends} conclusions for ${attempts} attempts`);
  if (decisions.some(({ seq }, index) => seq !== index + 1) || decisions.length !== head?.seq) {
    found.push(`I3: the audit of ${id} has ${decisions.map(({ seq }) => seq)} of ${head?.seq}`);
  }
  return found;
}

/** A release is a success when all of it is, and nothing of it is open when it has ended. */
export async function wrongOutcome(scenario: Scenario, id: string): Promise<string[]> {
  const { status, attempt, identity } = await scenario.release(id);
  const members = await scenario.store.releases.members(id, attempt.number);
  const states = members.map(({ deploy }) => scenario.heads.get(`deploy/${deploy}`)?.state ?? '');
  const all = states.length === identity.deploys && states.every((state) => state === 'SUCCESS');
  const found = states.filter((state) => !FINAL.has(state)).map((state) => `I10: ${id} ended with a deploy ${state}`);
  if (status.state === 'SUCCESS' && !all) found.push(`${id} is SUCCESS with ${states.join(', ')}`);
  const execution = await scenario.releaseExecution(id);
  if (execution === 'RUNNING') found.push(`I10: the execution of ${id} still runs`);
  return found;
}

/** I10: what succeeded is recorded once: the revisions that it brought follow each other without gaps or doubles. */
export async function wrongInventory(
  scenario: Scenario,
  deploys: ReadonlyMap<string, DeployIdentity>,
): Promise<string[]> {
  const numbers = new Map<string, number[]>();
  for (const [id, { application, environment }] of deploys) {
    const place = `${application} in ${environment}`;
    const { status } = await scenario.deployed(id);
    if (status.state === 'SUCCESS' && status.revision !== undefined)
      numbers.set(place, [...(numbers.get(place) ?? []), status.revision]);
  }
  return [...numbers].flatMap(([place, given]) =>
    given.sort((a, b) => a - b).some((number, index) => number !== index + (given[0] ?? 1))
      ? [`I10: revisions of ${place} are ${given.join(', ')}`]
      : [],
  );
}
