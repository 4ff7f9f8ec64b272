/** Trying again what ended without success: attempt n + 1 under the same plan. What stands, stays. */
import * as z from 'zod';
import type { Actor } from '../core/access/actor.ts';
import { ReleaseDocument } from '../core/documents/release.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import type { Attempt } from '../core/release/release.ts';
import { rowsOfMembers } from './apply-policy.ts';
import { rollbacksOf } from './conclude-release.ts';
import { decideRelease } from './decide.ts';
import { permitRelease } from './permit.ts';
import type { Ports } from './ports.ts';
import { readRelease } from './rights.ts';
import { settleRelease } from './settle.ts';
import { standingOf } from './still-current.ts';
import { newAttempt, type Submission, startRelease } from './submit-release.ts';

/** Throws `not-found`; `forbidden` for whoever may not submit it; `conflict` when it has not ended in ERROR or CANCELLED, or when a deploy that would stay is no longer current. */
export async function retryRelease(ports: Ports, id: string, by: Actor, reason?: string): Promise<Submission> {
  const { release } = await readRelease(ports, id, by);
  const document = ReleaseDocument.parse(await ports.store.bodies.get(release.identity.document));
  await permitRelease(ports, document, by);
  if (release.status.state === 'PENDING') throw new RengaError('conflict', `the release ${id} has not ended yet`);
  if (release.status.state === 'SUCCESS')
    throw new RengaError('conflict', `the release ${id} ended SUCCESS: there is nothing to retry`);

  const members = await rowsOfMembers(ports, release);
  const rollbacks = await rollbacksOf(
    ports,
    release,
    members.map(({ member }) => member.name),
  );
  const kept: Record<string, string> = {};
  const problems: Problem[] = [];
  for (const { member, row: deploy } of members) {
    if (deploy?.deploy.status.state !== 'SUCCESS') continue;
    if (rollbacks.get(member.name)?.deploy.status.state === 'SUCCESS') continue;
    const { current, stands } = await standingOf(ports, deploy.deploy);
    if (!stands) {
      const message = `"${member.name}" succeeded as ${member.deploy}, but ${current?.deploy ?? 'nothing'} is current there now`;
      problems.push({ code: 'superseded', path: member.name, message, hint: 'submit a new release instead' });
    }
    kept[member.name] = member.deploy;
  }
  if (problems.length > 0) throw new RengaError('conflict', `the release ${id} can't be retried`, { problems });

  const [hash] = Object.keys(kept).length > 0 ? await ports.store.bodies.put(kept) : [];
  const next = await newAttempt(ports, document, release.attempt.number + 1, ports.now());
  const attempt = {
    ...next,
    ...(by.subject !== release.identity.submittedBy && { by: by.subject }),
    ...(hash !== undefined && { kept: hash }),
  };
  const decided = await decideRelease(
    ports,
    id,
    by.subject,
    { type: 'retry', attempt, ...(reason !== undefined && { reason }) },
    release.attempt.number,
  );
  // Somebody else has retried it in the same moment: theirs is this one.
  if (decided.kind === 'refused') return { release: decided.row.release, accepted: false };
  await startRelease(ports, decided.row.release);
  await settleRelease(ports, decided.row);
  return { release: decided.row.release, accepted: true };
}

/** Name to the deploy of an earlier attempt that stays. */
export async function keptDeploys(ports: Ports, attempt: Attempt): Promise<ReadonlyMap<string, string>> {
  if (attempt.kept === undefined) return new Map();
  return new Map(Object.entries(z.record(z.string(), z.string()).parse(await ports.store.bodies.get(attempt.kept))));
}
