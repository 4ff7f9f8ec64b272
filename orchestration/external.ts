/**
 * Deploys that other pipelines run and report. A report may come twice, late, or the end before the start: what counts is
 * what is written, and both sides write first and look second. Only who started a deploy may conclude it.
 */
import type { DeployConcluded, DeployStarted } from '../bus/incoming.ts';
import type { Actor } from '../core/access/actor.ts';
import { type DeployIdentity, isFinal } from '../core/deploy/deploy.ts';
import { recordDeploy } from '../core/deploy/transition.ts';
import { EXPECTED } from '../core/documents/deploy.ts';
import { seconds } from '../core/documents/duration.ts';
import { LIMITS } from '../core/documents/limits.ts';
import { byteLength } from '../core/documents/source-text.ts';
import { targetOf } from '../core/documents/target.ts';
import { RengaError } from '../core/errors.ts';
import { type ExportValue, importedParam } from '../core/exports/value.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Conclusion } from '../store/external.ts';
import { advance } from './advance.ts';
import { decideDeploy } from './decide.ts';
import type { Ports } from './ports.ts';
import { demand } from './rights.ts';
import { settleDeploy } from './settle.ts';

/** Who reports: an account and a source on the bus, a service of AWS, or a subject over HTTP. */
export interface Reporter {
  readonly actor: Actor;
  readonly owner: string;
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
  const { id, pipeline, application, environment, tenant, version } = started;
  await demand(ports, actor, 'deployment.submit', { application, environment });
  const now = ports.now();
  const patience = (overdueAfter === undefined ? undefined : seconds(overdueAfter)) ?? OVERDUE_AFTER_SECONDS;
  const identity: DeployIdentity = {
    id,
    kind: 'external',
    application,
    environment,
    ...(tenant !== undefined && { tenant }),
    artifact: { type: 'external', name: nameOf(pipeline), version: version ?? 'unknown' },
    plugin: 'external',
    external: { pipeline, ...(version !== undefined && { version }), owner, overdueAt: now + patience * 1_000 },
    timeoutSeconds: 0,
    afterTimeoutSeconds: 0,
    automaticRollback: false,
    after: [],
    waits: false,
    document: '',
    submittedBy: actor.subject,
    createdAt: now,
  };
  const created = await ports.store.deploys.create(recordDeploy(identity, now));
  const row = await ports.store.deploys.read(id);
  if (row === undefined) throw new Error(`the deploy ${id} was there and is gone`);
  if (!created && row.deploy.identity.external?.owner !== owner) throw taken(id);
  if (version !== undefined) {
    const expectation = `${EXPECTED}${pipeline}@${version}`;
    await ports.store.deploys.putBegun(expectation, id, row.deploy.identity.createdAt);
    await wakeExpecting(ports, expectation);
  }
  if (created) await settleDeploy(ports, row);
  const kept = await ports.store.external.kept(id, owner);
  if (kept !== undefined) await conclude(ports, row, kept);
  return created ? 'accepted' : 'ignored';
}

/** Whoever waits for a deploy of this pipeline and version waits for this one from now on. */
async function wakeExpecting(ports: Ports, expectation: string): Promise<void> {
  const waiters = await ports.store.deploys.waitersOf(expectation);
  for (const waiter of waiters) await advance(ports, waiter);
  await ports.store.deploys.forgetWaiters(expectation, waiters);
}

/**
 * Throws `forbidden` when somebody else started it, `id-taken` when it is none that a pipeline runs, `invalid-request`.
 * `hidden`: there is one of somebody else that the reporter may not know of.
 */
export async function concludeExternal(
  ports: Ports,
  { id, state, message, exports = {} }: DeployConcluded,
  { owner }: Pick<Reporter, 'owner'>,
  { hidden = false }: { readonly hidden?: boolean } = {},
): Promise<Reported> {
  const conclusion: Conclusion = {
    owner,
    state,
    ...(message !== undefined && { message }),
    exports: state === 'SUCCESS' ? valuesOf(exports) : {},
    at: ports.now(),
  };
  if (hidden) {
    await ports.store.external.keep(id, conclusion);
    return 'accepted';
  }
  const row = await ports.store.deploys.read(id);
  if (row !== undefined) return conclude(ports, row, conclusion);
  await ports.store.external.keep(id, conclusion);
  // It may have started just now, and have looked before this was kept.
  const late = await ports.store.deploys.read(id);
  return late === undefined ? 'accepted' : conclude(ports, late, conclusion);
}

async function conclude(
  ports: Ports,
  row: DeployRow,
  { owner, state, message, exports }: Conclusion,
): Promise<Reported> {
  const { identity, status } = row.deploy;
  const { id } = identity;
  if (identity.kind !== 'external') throw taken(id);
  if (identity.external?.owner !== owner) {
    throw new RengaError('forbidden', `${id} was started by somebody else, who alone may conclude it`, {
      hint: 'report it from the account and source, or as the subject, that started it',
    });
  }
  const seen: Reported = isFinal(status.state) ? 'ignored' : 'accepted';
  if (seen === 'accepted') {
    if (Object.keys(exports).length > 0) await ports.store.deploys.putExports(id, exports);
    const why = message ?? `${identity.external.pipeline} says that it ended ${state}`;
    const failure = { code: state === 'CANCELLED' ? 'cancelled' : 'external-failed', message: why };
    const event =
      state === 'SUCCESS'
        ? ({ type: 'reported', outcome: state } as const)
        : ({ type: 'reported', outcome: state, failure } as const);
    const decided = await decideDeploy(ports, row, identity.submittedBy, event);
    if (decided.kind === 'changed') await settleDeploy(ports, decided.row);
  }
  await ports.store.external.drop(id, owner);
  return seen;
}

/** No pattern is declared for what another pipeline exports: limits hold, and nothing that could not be written. */
function valuesOf(exports: NonNullable<DeployConcluded['exports']>): Record<string, ExportValue> {
  const refuse = (name: string, what: string): never => {
    throw new RengaError('invalid-request', `the export "${name}" ${what}`);
  };
  let total = 0;
  const values: [string, ExportValue][] = Object.entries(exports).map(([name, given]) => {
    const value: ExportValue =
      typeof given === 'string'
        ? { format: 'string', value: given }
        : { format: 'targets', targets: given.map(targetOf) };
    const text = importedParam(value);
    const bytes = byteLength(text);
    total += bytes;
    if (bytes > LIMITS.exportValueBytes) refuse(name, `has ${bytes} bytes; the limit is ${LIMITS.exportValueBytes}`);
    if (text.includes('\0')) refuse(name, 'holds a NUL character');
    return [name, value];
  });
  if (total > LIMITS.exportsBytes) {
    throw new RengaError('invalid-request', `the exports have ${total} bytes; the limit is ${LIMITS.exportsBytes}`);
  }
  return Object.fromEntries(values);
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

function taken(id: string): RengaError {
  return new RengaError('id-taken', `there is a deploy ${id} already, of somebody else`, {
    hint: 'prefix the ids of your deploys with the name of your pipeline',
  });
}
