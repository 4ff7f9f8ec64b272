/** Everything that can be said about one deploy before anything is stored, created or started (I1). */
import type { Actor } from '../core/access/actor.ts';
import { instantOf } from '../core/calendar/instant.ts';
import { type DeployDocument, dependencyId, EXPECTED } from '../core/documents/deploy.ts';
import type { EnvironmentDocument } from '../core/documents/environment.ts';
import { standaloneImportProblems } from '../core/documents/imports.ts';
import { LIMITS } from '../core/documents/limits.ts';
import type { Problem } from '../core/errors.ts';
import { descriptorProblems } from './check-descriptor.ts';
import { dependencyProblems } from './check-release.ts';
import type { Ports } from './ports.ts';
import { readableDeploys, rightsOf } from './rights.ts';
import type { Origin } from './submit-deploy.ts';

/** `read`: the document of its environment, where it is at hand. */
export async function checkDeploy(
  ports: Ports,
  document: DeployDocument,
  by: Actor,
  origin: Origin = {},
  read?: { readonly environment: EnvironmentDocument | undefined },
): Promise<Problem[]> {
  const problems = standaloneImportProblems(document);
  const after = document.after.map(dependencyId);
  const own = after.indexOf(document.id ?? '');
  if (own >= 0)
    problems.push({ code: 'self-dependency', path: `after[${own}]`, message: `"${document.id}" waits for itself` });
  if (problems.length > 0) return problems;
  const rows = await readableDeploys(
    ports,
    by,
    after.filter((id) => !id.startsWith(EXPECTED)),
  );
  const { environment } = read ?? { environment: await ports.store.settings.environment(document.environment) };
  const config = await ports.store.settings.configOf(document);
  const rights = await rightsOf(ports, by);
  const { dryRun, freezeOverride } = document;
  const freezable = {
    kind: origin.kind ?? ('deploy' as const),
    ...(dryRun === true && { dryRun }),
    ...(freezeOverride !== undefined && { freezeOverride }),
  };
  return [
    ...scheduleProblems(document, ports.now()),
    ...after.flatMap((id, index) => dependencyProblems(id, `after[${index}]`, rows.get(id)?.deploy)),
    ...(await descriptorProblems(ports, document, {
      rights,
      environment,
      config,
      freezable,
      putsBack: origin.kind === 'rollback',
    })),
  ];
}

const DAY_MS = 24 * 3_600_000;

/** An instant that has passed would start at once, which nobody means who writes one. */
function scheduleProblems({ schedule }: DeployDocument, now: number): Problem[] {
  if (schedule === undefined || !('at' in schedule)) return [];
  const at = instantOf(schedule.at).ms ?? now;
  const path = 'schedule.at';
  if (at < now) {
    const hint = 'write an instant that is still to come, or remove it to start at once';
    return [{ code: 'schedule-in-past', path, message: `${schedule.at} has passed`, hint }];
  }
  if (at <= now + LIMITS.scheduleAheadDays * DAY_MS) return [];
  const message = `${schedule.at} is more than ${LIMITS.scheduleAheadDays} days ahead`;
  return [{ code: 'schedule-too-far', path, message, hint: 'submit it later' }];
}
