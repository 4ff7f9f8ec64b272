/**
 * Deploys that other pipelines run and report. A report may come twice, late, or the end before the start: what counts is
 * what is written, and both sides write first and look second. Only who started a deploy may conclude it.
 */
import type { DeployConcluded, DeployStarted } from '../bus/incoming.ts';
import type { Actor } from '../core/access/actor.ts';
import { instantOf } from '../core/calendar/instant.ts';
import { type DeployIdentity, isFinal } from '../core/deploy/deploy.ts';
import { recordDeploy } from '../core/deploy/transition.ts';
import { EXPECTED } from '../core/documents/deploy.ts';
import { seconds } from '../core/documents/duration.ts';
import { RengaError } from '../core/errors.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Conclusion } from '../store/external.ts';
import { advance } from './advance.ts';
import { decideDeploy } from './decide.ts';
import { externalExports } from './external-exports.ts';
import { inParallel, type Ports } from './ports.ts';
import { demand, rightsOf } from './rights.ts';
import { settleDeploy } from './settle.ts';

/** Who reports: an account and a source on the bus, a service of AWS, or a subject over HTTP. */
export interface Reporter {
  readonly actor: Actor;
  readonly owner: string;
}

/** Owner of what the services of AWS run in an account. */
export function serviceOwner(account: string): string {
  return `aws:${account}`;
}

/** `ignored`: it says what is known already, or what is older. */
export type Reported = 'accepted' | 'ignored';

const OVERDUE_AFTER_SECONDS = 2 * 3_600;

/** Throws `forbidden`, and `id-taken` when the id is somebody else's deploy. */
export async function startExternal(
  ports: Ports,
  started: DeployStarted,
  { actor, owner }: Reporter,
  overdueAfter?: string,
): Promise<Reported> {
  const { id, version, seq, application, environment } = started;
  await demand(ports, actor, 'deployment.submit', { application, environment });
  const identity = identityOf(started, { actor, owner }, ports.now(), overdueAfter);
  const created = await ports.store.deploys.create(recordDeploy(identity, ports.now()));
  const row = await ports.store.deploys.read(id);
  if (row === undefined) throw new Error(`the deploy ${id} was there and is gone`);
  if (!created && row.deploy.identity.external?.owner !== owner) throw taken(id);
  const said = created
    ? undefined
    : await decideDeploy(ports, row, actor.subject, { type: 'start-repeated', version, seq });
  await followStart(ports, said?.row ?? row);
  return created || said?.kind === 'changed' ? 'accepted' : 'ignored';
}

function identityOf(
  { id, pipeline, application, environment, tenant, version, at, seq }: DeployStarted,
  { actor, owner }: Reporter,
  now: number,
  overdueAfter: string | undefined,
): DeployIdentity {
  const patience = (overdueAfter === undefined ? undefined : seconds(overdueAfter)) ?? OVERDUE_AFTER_SECONDS;
  const startedAt = millisecondsOf(at);
  return {
    id,
    kind: 'external',
    application,
    environment,
    ...(tenant !== undefined && { tenant }),
    artifact: { type: 'external', name: nameOf(pipeline), version: version ?? 'unknown' },
    plugin: 'external',
    external: {
      pipeline,
      ...(version !== undefined && { version }),
      owner,
      overdueAt: now + patience * 1_000,
      ...(startedAt !== undefined && { startedAt }),
      ...(seq !== undefined && { seq }),
    },
    timeoutSeconds: 0,
    afterTimeoutSeconds: 0,
    automaticRollback: false,
    after: [],
    waits: false,
    document: '',
    submittedBy: actor.subject,
    ...(actor.kind === 'pipeline' && { submittedAs: actor.kind }),
    createdAt: now,
  };
}

/** What follows from the start of a deploy; the same however often it is done, also by the sweep. */
export async function followStart(ports: Ports, row: DeployRow): Promise<void> {
  const { id, external } = row.deploy.identity;
  if (external === undefined) return;
  if (!isFinal(row.deploy.status.state)) await tellExpecting(ports, row);
  if (row.deploy.pending.length > 0) await settleDeploy(ports, row);
  const kept = await ports.store.external.kept(id, external.owner);
  if (kept === undefined) return;
  await conclude(ports, (await ports.store.deploys.read(id)) ?? row, kept);
}

/** Whoever waits for a deploy of this pipeline and version waits for this one from now on. */
async function tellExpecting(ports: Ports, { deploy: { identity } }: DeployRow): Promise<void> {
  const { id, createdAt, external } = identity;
  if (external?.version === undefined) return;
  const expectation = `${EXPECTED}${external.pipeline}@${external.version}`;
  await ports.store.deploys.putBegun(expectation, id, createdAt);
  const waiters = await ports.store.deploys.waitersOf(expectation);
  await inParallel(waiters, (waiter) => advance(ports, waiter));
  await ports.store.deploys.forgetWaiters(expectation, waiters);
}

/**
 * How a deploy ended, by whoever says so in their own name. An id that nobody has started may be theirs, since an end may
 * come before its start: so it takes the right to start one somewhere, unless this one is theirs already. `answered`: they
 * hear what comes of it. Then a deploy of somebody else that they may not read is to them as one that nobody has started.
 */
export async function concludeReported(
  ports: Ports,
  concluded: DeployConcluded,
  { actor, owner }: Reporter,
  { answered }: { readonly answered: boolean },
): Promise<Reported> {
  const rights = await rightsOf(ports, actor);
  if (!rights.mayAnywhere('deployment.submit')) {
    const row = await ports.store.deploys.read(concluded.id);
    if (row === undefined || !isOf(row, owner)) {
      throw new RengaError(
        'forbidden',
        `${actor.subject} has deployment.submit nowhere: there is no deploy to conclude`,
        {
          hint: 'ask somebody who has access.write to grant it where the pipeline deploys to',
        },
      );
    }
  }
  const tells = ({ deploy }: DeployRow) => !answered || rights.may('deployment.read', deploy.identity);
  return concludeExternal(ports, concluded, { owner }, tells);
}

/**
 * Throws `forbidden` when somebody else started it, `id-taken` when it is none that a pipeline runs, `invalid-request`.
 * `tells`: whether the reporter may know of a deploy that is not theirs.
 */
export async function concludeExternal(
  ports: Ports,
  { id, state, message, exports = {}, at, seq }: DeployConcluded,
  { owner }: Pick<Reporter, 'owner'>,
  tells: (row: DeployRow) => boolean = () => true,
): Promise<Reported> {
  const endedAt = millisecondsOf(at);
  const values = externalExports(exports);
  const conclusion: Conclusion = {
    owner,
    state,
    ...(message !== undefined && { message }),
    exports: state === 'SUCCESS' ? values : {},
    ...(endedAt !== undefined && { endedAt }),
    ...(seq !== undefined && { reportSeq: seq }),
    at: ports.now(),
  };
  const known = (row: DeployRow) => isOf(row, owner) || tells(row);
  const row = await ports.store.deploys.read(id);
  if (row !== undefined && known(row)) return conclude(ports, row, conclusion);
  const kept = await ports.store.external.keep(id, conclusion);
  // It may have started just now, and have looked before this was kept.
  const late = await ports.store.deploys.read(id);
  if (late !== undefined && known(late)) return conclude(ports, late, conclusion);
  return kept ? 'accepted' : 'ignored';
}

async function conclude(ports: Ports, row: DeployRow, conclusion: Conclusion): Promise<Reported> {
  const { identity, status } = row.deploy;
  const { id, external } = identity;
  const { owner, reportSeq } = conclusion;
  if (!isOf(row, owner)) {
    await ports.store.external.drop(id, owner);
    throw identity.kind === 'external' ? notYours(id) : taken(id);
  }
  const older = reportSeq !== undefined && external?.seq !== undefined && reportSeq < external.seq;
  const said = older || isFinal(status.state) ? 'ignored' : await writeDown(ports, row, conclusion);
  await ports.store.external.drop(id, owner);
  return said;
}

async function writeDown(
  ports: Ports,
  row: DeployRow,
  { state, message, exports, endedAt: at }: Conclusion,
): Promise<Reported> {
  const { id, external, submittedBy } = row.deploy.identity;
  // Nobody looks at a start again once its end is written: who expects it hears of it before.
  await tellExpecting(ports, row);
  if (Object.keys(exports).length > 0) await ports.store.deploys.putExportsOnce(id, exports);
  const why = message ?? `${external?.pipeline} says that it ended ${state}`;
  const decided = await decideDeploy(
    ports,
    row,
    submittedBy,
    state === 'SUCCESS'
      ? { type: 'reported', outcome: state, at }
      : {
          type: 'reported',
          outcome: state,
          at,
          failure: { code: state === 'CANCELLED' ? 'cancelled' : 'external-failed', message: why },
        },
  );
  if (decided.kind !== 'changed') return 'ignored';
  await settleDeploy(ports, decided.row);
  return 'accepted';
}

function isOf({ deploy: { identity } }: DeployRow, owner: string): boolean {
  return identity.external?.owner === owner;
}

function millisecondsOf(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : instantOf(instant).ms;
}

/** An artifact's name is bound by our rule for names, a pipeline's is not. */
function nameOf(pipeline: string): string {
  const name = pipeline
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63);
  return name === '' ? 'external' : name;
}

function notYours(id: string): RengaError {
  return new RengaError('forbidden', `${id} was started by somebody else, who alone may conclude it`, {
    hint: 'report it from the account and source, or as the subject, that started it',
  });
}

function taken(id: string): RengaError {
  return new RengaError('id-taken', `there is a deploy ${id} already, of somebody else`, {
    hint: 'prefix the ids of your deploys with the name of your pipeline',
  });
}
