/**
 * First step of a release's machine: its deploys become records, in topological order, a hundred an invocation. Until
 * then they are only shown as ENQUEUED.
 */

import type { DeployIdentity } from '../core/deploy/deploy.ts';
import { recordDeploy } from '../core/deploy/transition.ts';
import type { DeployDocument } from '../core/documents/deploy.ts';
import { seconds } from '../core/documents/duration.ts';
import { ReleaseDocument } from '../core/documents/release.ts';
import type { Failure } from '../core/failure.ts';
import { type PlannedDeploy, planRelease } from '../core/plan/plan.ts';
import { deployIdOf } from '../core/release/ids.ts';
import type { Member, Release } from '../core/release/release.ts';
import { RECORDED_AT_ONCE, type ReleaseInput } from '../statemachines/release-machine.ts';
import { cancelNotStarted } from './apply-policy.ts';
import { decideRelease } from './decide.ts';
import { AT_ONCE, inParallel, type Ports, RENGA } from './ports.ts';
import { keptDeploys } from './retry-release.ts';
import { settleDeploy, settleRelease } from './settle.ts';

export interface Recorded extends ReleaseInput {
  readonly recorded: 'all' | 'some' | 'refused';
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
      const failure = { code: 'release-stopped', message: `${refused.member.name} could not be recorded` };
      // It failed in a batch: those after it in the order are recorded as cancelled, all of them.
      await recordAll(
        ports,
        release,
        entries.slice(input.cursor).filter((entry) => entry !== refused),
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
): Promise<Entry | undefined> {
  const documents = entries.map(({ descriptor }) => withIds(descriptor, ids));
  const hashes = await ports.store.bodies.put(...documents);
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const batch = entries
      .slice(start, start + AT_ONCE)
      .map((entry, index) => ({ entry, hash: hashes[start + index] ?? '' }));
    const refused = new Set<Entry>();
    await inParallel(batch, async ({ entry, hash }) => {
      if (!(await record(ports, release, entry, hash, ids, ended))) refused.add(entry);
    });
    const recorded = batch.map(({ entry }) => entry).filter((entry) => !refused.has(entry));
    await ports.store.releases.putMembers(
      release.identity.id,
      release.attempt.number,
      recorded.map(({ member }) => member),
    );
    const first = batch.find(({ entry }) => refused.has(entry));
    if (first !== undefined && ended === undefined) return first.entry;
  }
  return undefined;
}

/** Stores one deploy; true also when this release has recorded it before. */
async function record(
  ports: Ports,
  release: Release,
  entry: Entry,
  document: string,
  ids: ReadonlyMap<string, string>,
  ended?: Failure,
): Promise<boolean> {
  if (entry.member.kept) return true;
  const identity = identityOf(release, entry, document, ids);
  const deploy = recordDeploy(identity, ports.now(), ended && { state: 'CANCELLED', failure: ended });
  if (await ports.store.deploys.create(deploy)) {
    const row = ended && (await ports.store.deploys.read(identity.id));
    if (row !== undefined) await settleDeploy(ports, row, { policy: false });
    return true;
  }
  const other = await ports.store.deploys.read(identity.id);
  const own = other?.deploy.identity.release;
  return own?.id === release.identity.id && own.attempt === release.attempt.number;
}

async function refuse(ports: Ports, release: Release, { member }: Entry): Promise<void> {
  const failure = {
    code: 'recording-refused',
    message: `${member.name} could not be recorded: there is a deploy ${member.deploy} already`,
  };
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
): DeployIdentity {
  return {
    ...identityFrom(descriptor, member.deploy, document),
    release: { id: release.identity.id, attempt: release.attempt.number, name: member.name },
    after: [...planned.after.map((name) => ids.get(name) ?? name), ...planned.external],
    // A layer starts when the ones before have ended, so only `eager` and outside dependencies need a wait of their own.
    waits: planned.external.length > 0 || (release.identity.start === 'eager' && planned.after.length > 0),
    submittedBy: release.identity.submittedBy,
    createdAt: release.attempt.startedAt,
  };
}

/** What a deploy's document says about its record. */
export function identityFrom(
  descriptor: DeployDocument,
  id: string,
  document: string,
): Omit<DeployIdentity, 'after' | 'waits' | 'submittedBy' | 'createdAt'> {
  const { application, environment, tenant, artifact, deploy, afterTimeout, rollback } = descriptor;
  return {
    id,
    kind: 'deploy',
    application,
    environment,
    ...(tenant !== undefined && { tenant }),
    artifact,
    plugin: deploy.plugin,
    timeoutSeconds: secondsOf(deploy.timeout),
    afterTimeoutSeconds: secondsOf(afterTimeout),
    automaticRollback: rollback.automatic,
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
  const imports = Object.entries(descriptor.imports).map(([name, { deployment }]) => [
    name,
    { deployment: ids.get(deployment) ?? deployment },
  ]);
  return { ...descriptor, imports: Object.fromEntries(imports) };
}
