/**
 * Accepting a release: check it whole, store it by one conditional write, start its machine. Whatever happens after that
 * write, the release reaches an end: the sweep starts what was accepted and never started (I10).
 */
import type { Actor } from '../core/access/actor.ts';
import { contentHash, differences } from '../core/documents/content.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import { planRelease } from '../core/plan/plan.ts';
import type { Attempt, Release } from '../core/release/release.ts';
import { scopeOf } from '../core/release/scope.ts';
import { acceptRelease } from '../core/release/transition.ts';
import { compile } from '../statemachines/compile.ts';
import { machineName, releaseExecutionName } from '../statemachines/names.ts';
import type { ReleaseInput } from '../statemachines/release-machine.ts';
import { checkRelease } from './check-release.ts';
import { permitRelease } from './permit.ts';
import type { Ports } from './ports.ts';
import { mayReadRelease } from './rights.ts';
import { settleRelease } from './settle.ts';

export interface Submission {
  readonly release: Release;
  /** False when the same release had been submitted before: nothing was started. */
  readonly accepted: boolean;
}

/** Throws `invalid-document` with every problem, or `id-taken` with what differs from the release of that id. */
export async function submitRelease(ports: Ports, document: ReleaseDocument, by: Actor): Promise<Submission> {
  const hash = contentHash(document);
  const before = await submittedRelease(ports, document, by);
  if (before !== undefined) return before;
  await permitRelease(ports, document, by);
  refuseProblems(await checkRelease(ports, document, by), `the release ${document.id}`);

  const [, scope = ''] = await ports.store.bodies.put(document, scopeOf(document));
  const now = ports.now();
  const { id, mode, start, onFailure, deploys } = document;
  const attempt = await newAttempt(ports, document, 1, now);
  const release = acceptRelease(
    {
      id,
      mode,
      start,
      onFailure,
      document: hash,
      deploys: deploys.length,
      scope,
      submittedBy: by.subject,
      ...(by.kind === 'pipeline' && { submittedAs: by.kind }),
      ...(by.groups.length > 0 && { groups: [...by.groups] }),
      createdAt: now,
    },
    attempt,
  );
  if (!(await ports.store.releases.create(release))) {
    const winner = await submittedRelease(ports, document, by);
    if (winner === undefined) throw new Error(`the release ${id} was there and is gone`);
    return winner;
  }
  await startRelease(ports, release);
  await settleRelease(ports, { release, sweeps: 0 });
  return { release, accepted: true };
}

/**
 * The same release, when it has been submitted before. Throws `id-taken` when another one has its id, naming what differs
 * to whoever may read that; `forbidden` as without it to whoever may neither read that nor submit this.
 */
export async function submittedRelease(
  ports: Ports,
  document: ReleaseDocument,
  by: Actor,
): Promise<Submission | undefined> {
  const row = await ports.store.releases.read(document.id);
  if (row === undefined) return undefined;
  const { release } = row;
  const readable = await mayReadRelease(ports, by, release);
  if (!readable) await permitRelease(ports, document, by);
  if (readable && release.identity.document === contentHash(document)) return { release, accepted: false };
  throw new RengaError('id-taken', `there is a release ${document.id} already, with other content`, {
    hint: 'the id is the idempotency key: give a changed release another id',
    ...(readable && { differences: differences(await ports.store.bodies.get(release.identity.document), document) }),
  });
}

export function refuseProblems(problems: readonly Problem[], what: string): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  throw new RengaError('invalid-document', `${what} has ${count}; nothing was stored or started`, { problems });
}

/** The machine of the release's plan, created if no release with the same plan has been here before, and an execution's name. */
export async function newAttempt(
  ports: Ports,
  document: ReleaseDocument,
  number: number,
  now: number,
): Promise<Attempt> {
  const { definition } = compile(planRelease(document), document.onFailure, ports.functions);
  const name = machineName(ports.machinePrefix, document.id, [definition, ports.machines.fingerprint]);
  const arn = await ports.machines.ensure(name, definition);
  return { number, startedAt: now, machine: { name, arn }, execution: releaseExecutionName(document.id, number) };
}

/** Starts the execution of the release's attempt; one of that name that exists already is the same one (I4). */
export async function startRelease(ports: Ports, { identity, attempt }: Release): Promise<void> {
  const input: ReleaseInput = { release: identity.id, attempt: attempt.number, cursor: 0 };
  await ports.machines.start(attempt.machine.arn, attempt.execution, input);
}
