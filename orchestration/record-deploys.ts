/**
 * First step of a release's machine: its deploys become records, in topological order, a hundred an invocation. Until
 * then they are only shown as ENQUEUED.
 */

import { instantOf } from '../core/calendar/instant.ts';
import type { DeployIdentity } from '../core/deploy/deploy.ts';
import { recordDeploy } from '../core/deploy/transition.ts';
import type { DeployDocument, Import } from '../core/documents/deploy.ts';
import { seconds } from '../core/documents/duration.ts';
import type { EnvironmentDocument } from '../core/documents/environment.ts';
import { ReleaseDocument } from '../core/documents/release.ts';
import type { Failure } from '../core/failure.ts';
import { approvalOf, approvalSeconds } from '../core/governance/approval.ts';
import { freezeProblem } from '../core/governance/freeze.ts';
import { type PlannedDeploy, planRelease } from '../core/plan/plan.ts';
import { deployIdOf } from '../core/release/ids.ts';
import { type Member, type Release, submitterOf } from '../core/release/release.ts';
import { RECORDED_AT_ONCE, type ReleaseInput } from '../statemachines/release-machine.ts';
import { cancelNotStarted } from './apply-policy.ts';
import { decideRelease } from './decide.ts';
import { AT_ONCE, inParallel, type Ports, RENGA } from './ports.ts';
import { keptDeploys } from './retry-release.ts';
import { settleDeploy, settleRelease } from './settle.ts';

export interface Recorded extends ReleaseInput {
  readonly recorded: 'all' | 'some' | 'refused';
}

/** Stands for a plugin that the descriptor leaves to its environment's configuration. */
const BY_CONFIGURATION = '';

interface Refused {
  readonly entry: Entry;
  readonly reason: string;
}

interface Entry {
  readonly planned: PlannedDeploy;
  readonly member: Member;
  readonly descriptor: DeployDocument;
}

export async function recordDeploys(ports: Ports, input: ReleaseInput): Promise<Recorded> {
  const row = await ports.store.releases.read(input.release);
  if (row === undefined) throw new Error(`there is no release ${input.release}`);
  const { release } = row;
  const entries = await entriesOf(ports, release);
  const page = entries.slice(input.cursor, input.cursor + RECORDED_AT_ONCE);
  const next = input.cursor + page.length;
  const { status } = release;
  const ids = new Map(entries.map(({ planned, member }) => [planned.name, member.deploy]));

  if (status.state !== 'PENDING') return { ...input, cursor: next, recorded: 'refused' };
  if (status.phase !== 'running') {
    const reason = status.failure?.message ?? `the release ${release.identity.id} is ${status.phase}`;
    await recordAll(ports, release, page, ids, { code: 'release-stopped', message: reason });
  } else {
    const refused = await recordAll(ports, release, page, ids);
    if (refused !== undefined) {
      await refuse(ports, release, refused);
      const failure = { code: 'release-stopped', message: `${refused.entry.member.name} could not be recorded` };
      // It failed in a batch: those after it in the order are recorded as cancelled, all of them.
      await recordAll(
        ports,
        release,
        entries.slice(input.cursor).filter((entry) => entry !== refused.entry),
        ids,
        failure,
      );
      return { ...input, cursor: entries.length, recorded: 'refused' };
    }
  }
  return { ...input, cursor: next, recorded: next < entries.length ? 'some' : 'all' };
}

/** Records entries in order, a batch at a time; answers the first that was refused. `ended`: they are recorded as cancelled. */
async function recordAll(
  ports: Ports,
  release: Release,
  entries: readonly Entry[],
  ids: ReadonlyMap<string, string>,
  ended?: Failure,
): Promise<Refused | undefined> {
  const documents = entries.map(({ descriptor }) => withIds(descriptor, ids));
  const hashes = await ports.store.bodies.put(...documents);
  const environments = await ports.store.settings.environments(entries.map(({ descriptor }) => descriptor.environment));
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const batch = entries
      .slice(start, start + AT_ONCE)
      .map((entry, index) => ({ entry, hash: hashes[start + index] ?? '' }));
    const refused = new Map<Entry, string>();
    await inParallel(batch, async ({ entry, hash }) => {
      const environment = environments.get(entry.descriptor.environment);
      const reason = await record(ports, release, entry, { hash, ids, environment, ended });
      if (reason !== undefined) refused.set(entry, reason);
    });
    const recorded = batch.map(({ entry }) => entry).filter((entry) => !refused.has(entry));
    await ports.store.releases.putMembers(
      release.identity.id,
      release.attempt.number,
      recorded.map(({ member }) => member),
    );
    const first = batch.find(({ entry }) => refused.has(entry));
    if (first !== undefined && ended === undefined) {
      return { entry: first.entry, reason: refused.get(first.entry) ?? 'it was refused' };
    }
  }
  return undefined;
}

interface Recording {
  readonly hash: string;
  readonly ids: ReadonlyMap<string, string>;
  readonly environment: EnvironmentDocument | undefined;
  readonly ended: Failure | undefined;
}

/** Stores one deploy, also when this release has recorded it before; answers why not when it is refused. */
async function record(
  ports: Ports,
  release: Release,
  entry: Entry,
  { hash, ids, environment, ended }: Recording,
): Promise<string | undefined> {
  if (entry.member.kept) return undefined;
  const identity = identityOf(release, entry, hash, ids, environment);
  const now = ports.now();
  const frozen = ended === undefined ? freezeProblem(environment, identity, now, '') : undefined;
  // It may have been recorded just before the freeze, by a call of this that was cut off.
  if (frozen !== undefined) return notOwned(ports, release, identity.id, frozen.message);
  const approval = identity.after.length > 0 ? undefined : approvalOf(environment, identity, now);
  const deploy = recordDeploy(identity, now, { approval, ended: ended && { state: 'CANCELLED', failure: ended } });
  if (!(await ports.store.deploys.create(deploy))) {
    return notOwned(ports, release, identity.id, `there is a deploy ${identity.id} already`);
  }
  // Whoever is to approve it is told now; of any other, the next decision tells.
  if (ended === undefined && deploy.status.state !== 'AWAITING_APPROVAL') return undefined;
  const row = await ports.store.deploys.read(identity.id);
  if (row !== undefined) await settleDeploy(ports, row, { policy: false });
  return undefined;
}

/** `reason`, unless the deploy of this id is one that this attempt of the release has recorded. */
async function notOwned(ports: Ports, release: Release, id: string, reason: string): Promise<string | undefined> {
  const own = (await ports.store.deploys.read(id))?.deploy.identity.release;
  return own?.id === release.identity.id && own.attempt === release.attempt.number ? undefined : reason;
}

async function refuse(ports: Ports, release: Release, { entry: { member }, reason }: Refused): Promise<void> {
  const failure = { code: 'recording-refused', message: `${member.name} could not be recorded: ${reason}` };
  const event = { type: 'recording-refused', name: member.name, failure } as const;
  const decided = await decideRelease(ports, release.identity.id, RENGA, event, release.attempt.number);
  if (decided.kind === 'changed') await settleRelease(ports, decided.row);
  await cancelNotStarted(ports, decided.row.release, failure.message);
}

/** The deploys of the attempt in the plan's order. */
async function entriesOf(ports: Ports, release: Release): Promise<Entry[]> {
  const document = ReleaseDocument.parse(await ports.store.bodies.get(release.identity.document));
  const kept = await keptDeploys(ports, release.attempt);
  const descriptors = new Map(document.deploys.map(({ name, descriptor }) => [name, descriptor]));
  return planRelease(document)
    .layers.flatMap((deploys, layer) => deploys.map((planned) => ({ planned, layer })))
    .flatMap(({ planned, layer }, index) => {
      const descriptor = descriptors.get(planned.name);
      if (descriptor === undefined) return [];
      const stays = kept.get(planned.name);
      const deploy = stays ?? deployIdOf(planned.id, release.attempt.number);
      return [{ planned, descriptor, member: { name: planned.name, index, layer, deploy, kept: stays !== undefined } }];
    });
}

function identityOf(
  release: Release,
  { planned, member, descriptor }: Entry,
  document: string,
  ids: ReadonlyMap<string, string>,
  environment: EnvironmentDocument | undefined,
): DeployIdentity {
  return {
    ...identityFrom(descriptor, member.deploy, document, environment),
    release: { id: release.identity.id, attempt: release.attempt.number, name: member.name },
    after: [...planned.after.map((name) => ids.get(name) ?? name), ...planned.external],
    // A layer starts when the ones before have ended, so only `eager` and outside dependencies need a wait of their own.
    waits: planned.external.length > 0 || (release.identity.start === 'eager' && planned.after.length > 0),
    ...submitterOf(release),
    ...(release.attempt.by !== undefined && { requestedBy: release.attempt.by }),
    createdAt: release.attempt.startedAt,
  };
}

/** What a deploy's document says about its record. */
export function identityFrom(
  descriptor: DeployDocument,
  id: string,
  document: string,
  environment: EnvironmentDocument | undefined,
): Omit<DeployIdentity, 'after' | 'waits' | 'submittedBy' | 'createdAt'> {
  const { application, tenant, artifact, deploy, afterTimeout, rollback, freezeOverride, schedule, dryRun } =
    descriptor;
  const approval = approvalSeconds(environment, { kind: 'deploy', ...(dryRun === true && { dryRun }) });
  const at = schedule !== undefined && 'at' in schedule ? instantOf(schedule.at).ms : undefined;
  return {
    id,
    kind: 'deploy',
    application,
    environment: descriptor.environment,
    ...(tenant !== undefined && { tenant }),
    artifact,
    // The environment's configuration may say it instead; what carries it out is known once it is configured.
    plugin: deploy.plugin ?? BY_CONFIGURATION,
    timeoutSeconds: secondsOf(deploy.timeout),
    afterTimeoutSeconds: secondsOf(afterTimeout),
    automaticRollback: rollback.automatic,
    ...(dryRun === true && { dryRun }),
    ...(at !== undefined && { scheduledAt: at }),
    ...(freezeOverride !== undefined && { freezeOverride }),
    ...(approval !== undefined && { approvalSeconds: approval }),
    document,
  };
}

function secondsOf(duration: string): number {
  const value = seconds(duration);
  if (value === undefined) throw new Error(`"${duration}" was accepted as a duration and is none`);
  return value;
}

/** Inside a release an import names a deploy of it; its record names the id. */
function withIds(descriptor: DeployDocument, ids: ReadonlyMap<string, string>): DeployDocument {
  const imports = Object.entries(descriptor.imports).map(([name, declared]): [string, Import] => [
    name,
    'deployment' in declared ? { deployment: ids.get(declared.deployment) ?? declared.deployment } : declared,
  ]);
  return { ...descriptor, imports: Object.fromEntries(imports) };
}
